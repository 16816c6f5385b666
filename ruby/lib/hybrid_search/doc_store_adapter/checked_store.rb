# frozen_string_literal: true

module HybridSearch
  module Stores
    # A store whose searches come with checked arguments (DOC-1): they are checked in the same way for every store of
    # this library. Subclasses have `find(wanted)`, the answer to a search, and `ranking(match, filters)`.
    #
    # @abstract
    class CheckedStore < DocStoreAdapter
      # @param store [DocStoreAdapter]
      # @return [Boolean] whether its `search` takes filters that are parsed: a subclass may have another one
      def self.takes_parsed?(store)
        store.method(:search).owner.equal?(CheckedStore)
      end

      # @see DocStoreAdapter#search
      def search(select_fields: nil, filters: nil, match_exprs: [], order_by: [], limit: 10, offset: 0,
                 rank_feature: nil, highlight_fields: [], agg_fields: [], keywords: [])
        find(Queries::StoreSearch.new(select_fields:, filters:, match_exprs:, order_by:, limit:, offset:, rank_feature:,
                                      highlight_fields:, agg_fields:, keywords:))
      end

      # @see DocStoreAdapter#rank
      def rank(match_exprs, filters = nil)
        ranking(Queries::MatchExprs.new(match_exprs), AdapterKit::Filters.new(filters))
      end
    end
  end
end
