# frozen_string_literal: true

module HybridSearch
  module Retrievers
    # The block of candidates that is fetched and reranked together, and a page's place in it (RET-3).
    class Window
      include Base::Value

      # @return [Integer] how many candidates a block holds, always a whole number of pages. It is both the block that
      #   is fetched and the modulus of the slice; were it no multiple of the page size, candidates at a block's edge
      #   would be lost (RAGFlow #15434).
      attr_reader :size
      # @return [Integer] the page, from 1
      attr_reader :page
      # @return [Integer] entries on a page, at least 1
      attr_reader :page_size

      # @return [Window] the window of a page; see {length} for what it takes
      def self.of(page, page_size, top, with_model)
        new(size: length(page_size, top, with_model), page:, page_size:)
      end

      # How many candidates a block holds: about 64.
      #
      # @param page_size [Integer] entries on a page, at least 1
      # @param top [Integer] how many candidates are retrieved in all, at least 1
      # @param with_model [Boolean] whether a rerank model scores the block; then it never reaches far beyond `top`
      # @return [Integer]
      def self.length(page_size, top, with_model)
        return with_model ? [30, top].min : 30 if page_size <= 1

        length = -(-64 / page_size) * page_size
        length = [length, -(-top / page_size) * page_size].min if with_model
        length
      end

      def initialize(size:, page:, page_size:)
        @size = size
        @page = page
        @page_size = page_size
        freeze
      end

      # @return [Integer] how many entries stand on the pages before
      def offset
        (page - 1) * page_size
      end

      # @return [Integer] the place of the block's first candidate among all
      def first
        offset / size * size
      end

      # @return [Integer] the place in the ranked block where the page begins
      def begin
        offset % size
      end

      # @return [Integer] the place in the ranked block where the page has ended
      def end
        self.begin + page_size
      end

      # @param passing [Integer] how many candidates of the block pass the threshold
      # @param total [Integer] how many candidates there are in all
      # @return [Boolean] whether a later page may show something
      def has_more?(passing, total)
        self.end < passing || first + size < total
      end
    end
  end
end
