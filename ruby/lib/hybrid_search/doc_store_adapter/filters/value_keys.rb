# frozen_string_literal: true

require "digest/sha2"

module HybridSearch
  module Stores
    module Filters
      # Names and values as terms of an engine's index (DOC-2).
      #
      # Equal values have equal terms, and the order of terms is that of values. One keyword field contains the values
      # of all fields. A term begins with the field's name, followed by the type of the value (boolean, number or text),
      # so that a range of terms is a range of values of one type. No name in a document ever becomes the name of a
      # field of the engine.
      module ValueKeys
        LONGEST_NAME = 512
        # The number of bytes of a text in a term. Longer texts are distinguished by their digest, and sorted by these
        # bytes.
        LONGEST_TEXT = 512
        LONGEST_CONTENT = 64
        MOST_DIGITS = 2_000
        EXPONENT = 1 << 31
        KINDS = { "boolean" => "b", "number" => "n", "text" => "t" }.freeze
        NEXT_KIND = { "b" => "c", "n" => "o", "t" => "u" }.freeze
        HIGHEST = "~"

        # The terms by which filters find a document.
        class Held
          include Base::ShortInspect

          # @return [Array<String>] the terms of the names of its values
          attr_reader :names

          # @return [Array<String>] the terms of the values
          attr_reader :terms

          # @param names [Array<String>] the terms of the names of its values
          # @param terms [Array<String>] the terms of the values
          def initialize(names, terms)
            @names = names
            @terms = terms
            freeze
          end
        end

        module_function

        # @param document [Documents::StoredDocument]
        # @return [Held] the terms of a document without repetitions, in the order of its fields
        def held(document)
          names = []
          values = []
          document.fields.each do |field, value|
            named(field, value) do |name, inner|
              names << name_key(name) unless inner.nil? || inner == []
              (inner.is_a?(::Array) ? inner : [inner]).each do |member|
                key = Documents::StoredDocument.scalar_key(member)
                values << value_key(name, key) if key
              end
            end
          end
          document.vectors.each_key { |field| names << name_key(field) }
          Held.new(names.uniq, values.uniq)
        end

        # @param name [String]
        # @return [String] the term of a name
        def name_key(name)
          cut(name, LONGEST_NAME)
        end

        # @param name [String] a field
        # @param key [Array(String, Object)] the type and the value
        # @return [String] the term of a value of a field
        def value_key(name, key)
          kind, value = key
          start = prefix(name) + KINDS.fetch(kind)
          case kind
          when "boolean" then start + (value ? "1" : "0")
          when "number" then start + number(value)
          else start + cut(value, Attributes.attribute?(name) ? LONGEST_TEXT : LONGEST_CONTENT)
          end
        end

        # @param name [String] a field
        # @param bounds [Array<Comparisons::Bound>] at least one bound
        # @return [Hash{String=>String}, nil] the range of terms that corresponds to bounds; nil if no value can be
        #   within them
        def value_range(name, bounds)
          kinds = bounds.map { |bound| bound.limit[0] }.uniq
          return nil if kinds.size > 1

          kind = KINDS.fetch(kinds[0])
          lower = ["gte", prefix(name) + kind]
          upper = ["lt", prefix(name) + NEXT_KIND.fetch(kind)]
          bounds.each do |bound|
            side = [bound.operator, value_key(name, bound.limit)]
            if bound.operator.start_with?("g")
              lower = [lower, side].max_by { |one| [one[1], one[0] == "gt" ? 1 : 0] }
            else
              upper = [upper, side].min_by { |one| [one[1], one[0] == "lt" ? 0 : 1] }
            end
          end
          [lower, upper].to_h
        end

        # Return a finite number as a text; texts sort like the numbers of any size, and 1 and 1.0 have the same text.
        #
        # @param value [Integer, Float]
        # @return [String]
        def number(value)
          return "1" if value.zero?

          ratio = value.abs.to_r
          places = ratio.numerator.bit_length - 1
          exponent = places - (ratio.denominator.bit_length - 1)
          magnitude = format("%08x", exponent + EXPONENT) + fraction(ratio.numerator, places)
          value.positive? ? "2#{magnitude}" : "0#{magnitude.tr("0123456789abcdef", "fedcba9876543210")}#{HIGHEST}"
        end

        # Return the hexadecimal digits after the first bit of a number.
        def fraction(numerator, places)
          return "" if places.zero?

          padding = -places % 4
          digits = ((numerator - (1 << places)) << padding).to_s(16).rjust((places + padding) / 4, "0")
          digits[0, MOST_DIGITS].sub(/0+\z/, "")
        end
        private_class_method :fraction

        # Yield the names by which filters find the values in a field, with the values.
        def named(field, value, &)
          return unless Documents::FieldPath.of(field).steps == [field]

          yield field, value
          if field == "tag_feas" && value.is_a?(::Hash)
            value.each { |tag, inner| yield "#{field}.#{tag}", inner }
          elsif field == "metadata"
            inner(field, value, &)
          end
        end
        private_class_method :named

        def inner(name, value, &)
          return unless value.is_a?(::Hash)

          value.each do |key, within|
            next if key.include?(".")

            yield "#{name}.#{key}", within
            inner("#{name}.#{key}", within, &)
          end
        end
        private_class_method :inner

        # @param name [String] a field
        # @return [String] the beginning of the terms of its values; the type of a value follows
        def prefix(name)
          key = name_key(name)
          "#{key.length}:#{key}"
        end

        # Return a text, or the beginning and the digest of a longer one.
        def cut(text, longest)
          return text if text.bytesize <= longest

          "#{text.byteslice(0, longest).scrub("")}\0#{Digest::SHA256.hexdigest(text)}"
        end
        private_class_method :cut
      end
    end
  end
end
