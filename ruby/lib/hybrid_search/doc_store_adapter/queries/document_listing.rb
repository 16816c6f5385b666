# frozen_string_literal: true

module HybridSearch
  module Stores
    module Queries
      # A stretch of all documents that pass filters (DOC-1).
      class DocumentListing
        include Base::ShortInspect

        # @return [Integer] how many there are in all
        attr_reader :total
        # @return [Array<String>] the ids of those that are shown
        attr_reader :identifiers

        # @param identifiers [Array<String>] the ids of all, in any order
        # @param order [SortOrder] what decides before ids do, ascending
        # @param offset [Integer] where the stretch begins
        # @param limit [Integer] how many are shown at the most
        # @yieldparam path [Documents::FieldPath]
        # @yieldparam identifiers [Array<String>]
        # @yieldreturn [Array<Object, nil>] what these documents have there
        # @return [DocumentListing] a stretch of some documents
        def self.of(identifiers, order, offset, limit)
          ranking = identifiers.sort.map { |identifier| [identifier, 0.0] }
          ranking = order.arrange(ranking) { |path| yield(path, ranking.map(&:first)) }
          new(ranking.size, Base::Slices.part(ranking, offset, limit).map(&:first))
        end

        def initialize(total, identifiers)
          @total = total
          @identifiers = identifiers
          freeze
        end
      end
    end
  end
end
