# frozen_string_literal: true

module HybridSearch
  # One result of a walk by cursor: a chunk, and what decided its place (CUR-4).
  #
  # `similarity` is the score of the first stage, made of its parts as {Chunk} says; a model does not change it.
  class QueryHit < Chunk
    # @return [Integer] 0 if the rerank model scored it, else 1; all of tier 0 come first (ORD-2)
    attr_reader :tier
    # @return [Float] what it is ranked by within its tier: the model's score, alone or mixed, or the similarity
    attr_reader :score
    # @return [Float, nil] the model's score on 0 to 1, nil in tier 1
    attr_reader :model_score
    # @return [Float, nil] the similarity, min-max over what the model scored, where it was mixed in
    attr_reader :normalized_score

    def initialize(chunk_id:, doc_id:, docnm_kwd:, kb_id:, content_ltks:, content_with_weight:, important_kwd:,
                   positions:, similarity:, term_similarity:, vector_similarity:, rank_feature:, highlight: nil,
                   metadata: {}, tier: 1, score: 0.0, model_score: nil, normalized_score: nil)
      @tier = tier
      @score = score
      @model_score = model_score
      @normalized_score = normalized_score
      super(chunk_id:, doc_id:, docnm_kwd:, kb_id:, content_ltks:, content_with_weight:, important_kwd:, positions:,
            similarity:, term_similarity:, vector_similarity:, rank_feature:, highlight:, metadata:)
    end
  end

  # Where a page of a walk stands (CUR-4).
  class Paging
    include Value

    # @return [Integer] how many results a page has at the most, after the cap
    attr_reader :limit
    # @return [Integer] how many this one has
    attr_reader :returned
    # @return [Integer] how many were shown before it
    attr_reader :position
    # @return [Integer] how many candidates are ranked at the most, after the cap
    attr_reader :budget
    # @return [Integer] the cap over all pages
    attr_reader :max_results
    # @return [Boolean] whether there are candidates, or results, that the cap withholds
    attr_reader :capped
    # @return [Boolean] whether the index has changed since the first page
    attr_reader :index_changed

    alias capped? capped
    alias index_changed? index_changed

    def initialize(limit:, returned:, position:, budget:, max_results:, capped:, index_changed:)
      @limit = limit
      @returned = returned
      @position = position
      @budget = budget
      @max_results = max_results
      @capped = capped
      @index_changed = index_changed
      freeze
    end
  end

  # One page of a walk (CUR-4).
  class QueryResult
    include Listing
    include Value

    # @return [Array<QueryHit>] the page's hits, best first
    attr_reader :results
    # @return [String, nil] what leads to the next page, nil where nothing follows or the cap is reached
    attr_reader :next_cursor
    # @return [Paging] where the page stands
    attr_reader :paging
    # @return [Array<String>] what went wrong without stopping the query
    attr_reader :warnings
    # @return [Hash{String=>Array<Hash{String=>Object}>}, nil] name → value and count over all results, by count
    #   descending, then value; nil unless asked for
    attr_reader :facets
    # @return [Hash{String=>Object}, nil] how the ranking came about, nil unless asked for
    attr_reader :explain

    def initialize(results:, next_cursor:, paging:, warnings: [], facets: nil, explain: nil)
      @results = results.freeze
      @next_cursor = next_cursor
      @paging = paging
      @warnings = warnings.freeze
      @facets = facets.freeze
      @explain = explain
      freeze
    end

    # @return [Hash{String=>Object}] the page as plain data; `facets` and `explain` only where they were asked for
    def to_h
      plain = {
        "results" => results.map(&:to_h),
        "next_cursor" => next_cursor,
        "paging" => paging.to_h,
        "warnings" => warnings.dup
      }
      plain["facets"] = facets.transform_values { |entries| entries.map(&:dup) } unless facets.nil?
      plain["explain"] = explain unless explain.nil?
      plain
    end

    private

    def items
      results
    end
  end
end
