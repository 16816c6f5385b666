# frozen_string_literal: true

module HybridSearch
  module Stores
    module Documents
      # A checked document. Every value is checked and copied before a store accepts it (NUM-4).
      class StoredDocument
        include Base::ShortInspect

        DEEPEST_NESTING = 32
        IDENTIFIER_FIELDS = %w[doc_id kb_id].freeze
        TEXT_FIELDS = [*IDENTIFIER_FIELDS, "content_with_weight"].freeze
        # The maximum number of characters of an id, so that every cursor can contain it.
        LONGEST_IDENTIFIER = 512
        VECTOR_FIELD = /\Aq_([1-9][0-9]{0,8})_vec\z/
        OTHER_WHITE = /[\0\t\n\v\f\r]/
        private_constant :VECTOR_FIELD, :OTHER_WHITE

        # @return [String] the id
        attr_reader :identifier
        # @return [Hash{String=>Object}] every field except vectors, including `id`, in the given order; frozen copies
        attr_reader :fields
        # @return [Hash{String=>Array<Float>}] vector field → components
        attr_reader :vectors
        # @return [Array<String>] the names of the fields that were given as nil
        attr_reader :missing

        def initialize(identifier, fields, vectors, missing = [])
          @identifier = identifier
          @fields = fields.freeze
          @vectors = vectors.freeze
          @missing = missing.freeze
          freeze
        end

        class << self
          # Return the checked copy of a document.
          #
          # @param name [String] the document's name in messages, such as `documents[3]`
          # @param document [Object] the given document
          # @return [StoredDocument]
          # @raise [InvalidInputError] the document is not an object, has no id, or has a value that its field does not
          #   accept
          # @raise [DimensionMismatchError] the length of a vector is not the one in the name of its field
          def accept(name, document)
            fields = {}
            vectors = {}
            missing = []
            given = Base::Validation.mapping(name, document)
            identifier = accept_identifier("#{name}.id", given["id"])
            given.each do |key, value|
              if value.nil?
                missing << key
              elsif key.end_with?("_vec")
                vectors[key] = vector(Base::Validation.member(name, key), key, value)
              else
                fields[key] = field(Base::Validation.member(name, key), key, value)
              end
            end
            new(identifier, fields, vectors, missing)
          end

          # @return [String] a checked id: a text of 1 to 512 characters
          def accept_identifier(name, value)
            identifier = Base::Validation.text(name, value)
            raise InvalidInputError, "#{name} must not be empty" if identifier.empty?

            frozen(short(name, identifier))
          end

          # @return [String] an id of at most 512 characters
          # @raise [InvalidInputError] the id is longer
          def short(name, identifier)
            return identifier if identifier.length <= LONGEST_IDENTIFIER

            raise InvalidInputError,
                  "#{name} must have at most #{LONGEST_IDENTIFIER} characters, not #{identifier.length}"
          end

          # @return [Integer] the dimension in the name of a vector field
          def vector_dimension(name, field)
            found = VECTOR_FIELD.match(field)
            unless found
              raise InvalidInputError, "#{name} must be a vector field named q_{dimension}_vec, like q_384_vec"
            end

            found[1].to_i
          end

          # @return [Boolean] whether a field contains vectors
          def vector_field?(field)
            VECTOR_FIELD.match?(field)
          end

          # @return [Boolean] whether a field contains keywords, each of them one token
          def keyword_field?(field)
            field.end_with?("_kwd")
          end

          # @return [Boolean] whether text queries can search a field: it contains blank-separated tokens or keywords
          def searchable?(field)
            field.end_with?("_tks", "_ltks", "_kwd")
          end

          # @return [Array<String>] the tokens of a stored value: the pieces between blanks (U+0020 alone), or the
          #   keywords unchanged
          def tokens(field, value)
            return value.is_a?(::String) ? [value] : value if keyword_field?(field)

            split_blank(value)
          end

          # @return [Array<String>] the tokens of a stored value as bytes
          def encoded_tokens(field, value)
            return tokens(field, value).map(&:b) if keyword_field?(field) || value.match?(OTHER_WHITE)

            value.b.split
          end

          # @return [Array<String>] the pieces between blanks (U+0020 alone), without empty ones
          def split_blank(text)
            # `split` without an argument is fast, but splits at all ASCII white space.
            text.match?(OTHER_WHITE) ? text.split(/ /).reject(&:empty?) : text.split
          end

          # Return whether two stored values are equal. 1, 1.0 and true differ; the order of keys does not matter.
          #
          # @return [Boolean]
          def same_value?(left, right)
            case left
            when ::Array
              right.is_a?(::Array) && left.size == right.size &&
                left.each_index.all? { |index| same_value?(left[index], right[index]) }
            when ::Hash
              right.is_a?(::Hash) && left.size == right.size &&
                left.all? { |key, item| right.key?(key) && same_value?(item, right[key]) }
            else
              left.instance_of?(right.class) && left == right
            end
          end

          # Return the type and the value of a scalar; equal scalars have equal keys, and numbers compare by value.
          #
          # @return [Array(String, Object), nil] nil for any other value, and for NaN, which no number equals
          def scalar_key(value)
            case value
            when true, false then ["boolean", value]
            when ::String then ["text", value]
            when ::Integer then ["number", value]
            when ::Float then ["number", (value % 1).zero? ? value.to_i : value] unless value.nan?
            end
          end

          private

          def frozen(text)
            text.frozen? ? text : text.dup.freeze
          end

          def vector(name, field, value)
            Base::Validation.vector(name, value, dimension: vector_dimension(name, field)).freeze
          end

          def field(name, field, value)
            return frozen(short(name, Base::Validation.text(name, value))) if IDENTIFIER_FIELDS.include?(field)
            if field.end_with?("_tks", "_ltks") || TEXT_FIELDS.include?(field)
              return frozen(Base::Validation.text(name, value))
            end
            return keywords(name, value) if keyword_field?(field)
            return Base::Validation.integer(name, value) if field == "available_int"

            if field == "pagerank_fea" || field.end_with?("_flt")
              Base::Validation.number(name, value)
            elsif field == "tag_feas" && !value.is_a?(::String) && !value.is_a?(::Hash)
              raise Base::Validation.failure(name, value, "an object of numbers or a JSON text")
            end
            plain(name, value, 0)
          end

          def keywords(name, value)
            return frozen(Base::Validation.text(name, value)) if value.is_a?(::String)
            raise Base::Validation.failure(name, value, "a text or a list of texts") unless value.is_a?(::Array)

            Base::Validation.texts(name, value).map { |text| frozen(text) }.freeze
          end

          def plain(name, value, depth)
            raise InvalidInputError, "#{name} is nested too deeply" if depth > DEEPEST_NESTING

            case value
            when nil, true, false, ::Integer then value
            when ::String then frozen(Base::Validation.text(name, value))
            when ::Float
              raise Base::Validation.failure(name, value, "finite") unless value.finite?

              value
            when ::Hash
              checked = Base::Validation.mapping(name, value)
              checked.to_h do |key, item|
                [frozen(key), plain(Base::Validation.member(name, key), item, depth + 1)]
              end.freeze
            when ::Array
              value.each_with_index.map { |item, index| plain("#{name}[#{index}]", item, depth + 1) }.freeze
            else raise Base::Validation.failure(name, value, "a text, a number, true, false, null, a list or an object")
            end
          end
        end
      end
    end
  end
end
