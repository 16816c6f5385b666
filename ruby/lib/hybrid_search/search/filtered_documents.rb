# frozen_string_literal: true

module HybridSearch
  module Search
    # Reads documents that are shown because a hit leads to them, such as its parent: only those within the filters of
    # the search (ARR-5).
    class FilteredDocuments
      include Base::ShortInspect

      AVAILABLE = "available_int"

      # @param store [DocStoreAdapter] the documents
      # @param filters [AdapterKit::Filters] the filters
      def initialize(store, filters)
        @store = store
        @filters = filters
        freeze
      end

      # @param asked [Hash{String=>Hash, nil}] id → the document whose availability counts instead of its own; nil for
      #   its own
      # @return [Hash{String=>Hash}] id → document, without those that are missing or do not pass the filters
      def of(asked)
        found = asked.keys.zip(@store.get_many(asked.keys)).to_h
        found.select { |name, document| document && accepts?(name, document, asked.fetch(name)) }
      end

      private

      def accepts?(identifier, document, leading)
        vectors, fields = document.partition { |name, _| Stores::Documents::StoredDocument.vector_field?(name) }
        fields = fields.to_h
        fields = fields.except(AVAILABLE).merge(leading.slice(AVAILABLE)) unless leading.nil?
        @filters.accepts?(identifier, fields, vectors.map(&:first))
      end
    end
  end
end
