# frozen_string_literal: true

module HybridSearch
  module Retrievers
    # Computes the block of candidates to fetch and rerank for a page, and the page's place in it (RET-3).
    class Window
      include Base::Value

      # The approximate number of candidates in a block.
      BLOCK = 64
      # The number of candidates in a block for pages of one entry.
      BLOCK_OF_SINGLES = 30
      private_constant :BLOCK, :BLOCK_OF_SINGLES

      # @return [Integer] the number of candidates in a block, always a whole number of pages. It is both the size of
      #   the fetched block and the modulus of the slice; if it were not a multiple of the page size, candidates at a
      #   block's edge would be lost (RAGFlow #15434)
      attr_reader :size
      # @return [Integer] the page, from 1
      attr_reader :page
      # @return [Integer] the number of entries on a page, at least 1
      attr_reader :page_size

      # @return [Window] the window of a page; see {length} for the arguments
      def self.of(page, page_size, top, with_model)
        new(size: length(page_size, top, with_model), page:, page_size:)
      end

      # Return the number of candidates in a block: about `BLOCK`.
      #
      # @param page_size [Integer] the number of entries on a page, at least 1
      # @param top [Integer] the number of retrieved candidates, at least 1
      # @param with_model [Boolean] whether a rerank model scores the block, which then never reaches far beyond `top`
      # @return [Integer]
      def self.length(page_size, top, with_model)
        return with_model ? [BLOCK_OF_SINGLES, top].min : BLOCK_OF_SINGLES if page_size <= 1

        length = -(-BLOCK / page_size) * page_size
        length = [length, -(-top / page_size) * page_size].min if with_model
        length
      end

      def initialize(size:, page:, page_size:)
        @size = size
        @page = page
        @page_size = page_size
        freeze
      end

      # @return [Integer] the number of entries on the previous pages
      def offset
        (page - 1) * page_size
      end

      # @return [Integer] the position of the block's first candidate among all
      def first
        offset / size * size
      end

      # @return [Integer] the position in the ranked block where the page begins
      def begin
        offset % size
      end

      # @return [Integer] the position in the ranked block where the page ends, exclusive
      def end
        self.begin + page_size
      end

      # @param passing [Integer] the number of candidates of the block that reach the threshold
      # @param total [Integer] the number of all candidates
      # @return [Boolean] whether a later page may show entries
      def has_more?(passing, total)
        self.end < passing || first + size < total
      end
    end
  end
end
