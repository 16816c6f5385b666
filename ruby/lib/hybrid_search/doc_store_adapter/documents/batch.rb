# frozen_string_literal: true

module HybridSearch
  module Stores
    module Documents
      # Checks a whole batch of documents before a store is changed (DOC-1).
      module Batch
        module_function

        # @param documents [Array<Hash>]
        # @return [Array<StoredDocument>] checked copies, each with a different id
        # @raise [InvalidInputError] the argument is not a list, a document is not acceptable, or an id is repeated
        # @raise [DimensionMismatchError] the length of a vector is not the one in the name of its field
        def accept(documents)
          raise Base::Validation.failure("documents", documents, "a list of documents") unless documents.is_a?(::Array)

          accepted = documents.each_with_index.map do |document, index|
            StoredDocument.accept("documents[#{index}]", document)
          end
          seen = {}
          accepted.each_with_index do |document, index|
            raise wrong(index, document, "is given twice") if seen.key?(document.identifier)

            seen[document.identifier] = true
          end
          accepted
        end

        # Refuse to insert a document that is already stored.
        #
        # @param accepted [Array<StoredDocument>]
        # @yieldparam identifier [String]
        # @yieldreturn [Boolean] whether it is stored
        # @return [void]
        # @raise [InvalidInputError] a document is already stored
        def check_new(accepted)
          accepted.each_with_index do |document, index|
            raise wrong(index, document, "is already stored; use update or upsert") if yield(document.identifier)
          end
        end

        # Return the documents that an update changes, in their new form.
        #
        # Given fields replace the stored ones; nil removes a field. Unchanged documents are omitted.
        #
        # @param accepted [Array<StoredDocument>]
        # @yieldparam identifier [String]
        # @yieldreturn [StoredDocument, nil] the stored document
        # @return [Array<StoredDocument>]
        # @raise [InvalidInputError] a document is not stored
        def changes(accepted)
          merged = accepted.each_with_index.map do |document, index|
            before = yield(document.identifier)
            raise wrong(index, document, "is not stored; use insert or upsert") if before.nil?

            after = merge(before, document)
            after unless same?(before, after)
          end
          merged.compact
        end

        # @param accepted [Array<StoredDocument>]
        # @yieldparam identifier [String]
        # @yieldreturn [StoredDocument, nil] the stored document
        # @return [Array<StoredDocument>] the documents that an upsert stores: new ones and changed ones; unchanged
        #   documents are omitted
        def replacements(accepted)
          accepted.reject do |document|
            before = yield(document.identifier)
            before && same?(before, document)
          end
        end

        def same?(stored, given)
          StoredDocument.same_value?(stored.fields, given.fields) && stored.vectors == given.vectors
        end
        private_class_method :same?

        def merge(stored, given)
          missing = given.missing.to_h { |name| [name, true] }
          fields = stored.fields.merge(given.fields).reject { |name, _| missing.key?(name) }
          vectors = stored.vectors.merge(given.vectors).reject { |name, _| missing.key?(name) }
          StoredDocument.new(stored.identifier, fields, vectors)
        end
        private_class_method :merge

        def wrong(index, document, what)
          InvalidInputError.new("documents[#{index}].id #{Base::Validation.describe(document.identifier)} #{what}")
        end
        private_class_method :wrong
      end
    end
  end
end
