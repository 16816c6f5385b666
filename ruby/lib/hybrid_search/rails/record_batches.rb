# frozen_string_literal: true

module HybridSearch
  module Rails
    # All records of a model for a new index, in the order of their primary key, read in batches.
    class RecordBatches
      include Base::ShortInspect

      # @param index [ModelIndex]
      # @param size [Integer] the number of rows that are read at once
      def initialize(index, size)
        @index = index
        @size = Base::Validation.integer("batch_size", size, 1)
      end

      # @return [Integer] the number of rows
      def total
        @index.relation.except(:order, :select).count(:all)
      end

      # @param last [String, nil] the id of the record that an earlier call read last; nil: from the beginning
      # @return [Enumerator<Hash{String=>Object}>] the records in the index of all later rows
      def after(last)
        Enumerator.new do |records|
          rows(last) { |row| @index.records(row).each { |record| records << record } }
        end
      end

      private

      def rows(last, &)
        key = @index.model.primary_key
        relation = @index.relation.reorder(nil)
        if last
          relation = relation.where(@index.model.arel_table[key].gt(@index.model.type_for_attribute(key).cast(last)))
        end
        relation.find_each(batch_size: @size, &)
      end
    end
  end
end
