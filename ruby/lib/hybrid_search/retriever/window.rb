# frozen_string_literal: true

module HybridSearch
  # The block of candidates that is fetched and reranked together (RET-3).
  module RerankWindow
    module_function

    # How many candidates a block holds: about 64, always a whole number of pages.
    #
    # It is both the block fetched (offset / window) and the modulus of the slice (offset % window); were it no
    # multiple of the page size, candidates at a block's edge would be lost (RAGFlow #15434).
    #
    # @param page_size [Integer] entries on a page, at least 1
    # @param top [Integer] how many candidates are retrieved in all, at least 1
    # @param with_model [Boolean] whether a rerank model scores the block; then it never reaches far beyond `top`
    # @return [Integer]
    def rerank_window(page_size, top, with_model)
      return with_model ? [30, top].min : 30 if page_size <= 1

      window = -(-64 / page_size) * page_size
      window = [window, -(-top / page_size) * page_size].min if with_model
      window
    end
  end
end
