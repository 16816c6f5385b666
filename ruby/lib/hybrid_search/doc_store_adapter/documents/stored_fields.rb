# frozen_string_literal: true

module HybridSearch
  module Stores
    module Documents
      # Stored values as the rerankers read them (RNK-1, RNK-2, NUM-4), one document after the other.
      #
      # An index that others wrote may hold anything: a value that is not what its field should hold counts as missing,
      # and the reader keeps a note of it, which ends as one warning per field.
      class StoredFields
        include Base::ShortInspect

        class << self
          # @return [Array<String>] the tokens a document is compared by in the hybrid rerank (RNK-1)
          def hybrid_tokens(identifier, fields, reader)
            content = reader.tokens(identifier, fields, "content_ltks").uniq
            title = reader.tokens(identifier, fields, "title_tks")
            important = reader.keywords(identifier, fields, "important_kwd")
            question = reader.tokens(identifier, fields, "question_tks")
            content + (title * 2) + (important * 5) + (question * 6)
          end

          # The tokens a document is compared by, and is shown to a model by, in the model rerank (RNK-2).
          #
          # @return [Array<String>]
          def model_tokens(identifier, fields, reader)
            content = reader.tokens(identifier, fields, "content_ltks")
            title = reader.tokens(identifier, fields, "title_tks")
            content + title + reader.keywords(identifier, fields, "important_kwd")
          end

          # @return [String] the name of the field that holds vectors of a dimension
          def vector_field(dimension)
            "q_#{dimension}_vec"
          end
        end

        def initialize
          @problems = {}
        end

        # @return [Array<String>] the tokens of a token field, a text split at WHITE; missing is no tokens
        def tokens(identifier, fields, name)
          value = fields[name]
          return [] if value.nil?

          Base::Characters.split_white(Base::Validation.text(name, value))
        rescue InvalidInputError
          reject(identifier, name, "a text")
          []
        end

        # @return [Array<String>] the keywords of a document as they are: a list of texts, a single text is one keyword
        def keywords(identifier, fields, name)
          value = fields[name]
          return [] if value.nil?

          value.is_a?(::String) ? [Base::Validation.text(name, value)] : Base::Validation.texts(name, value)
        rescue InvalidInputError
          reject(identifier, name, "a list of texts")
          []
        end

        # A text holds the numbers separated by tabs (RNK-1).
        #
        # @return [Array<Float>, nil] the vector of a document, or nil: missing, or not `dimension` finite numbers with
        #   a finite squared norm
        def vector(identifier, fields, name, dimension)
          value = fields[name]
          return nil if value.nil?

          Base::Validation.vector(name, value.is_a?(::String) ? numbers(name, value) : value, dimension:)
        rescue InvalidInputError, DimensionMismatchError
          reject(identifier, name, "#{dimension} finite numbers with a finite squared norm")
          nil
        end

        # @return [Float] a finite number, or the default when it is missing
        def number(identifier, fields, name, default)
          value = fields[name]
          return default if value.nil?

          Base::Validation.number(name, value)
        rescue InvalidInputError
          reject(identifier, name, "a finite number")
          default
        end

        # Note that a document's value counts as missing.
        #
        # @return [void]
        def reject(identifier, name, accepted)
          (@problems[[name, accepted]] ||= []) << identifier
        end

        # @return [Array<String>] one text per field that was not usable somewhere, in the order they were met
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
