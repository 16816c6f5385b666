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
      # @raise [InvalidInputError] they are not acceptable, or pass every document where they must not
      def read(filters, may_be_empty: true)
        parsed = Storing::FilterParser.new(Retrieving::FieldWords.new).parse(filters)
        if !may_be_empty && pass_all?(parsed)
          raise InvalidInputError, "filters must hold a condition that not every document meets; clear removes all"
        end

        parsed.data
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

      # Whether a condition is met by every document, whatever is stored: none asks about a field.
      def pass_all?(condition)
        case condition
        when Storing::FilterConditions::Conjunction then condition.conditions.all? { |part| pass_all?(part) }
        when Storing::FilterConditions::AllOf then condition.filters.all? { |part| pass_all?(part) }
        when Storing::FilterConditions::AnyOf then condition.filters.any? { |part| pass_all?(part) }
        when Storing::FilterConditions::Negation then pass_none?(condition.filters)
        else false
        end
      end

      # Whether a condition is met by no document, whatever is stored.
      def pass_none?(condition)
        case condition
        when Storing::FilterConditions::Conjunction then condition.conditions.any? { |part| pass_none?(part) }
        when Storing::FilterConditions::AllOf then condition.filters.any? { |part| pass_none?(part) }
        when Storing::FilterConditions::AnyOf then condition.filters.all? { |part| pass_none?(part) }
        when Storing::FilterConditions::Negation then pass_all?(condition.filters)
        else false
        end
      end
      private_class_method :pass_all?, :pass_none?
    end
  end
end
