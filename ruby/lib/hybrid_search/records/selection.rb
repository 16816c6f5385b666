# frozen_string_literal: true

module HybridSearch
  module Records
    # Documents that pass filters, whether available or not (IDX-6).
    module Selection
      # The number of documents that are removed at once.
      BATCH = 1024

      module_function

      # @param filters [Object]
      # @param may_be_empty [Boolean]
      # @return [Hash{String=>Object}] filters in the names of the store
      # @raise [InvalidInputError] the filters are not acceptable, or pass every document although they must not
      def read(filters, may_be_empty: true)
        parsed = Stores::Filters::FilterParser.new(Retrievers::FieldWords.new).parse(filters)
        if !may_be_empty && always?(true, parsed)
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
      # @return [Integer] the number of removed documents
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

      # Return whether a condition passes every document (`answer` true) or no document (false) in any store.
      def always?(answer, condition)
        case condition
        when Stores::Filters::FilterConditions::Conjunction then all_or_any?(answer, answer, condition.conditions)
        when Stores::Filters::FilterConditions::AllConditions then all_or_any?(answer, answer, condition.filters)
        when Stores::Filters::FilterConditions::AnyCondition then all_or_any?(!answer, answer, condition.filters)
        when Stores::Filters::FilterConditions::Negation then always?(!answer, condition.filters)
        else false
        end
      end

      def all_or_any?(all, answer, parts)
        all ? parts.all? { |part| always?(answer, part) } : parts.any? { |part| always?(answer, part) }
      end
      private_class_method :always?, :all_or_any?
    end
  end
end
