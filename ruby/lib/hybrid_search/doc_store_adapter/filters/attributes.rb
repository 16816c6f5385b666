# frozen_string_literal: true

module HybridSearch
  module Stores
    module Filters
      # The attributes of documents: names and values that an index file can filter by without reading documents.
      #
      # A name is one that filters accept: the name of a field, of a vector field, of a value in `metadata`, or of a
      # tag. Token fields and the text itself are not attributes. A value is one that conditions distinguish: a text, a
      # number, true, false, or a list of these. All other values are equal here (SQL-2, DOC-2).
      module Attributes
        # Replaces objects, and values in lists that are not scalars.
        OTHER = {}.freeze

        module_function

        # @param name [String]
        # @return [Boolean] whether the values of a field are attributes
        def attribute?(name)
          !name.end_with?("_tks", "_ltks") && name != "id" && name != "content_with_weight"
        end

        # @param fields [Hash{String=>Object}]
        # @param vector_fields [Enumerable<String>]
        # @return [Hash{String=>String}] all attributes of a document: name → the value as bytes
        def of(fields, vector_fields)
          found = {}
          fields.each { |field, value| add(found, field, value) if attribute?(field) && plain?(field) }
          vector_fields.each { |field| found[field] = write(OTHER) }
          found
        end

        # @param name [String]
        # @param value [Object, nil]
        # @return [FilterConditions::Candidate] a document with this attribute alone; without any attribute if the value
        #   is nil
        def candidate(name, value)
          return FilterConditions::Candidate.new("", {}, []) if value.nil?
          return FilterConditions::Candidate.new("", {}, [name]) if name.end_with?("_vec") && plain?(name)

          fields = Documents::FieldPath.of(name).steps.reverse.inject(value) { |within, step| { step => within } }
          FilterConditions::Candidate.new("", fields, [])
        end

        # @param value [Object]
        # @return [String] the value as bytes; equal values have equal bytes in every language
        def write(value)
          case value
          when true then "T".b
          when false then "F".b
          when ::Integer then "i#{value.to_s(16)}".b
          when ::Float then "d".b << [value].pack("G")
          when ::String then "s".b << value.b
          when ::Array
            members = value.map { |member| write(member.is_a?(::Array) ? OTHER : member) }
            members.inject("[".b) { |written, member| written << [member.bytesize].pack("N") << member }
          else "{".b
          end
        end

        # @param written [String] an output of {write}
        # @return [Object] the value
        def read(written)
          rest = written.byteslice(1..)
          case written.getbyte(0)
          when 0x54 then true
          when 0x46 then false
          when 0x69 then rest.to_i(16)
          when 0x64 then rest.unpack1("G")
          when 0x73 then rest.force_encoding(::Encoding::UTF_8)
          when 0x5B then members(rest)
          else OTHER
          end
        end

        def members(rest)
          found = []
          start = 0
          while start < rest.bytesize
            size = rest.byteslice(start, 4).unpack1("N")
            found << read(rest.byteslice(start + 4, size))
            start += 4 + size
          end
          found
        end
        private_class_method :members

        def plain?(field)
          Documents::FieldPath.of(field).steps.size == 1
        end
        private_class_method :plain?

        def add(found, name, value)
          found[name] = write(value)
          return unless value.is_a?(::Hash)

          if name == "tag_feas"
            value.each { |tag, number| found["#{name}.#{tag}"] = write(number) unless number.nil? }
          elsif name.split(".")[0] == "metadata"
            value.each { |key, item| add(found, "#{name}.#{key}", item) unless item.nil? || key.include?(".") }
          end
        end
        private_class_method :add
      end
    end
  end
end
