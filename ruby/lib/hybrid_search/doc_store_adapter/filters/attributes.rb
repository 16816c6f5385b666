# frozen_string_literal: true

module HybridSearch
  module Stores
    module Filters
      # What of a document an index file can be filtered by without reading it: names and values (SQL-2, DOC-2).
      #
      # A name is one that filters know: of a field, of a vector field, of a value in `metadata`, of a tag. Tokens and
      # the text itself are no attributes. A value is one that conditions can tell from others: texts, numbers, true,
      # false, and lists of these; everything else is alike to them.
      module Attributes
        # Stands for objects, and within lists for whatever is no single value.
        OTHER = {}.freeze

        module_function

        # @param name [String]
        # @return [Boolean] whether the values of a field can be looked up
        def attribute?(name)
          !name.end_with?("_tks", "_ltks") && name != "id" && name != "content_with_weight"
        end

        # @param fields [Hash{String=>Object}]
        # @param vector_fields [Enumerable<String>]
        # @return [Hash{String=>String}] name → the written value, of all attributes of a document
        def of(fields, vector_fields)
          found = {}
          fields.each { |field, value| add(found, field, value) if attribute?(field) && plain?(field) }
          vector_fields.each { |field| found[field] = write(OTHER) }
          found
        end

        # @param name [String]
        # @param value [Object, nil]
        # @return [FilterConditions::Candidate] a document that has an attribute of this name and value and nothing
        #   else; without the attribute for nil
        def candidate(name, value)
          return FilterConditions::Candidate.new("", {}, []) if value.nil?
          return FilterConditions::Candidate.new("", {}, [name]) if name.end_with?("_vec") && plain?(name)

          fields = Documents::FieldPath.of(name).steps.reverse.inject(value) { |within, step| { step => within } }
          FilterConditions::Candidate.new("", fields, [])
        end

        # @param value [Object]
        # @return [String] the value as bytes: equal ones have equal bytes, in every language
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

        # @param written [String] what {write} gives
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
