# frozen_string_literal: true

module HybridSearch
  module Stores
    # The checked arguments of {DocStoreAdapter#search} (DOC-1).
    class StoreSearch
      include Base::ShortInspect

      # @return [Array<String>, nil]
      attr_reader :selected
      # @return [Queries::MatchExprs]
      attr_reader :match
      # @return [AdapterKit::Filters]
      attr_reader :filters
      # @return [Queries::SortOrder]
      attr_reader :order
      # @return [Queries::RecallFeatures, nil] the features that count in the text leg
      attr_reader :features
      # @return [Integer]
      attr_reader :offset, :limit
      # @return [Array<String>]
      attr_reader :highlight_fields, :agg_fields, :keywords
      # @return [Boolean] whether {AdapterKit::SearchResult#documents} are asked for
      attr_reader :documents

      # @raise [InvalidInputError] an argument is not acceptable; the message names it
      def initialize(select_fields:, filters:, match_exprs:, order_by:, limit:, offset:, rank_feature:,
                     highlight_fields:, agg_fields:, keywords:, documents: false)
        @selected = select_fields.nil? ? nil : Base::Validation.texts("select_fields", select_fields)
        @match = Queries::MatchExprs.new(match_exprs)
        @filters = filters.is_a?(AdapterKit::Filters) ? filters : AdapterKit::Filters.new(filters)
        @order = order_by == [] ? Queries::SortOrder::NONE : Queries::SortOrder.new(order_by)
        @offset = Base::Validation.integer("offset", offset, 0)
        @limit = Base::Validation.integer("limit", limit, 0)
        @features = Queries::RecallFeatures.of(rank_feature)
        @highlight_fields = Base::Validation.texts("highlight_fields", highlight_fields)
        @agg_fields = Base::Validation.texts("agg_fields", agg_fields)
        @keywords = Base::Validation.texts("keywords", keywords)
        @documents = documents
        freeze
      end

      # @return [Boolean] whether the search asks for nothing but the ids and scores of documents
      def shows_ids_alone?
        @selected == [] && @highlight_fields.empty?
      end

      # @return [Boolean] whether the search asks for a slice of all documents and nothing else
      def listing?
        @match.empty? && @agg_fields.empty?
      end
    end

    # A store that checks the arguments of a search in the same way as every store of this library (DOC-1). Subclasses
    # have `find(wanted)`, which returns the result of a search, and `ranking(match, filters)`.
    #
    # @abstract
    class CheckedStore < DocStoreAdapter
      # @param store [DocStoreAdapter]
      # @return [Boolean] whether its `search` accepts parsed filters; a subclass may have a `search` of its own
      def self.takes_parsed?(store)
        store.method(:search).owner.equal?(CheckedStore)
      end

      # See {DocStoreAdapter#search}; `documents` asks for {AdapterKit::SearchResult#documents}.
      def search(select_fields: nil, filters: nil, match_exprs: [], order_by: [], limit: 10, offset: 0,
                 rank_feature: nil, highlight_fields: [], agg_fields: [], keywords: [], documents: false)
        find(StoreSearch.new(select_fields:, filters:, match_exprs:, order_by:, limit:, offset:, rank_feature:,
                             highlight_fields:, agg_fields:, keywords:, documents:))
      end

      # @see DocStoreAdapter#rank
      def rank(match_exprs, filters = nil)
        ranking(Queries::MatchExprs.new(match_exprs), AdapterKit::Filters.new(filters))
      end
    end
  end
end
