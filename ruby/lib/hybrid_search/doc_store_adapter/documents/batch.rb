# frozen_string_literal: true

module HybridSearch
  module Stores
    module Documents
      # What a batch of documents does to a store (DOC-1): checked as a whole, before anything is changed.
      module Batch
        module_function

        # @param documents [Array<Hash>]
        # @return [Array<StoredDocument>] checked copies, each with an id of its own
        # @raise [InvalidInputError] no list, a document that is not acceptable, an id that is given twice
        # @raise [DimensionMismatchError] a vector whose length is not the one its field's name gives
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

        # Refuse documents to insert that a store has.
        #
        # @param accepted [Array<StoredDocument>]
        # @yieldparam identifier [String]
        # @yieldreturn [Boolean] whether it is stored
        # @return [void]
        # @raise [InvalidInputError] one of them is stored
        def check_new(accepted)
          accepted.each_with_index do |document, index|
            raise wrong(index, document, "is already stored; use update or upsert") if yield(document.identifier)
          end
        end

        # @param accepted [Array<StoredDocument>]
        # @yieldparam identifier [String]
        # @yieldreturn [StoredDocument, nil] the stored document
        # @return [Array<StoredDocument>] what stored documents become by an update: fields given replace, nil removes;
        #   those that stay are left out
        # @raise [InvalidInputError] one of them is not stored
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
        # @return [Array<StoredDocument>] what is stored by an upsert: new documents, and those that replace another as
        #   a whole; others are left out
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
