# frozen_string_literal: true

module HybridSearch
  module Stores
    module Queries
      # A slice of all documents that pass filters (DOC-1).
      class DocumentListing
        include Base::ShortInspect

        # @return [Integer] the number of all documents that pass
        attr_reader :total
        # @return [Array<String>] the ids of the documents in the slice
        attr_reader :identifiers

        # Sort documents and return a slice of them.
        #
        # @param identifiers [Array<String>] the ids of all documents that pass, in any order
        # @param order [SortOrder] the order; ids in ascending order break ties
        # @param offset [Integer] the position at which the slice begins
        # @param limit [Integer] the maximum number of documents in the slice
        # @yieldparam path [Documents::FieldPath]
        # @yieldparam identifiers [Array<String>]
        # @yieldreturn [Array<Object, nil>] the values of these documents at the path
        # @return [DocumentListing]
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
