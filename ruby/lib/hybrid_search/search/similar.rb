# frozen_string_literal: true

module HybridSearch
  module Search
    # Makes the search for documents that are similar to a stored one (IDX-6).
    module Similar
      # The maximum number of characters that are compared of a document without a vector.
      LONGEST_TEXT = 1024

      module_function

      # @param store [DocStoreAdapter] the documents
      # @param identifier [String] the id of the stored document
      # @param options [Hash{Symbol=>Object}] as given, with the filters of the call or of the index
      # @return [Array(String, Hash{Symbol=>Object})] the question and the options of the search for similar documents
      # @raise [InvalidInputError] the document does not exist, or a vector is given
      def similar_search(store, identifier, options)
        options = options.transform_keys(&:to_sym)
        raise InvalidInputError, "vector must not be set: it is that of the document" unless options[:vector].nil?

        document = store.get(identifier)
        if document.nil?
          raise InvalidInputError, "id must be that of a stored document, not #{Base::Validation.describe(identifier)}"
        end

        vector = Records::RecordOf.vector_of(document)
        others = { "not" => { "id" => identifier } }
        filters = options[:filters]
        filters = filters.nil? ? others : { "all" => [filters, others] }
        [vector.nil? ? text(document) : "", { **options, vector:, filters:, rewrite: nil }]
      end

      def text(document)
        record = Records::RecordOf.record(document)
        "#{record.fetch("title", "")} #{record["content"]}"[0, LONGEST_TEXT]
      end
      private_class_method :text
    end
  end
end
