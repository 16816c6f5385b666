# frozen_string_literal: true

module HybridSearch
  # One hit (RET-5).
  #
  # `similarity` is `vtweight·vector_similarity + tkweight·term_similarity + rank_feature`, unless the result's
  # `explain` states another formula (RNK-1).
  class Chunk
    include Base::Value

    # @return [String] the document's id in the store
    attr_reader :chunk_id
    # @return [String] the id of the document the chunk is part of
    attr_reader :doc_id
    # @return [String] the name of that document
    attr_reader :docnm_kwd
    # @return [String] the knowledge base it belongs to, "" if none
    attr_reader :kb_id
    # @return [String] the tokens of the content, joined by blanks
    attr_reader :content_ltks
    # @return [String] the content as given
    attr_reader :content_with_weight
    # @return [Array<String>] its keywords
    attr_reader :important_kwd
    # @return [Array] its positions in the document
    attr_reader :positions
    # @return [Float] the score by which the page is ordered
    attr_reader :similarity
    # @return [Float] 0 to 1 (QRY-9)
    attr_reader :term_similarity
    # @return [Float] the cosine, or the model's score
    attr_reader :vector_similarity
    # @return [Float] page rank plus tag part (RNK-5)
    attr_reader :rank_feature
    # @return [String, nil] the content with matches marked, nil unless requested (DOC-4)
    attr_reader :highlight
    # @return [Hash{String=>Object}] the record's `metadata`, {} if it had none
    attr_reader :metadata

    # The names in records (IDX-1).
    alias content content_with_weight
    alias document_name docnm_kwd
    alias keywords important_kwd

    def initialize(chunk_id:, doc_id:, docnm_kwd:, kb_id:, content_ltks:, content_with_weight:, important_kwd:,
                   positions:, similarity:, term_similarity:, vector_similarity:, rank_feature:, highlight: nil,
                   metadata: {})
      @chunk_id = chunk_id
      @doc_id = doc_id
      @docnm_kwd = docnm_kwd
      @kb_id = kb_id
      @content_ltks = content_ltks
      @content_with_weight = content_with_weight
      @important_kwd = important_kwd
      @positions = positions
      @similarity = similarity
      @term_similarity = term_similarity
      @vector_similarity = vector_similarity
      @rank_feature = rank_feature
      @highlight = highlight
      @metadata = metadata
      freeze
    end

    # @return [Hash{String=>Object}] the chunk as plain data; `highlight` only if it was requested
    def to_h
      plain = super
      plain.delete("highlight") if highlight.nil?
      plain
    end
  end

  # One page (RET-5).
  #
  # With full pages (RET-7) `total` and `pages` are the same on every page of a walk, as "page 3 of 12" requires. With
  # RAGFlow's windows, `total` counts candidates, as RAGFlow does, some of which the threshold may exclude.
  class RetrievalResult
    include Base::Listing
    include Base::Value

    # @return [Integer] the number of entries that all pages together show, at most `topk`; with windows, the number of
    #   candidates that the store matched, at most `topk`
    attr_reader :total
    # @return [Integer] the number of candidates of the page's block that reach the threshold; with full pages, `total`
    attr_reader :window_total
    # @return [Array<Chunk>] the page's hits, best first
    attr_reader :chunks
    # @return [Array<Hash{String=>Object}>] doc_name, doc_id, count over the entries of the blocks that were ranked for
    #   this page, by count descending, then name
    attr_reader :doc_aggs
    # @return [Integer] the page shown, from 1
    attr_reader :page
    # @return [Boolean] whether a later page shows entries; with windows, whether it may
    attr_reader :has_more
    # @return [Hash{String=>Float}] milliseconds of `recall`, `rerank` and `total`
    attr_reader :timings
    # @return [Array<String>] problems that did not stop the retrieval
    attr_reader :warnings
    # @return [Hash{String=>Object}, nil] every part of every score, nil unless requested
    attr_reader :explain
    # @return [Integer] the number of entries on a full page
    attr_reader :page_size
    # @return [Boolean] whether more entries may match than `total` counts: the store matched as many as `topk` permits
    attr_reader :total_is_lower_bound
    # @return [Boolean] whether fewer entries may be shown than `total` counts: it includes candidates that a rerank
    #   model has not scored, some of which the threshold may exclude
    attr_reader :total_is_upper_bound
    # @return [Boolean] whether pages have no gaps
    attr_reader :full_pages
    # @return [Hash{String=>Array<Hash{String=>Object}>}, nil] name → value and count over all entries of `total`, by
    #   count descending, then value; nil unless requested
    attr_reader :facets

    def initialize(total:, window_total:, chunks:, doc_aggs:, page:, has_more:, timings:, warnings: [], explain: nil,
                   page_size: 10, total_is_lower_bound: false, full_pages: false, facets: nil,
                   total_is_upper_bound: false)
      @total = total
      @window_total = window_total
      @chunks = chunks.freeze
      @doc_aggs = doc_aggs.freeze
      @page = page
      @has_more = has_more
      @timings = timings.freeze
      @warnings = warnings.freeze
      @explain = explain
      @page_size = page_size
      @total_is_lower_bound = total_is_lower_bound
      @total_is_upper_bound = total_is_upper_bound
      @full_pages = full_pages
      @facets = facets.freeze
      freeze
    end

    # @return [Integer] the number of pages: `total` divided by `page_size`, rounded up; a bound if `total` is one
    def pages
      -(-total / page_size)
    end

    alias has_more? has_more
    alias total_is_lower_bound? total_is_lower_bound
    alias total_is_upper_bound? total_is_upper_bound
    alias full_pages? full_pages

    # Return the result as data. With windows it has RAGFlow's keys. `total_is_upper_bound` is present only if it is
    # true.
    #
    # @return [Hash{String=>Object}] the result as plain data; `explain` and `facets` only if they were requested, and
    #   the numbers of pages only with full pages
    def to_h
      plain = {
        "total" => total,
        "window_total" => window_total,
        "chunks" => chunks.map(&:to_h),
        "doc_aggs" => doc_aggs.map(&:dup),
        "page" => page,
        "has_more" => has_more,
        "timings" => timings.dup,
        "warnings" => warnings.dup
      }
      if full_pages
        plain.update("page_size" => page_size, "pages" => pages, "total_is_lower_bound" => total_is_lower_bound)
      end
      plain["total_is_upper_bound"] = true if full_pages && total_is_upper_bound
      plain["explain"] = explain unless explain.nil?
      plain["facets"] = facets.transform_values { |entries| entries.map(&:dup) } unless facets.nil?
      plain
    end

    private

    def items
      chunks
    end
  end
end
