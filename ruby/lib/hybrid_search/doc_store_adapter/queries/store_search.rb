# frozen_string_literal: true

module HybridSearch
  module Stores
    module Queries
      # What one search of a store in memory asks for (DOC-1): the arguments of {DocStoreAdapter#search}, checked.
      class StoreSearch
        include Base::ShortInspect

        # @return [Array<String>, nil]
        attr_reader :selected
        # @return [MatchExprs]
        attr_reader :match
        # @return [AdapterKit::Filters]
        attr_reader :filters
        # @return [SortOrder]
        attr_reader :order
        # @return [Integer]
        attr_reader :offset, :limit
        # @return [Array<String>]
        attr_reader :highlight_fields, :agg_fields, :keywords

        # @raise [InvalidInputError] an argument is not acceptable; the message names it
        def initialize(select_fields:, filters:, match_exprs:, order_by:, limit:, offset:, rank_feature:,
                       highlight_fields:, agg_fields:, keywords:)
          @selected = select_fields.nil? ? nil : Base::Validation.texts("select_fields", select_fields)
          @match = MatchExprs.new(match_exprs)
          @filters = filters.is_a?(AdapterKit::Filters) ? filters : AdapterKit::Filters.new(filters)
          @order = order_by == [] ? SortOrder::NONE : SortOrder.new(order_by)
          @offset = Base::Validation.integer("offset", offset, 0)
          @limit = Base::Validation.integer("limit", limit, 0)
          Base::Validation.mapping("rank_feature", rank_feature.nil? ? {} : rank_feature)
          @highlight_fields = Base::Validation.texts("highlight_fields", highlight_fields)
          @agg_fields = Base::Validation.texts("agg_fields", agg_fields)
          @keywords = Base::Validation.texts("keywords", keywords)
          freeze
        end

        # @return [Boolean] whether nothing but ids and scores of documents is wanted
        def shows_ids_alone?
          @selected == [] && @highlight_fields.empty?
        end

        # @return [Boolean] whether all documents are wanted, and of them a stretch alone
        def listing?
          @match.empty? && @agg_fields.empty?
        end
      end
    end
  end
end
