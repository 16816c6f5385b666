# frozen_string_literal: true

require "json"

module HybridSearch
  module Stores
    module Postgres
      # The attributes that PostgreSQL filters documents by, as JSON for the type jsonb (PG-2).
      module PostgresAttributes
        ESCAPES = { "\0" => "\1\1", "\1" => "\1\2" }.freeze
        private_constant :ESCAPES

        # A value that jsonb cannot represent exactly.
        class UnholdableError < StandardError; end

        module_function

        # @param fields [Hash{String=>Object}]
        # @param vector_fields [Array<String>]
        # @return [String, nil] the attributes of a document as JSON, name → value; nil if one of them cannot be
        #   represented
        def of(fields, vector_fields)
          found = Filters::Attributes.of(fields, vector_fields)
          write(found.to_h { |name, written| [escaped(name), plain(Filters::Attributes.read(written))] })
        rescue UnholdableError
          nil
        end

        # @param value [Object]
        # @return [Object] a value that PostgreSQL compares with others as conditions do
        # @raise [UnholdableError] an integer is too large
        def plain(value)
          case value
          when ::String then escaped(value)
          when ::Float then value == value.floor ? value.to_i : value
          when ::Integer then value.abs.bit_length > Documents::StoredJson::MOST_BITS ? raise(UnholdableError) : value
          when ::Array then value.map { |member| plain(member) }
          else value
          end
        end

        # @param text [String]
        # @return [String] the text without U+0000; the order of texts is preserved
        def escaped(text)
          text.gsub(/[\0\1]/, ESCAPES)
        end

        # @param value [Object]
        # @return [String] a plain value as JSON
        def write(value)
          JSON.generate(value, max_nesting: 0)
        end
      end
    end
  end
end
