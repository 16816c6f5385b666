# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # Lists the documents of a collection in PostgreSQL, in one state of it, and reads only the documents shown (PG-5).
    # Several threads may search at once.
    #
    # In the order of ids, the server continues after the last id of the previous page, along its index of ids. Any
    # other order is computed once, for all documents. The resulting numbers of documents are cached.
    class PostgresListings
      include Base::ShortInspect

      BY_ID = [Stores::Documents::FieldPath.of("id"), false].freeze
      # The number of pages whose places are cached.
      MOST_PAGES = 16
      # The number of listings by fields for which the numbers of all documents are cached.
      MOST_ORDERS = 4
      private_constant :BY_ID, :MOST_PAGES, :MOST_ORDERS

      # @param order [Stores::Queries::SortOrder]
      # @return [Boolean] whether the order is by ascending ids alone
      def self.by_id?(order)
        order.empty? || order.criteria[0] == BY_ID
      end

      def initialize
        @pages = [].freeze
        @orders = {}.freeze
      end

      # @param filters [AdapterKit::Filters]
      # @param mask [String, nil] for each number a byte, 1 if its document passes; nil if all do
      # @param offset [Integer] the number of documents before the slice
      # @param limit [Integer] the maximum number of documents in the slice
      # @param tables [Stores::Postgres::PostgresTables]
      # @return [Hash{String=>Integer}] the ids and numbers of a slice in the order of ids
      def by_id(filters, mask, offset, limit, tables)
        place, last = nearest(filters.key, offset)
        start = last ? "#{last}\0".b : "".b # nothing is between a text and that
        rows = tables.listed(offset - place, limit, start, *PostgresMasks.among(mask, tables))
        @pages = [*@pages.last(MOST_PAGES - 1), [filters.key, offset, rows.keys].freeze].freeze
        rows
      end

      # @param filters [AdapterKit::Filters]
      # @param mask [String, nil] as for {#by_id}
      # @param order [Stores::Queries::SortOrder]
      # @param tables [Stores::Postgres::PostgresTables]
      # @return [String, nil] the numbers of all documents that pass, in an order, each of 32 bits, highest byte first;
      #   nil if the server cannot determine it
      def ordered(filters, mask, order, tables)
        key = [filters.key, order.criteria]
        known = @orders[key] || begin
          expression = Stores::Postgres::PostgresOrder.new(order, tables.connection.statements)
          tables.ordered(expression, *PostgresMasks.among(mask, tables))
        end
        @orders = @orders.to_a.last(MOST_ORDERS - 1).to_h.merge(key => known).freeze if known && !@orders.key?(key)
        known
      rescue Stores::Postgres::PostgresAttributes::UnholdableError
        nil
      end

      private

      # Return the last place, up to that of a slice, whose preceding id is known, and this id.
      def nearest(key, offset)
        known = @pages.filter_map do |filters, first, identifiers|
          place = [offset, first + identifiers.size].min
          [place, identifiers[place - first - 1]] if filters == key && place > first
        end
        known.max_by(&:first) || [0, nil]
      end
    end
  end
end
