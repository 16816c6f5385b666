# frozen_string_literal: true

module HybridSearch
  module Records
    # Documents that filters choose, whether available or not (IDX-6).
    module Selection
      # The number of documents that are removed at once.
      BATCH = 1024

      module_function

      # @param filters [Object]
      # @param may_be_empty [Boolean]
      # @return [Hash{String=>Object}] filters in the names of the store
      # @raise [InvalidInputError] they are not acceptable, or hold no condition where they must
      def read(filters, may_be_empty: true)
        found = Storing::FilterParser.new(Retrieving::FieldWords.new).parse(filters).data
        if found.empty? && !may_be_empty
          raise InvalidInputError, "filters must hold at least one condition; clear removes all documents"
        end

        found
      end

      # @param store [DocStoreAdapter]
      # @param filters [Hash{String=>Object}] in the names of the store
      # @return [Integer] the number of documents that pass
      def count(store, filters)
        store.search(select_fields: [], filters:, limit: 0).total
      end

      # Remove the documents that pass, batch by batch.
      #
      # @param store [DocStoreAdapter]
      # @param writer [RecordWriter]
      # @param filters [Hash{String=>Object}] in the names of the store
      # @return [Integer] the number of documents that were removed
      def delete(store, writer, filters)
        removed = 0
        loop do
          ids = store.search(select_fields: [], filters:, limit: BATCH).ids
          break if ids.empty?

          deleted = writer.delete(ids)
          removed += deleted
          break if deleted.zero? # others have removed them, or a store that has not caught up shows them again
        end
        removed
      end
    end
  end
end
