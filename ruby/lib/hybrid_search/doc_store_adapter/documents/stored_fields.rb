# frozen_string_literal: true

module HybridSearch
  module Stores
    module Documents
      # Reads fields of documents for the rerankers, and records unusable values (RNK-1, RNK-2, NUM-4).
      #
      # An index that other programs wrote may contain any values. A value that its field does not accept counts as
      # missing. The reader records it, and reports one warning per field.
      class StoredFields
        include Base::ShortInspect

        class << self
          # @return [Array<String>] the tokens of a document for the hybrid rerank (RNK-1)
          def hybrid_tokens(identifier, fields, reader)
            content = reader.tokens(identifier, fields, "content_ltks").uniq
            title = reader.tokens(identifier, fields, "title_tks")
            important = reader.keywords(identifier, fields, "important_kwd")
            question = reader.tokens(identifier, fields, "question_tks")
            content + (title * 2) + (important * 5) + (question * 6)
          end

          # Return the tokens of a document for the model rerank, which also sends them to the model (RNK-2).
          #
          # @return [Array<String>]
          def model_tokens(identifier, fields, reader)
            content = reader.tokens(identifier, fields, "content_ltks")
            title = reader.tokens(identifier, fields, "title_tks")
            content + title + reader.keywords(identifier, fields, "important_kwd")
          end

          # @return [String] the name of the field for vectors of a dimension
          def vector_field(dimension)
            "q_#{dimension}_vec"
          end
        end

        def initialize
          @problems = {}
        end

        # @return [Array<String>] the tokens of a token field, a text split at WHITE; a missing field has no tokens
        def tokens(identifier, fields, name)
          value = fields[name]
          return [] if value.nil?

          Base::Characters.split_white(Base::Validation.text(name, value))
        rescue InvalidInputError
          reject(identifier, name, "a text")
          []
        end

        # @return [Array<String>] the keywords of a document unchanged: a list of texts, or a single text as one keyword
        def keywords(identifier, fields, name)
          value = fields[name]
          return [] if value.nil?

          value.is_a?(::String) ? [Base::Validation.text(name, value)] : Base::Validation.texts(name, value)
        rescue InvalidInputError
          reject(identifier, name, "a list of texts")
          []
        end

        # Return the vector of a document, or nil if it is missing or unusable.
        #
        # A usable vector has `dimension` finite numbers with a finite squared norm. A text contains the numbers
        # separated by tabs (RNK-1).
        #
        # @return [Array<Float>, nil]
        def vector(identifier, fields, name, dimension)
          value = fields[name]
          return nil if value.nil?

          Base::Validation.vector(name, value.is_a?(::String) ? numbers(name, value) : value, dimension:)
        rescue InvalidInputError, DimensionMismatchError
          reject(identifier, name, "#{dimension} finite numbers with a finite squared norm")
          nil
        end

        # @return [Float] a finite number, or the default if it is missing
        def number(identifier, fields, name, default)
          value = fields[name]
          return default if value.nil?

          Base::Validation.number(name, value)
        rescue InvalidInputError
          reject(identifier, name, "a finite number")
          default
        end

        # Record that a document's value counts as missing.
        #
        # @return [void]
        def reject(identifier, name, accepted)
          (@problems[[name, accepted]] ||= []) << identifier
        end

        # @return [Array<String>] one warning for each field with unusable values, in the order in which they were found
        def warnings
          @problems.map do |(name, accepted), identifiers|
            "#{name} is not #{accepted} in #{identifiers.size} of the documents and counts as missing there, " \
              "first in #{Base::Validation.describe(identifiers[0])}"
          end
        end

        private

        def numbers(name, text)
          Base::Validation.text(name, text).split("\t", -1).map { |piece| Base::Numeric.parse_decimal(piece) }
        end
      end
    end
  end
end
