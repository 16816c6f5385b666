# frozen_string_literal: true

module HybridSearch
  module Retrieving
    # options:begin: made by `bin/conformance make options`

    # The keyword options of {Retriever#query} and {Index#query}:
    # - `similarity_threshold`: the lowest similarity shown; where candidates are reranked also the lowest cosine the
    #   dense leg gives, and none is too low where `vector_similarity_weight` is 0 (RET-4).
    # - `vector_similarity_weight`: the share of the vector in the similarity of a rerank, 0 to 1; the rest is the
    #   text's (RNK-1).
    # - `rerank_model`: an object with `similarity(query, texts)`, or a callable, used instead of the vectors; `query`
    #   asks it for the first `rerank_top_k` (RNK-3).
    # - `rank_feature`: tags of the query, name → number, to meet the documents' tags in a rerank (RNK-5).
    # - `filters`: which documents count at all, as data: `{"metadata.lang": "zh", "page_rank": {"gte": 2}}` (RET-8).
    # - `order_by`: orders the candidates in the place of their similarity: a name, `{"metadata.year": "desc"}`, or a
    #   list of these and of `[name, "asc" or "desc"]` pairs (RET-8).
    # - `match_all`: whether all documents within the filters are shown, without a question (RET-9).
    # - `highlight`: whether chunks carry their text with the matches in `<em>` (DOC-4).
    # - `facets`: names whose values are counted over all results, those on other pages among them (RET-9).
    # - `facet_limit`: how many values a facet shows at the most, 1 to 10000 (RET-9).
    # - `explain`: whether the result carries every part of every score (RET-5).
    # - `profile`: the defaults of `text_leg`, `fusion`, `ranking` and `similarity_threshold` under one name: "balanced"
    #   (the default of an `Index`), "ragflow" (RAGFlow's ranking, the default of a `Retriever`) or "dify" (Dify's
    #   fusion by ranks) (RET-10).
    # - `text_leg`: the query of the text leg: "tree" (RAGFlow's query) or "bm25f" (the question's tokens in all fields
    #   at once) (QRY-11).
    # - `fusion`: the method that fuses the text leg and the dense leg: "weighted_sum", "rrf", "auto" or "min_max"
    #   (FUS-1).
    # - `weights`: the weights of the text and the dense leg in a weighted sum, "t,d" (FUS-1).
    # - `rrf_k`: k of reciprocal rank fusion, at least 0 (FUS-2).
    # - `ranking`: the order of the candidates: "rerank" (reranked by tokens and vectors) or "fused" (the order of their
    #   fusion) (RET-10).
    # - `fail_open`: whether a failing rerank model is a warning (true) or an error (RNK-7).
    # - `rerank_timeout`: seconds a rerank model may take (RNK-7).
    # - `limit`: results on a page, at least 1; the cap `max_results` counts too (CUR-1).
    # - `cursor`: the `next_cursor` of the page before; none: the first page (CUR-3).
    # - `budget`: how many candidates are ranked at the most, at least 1; the cap `max_results` counts too (CUR-1).
    # - `on_index_change`: what a walk does after the index has changed since its first page: "continue" (it goes on) or
    #   "error" (it raises an `InvalidCursorError`) (CUR-3).
    # - `rerank_top_k`: how many of the best candidates the rerank model is asked for, at least 0 (RNK-8).
    # - `rerank_fusion`: the score of a result that the rerank model has scored: "replace" (the model's score) or
    #   "linear" (a weighted sum of the model's score and the similarity) (RNK-8).
    # - `rerank_weight`: the model's share where both count, 0 to 1 (RNK-8).
    # - `rerank_batch_size`: how many texts the model gets at once, at least 1; none: all (RNK-8).
    module QueryOptions
      # Every option of {Retriever#query} with its default.
      DEFAULTS = {
        "similarity_threshold" => 0.2,
        "vector_similarity_weight" => 0.3,
        "rerank_model" => nil,
        "rank_feature" => nil,
        "filters" => nil,
        "order_by" => nil,
        "match_all" => false,
        "highlight" => false,
        "facets" => nil,
        "facet_limit" => 100,
        "explain" => false,
        "profile" => "ragflow",
        "text_leg" => "tree",
        "fusion" => "weighted_sum",
        "weights" => "0.05,0.95",
        "rrf_k" => 60,
        "ranking" => "rerank",
        "fail_open" => true,
        "rerank_timeout" => 30.0,
        "limit" => 10,
        "cursor" => nil,
        "budget" => 1024,
        "on_index_change" => "continue",
        "rerank_top_k" => 64,
        "rerank_fusion" => "replace",
        "rerank_weight" => 0.8,
        "rerank_batch_size" => nil
      }.freeze
    end
    # options:end

    # What one page of a walk by cursor asks for, checked and with its defaults filled in (CUR-1); see {QueryOptions}
    # for what each part means.
    class QueryRequest
      include ShortInspect

      MAX_PAGE_SIZE = 1024
      NO_MODEL = ->(_query, texts) { [0.0] * texts.size }
      private_constant :MAX_PAGE_SIZE, :NO_MODEL

      # @return [RetrievalRequest] what recall and the first stage are asked for: without the model, the budget the
      #   effective one
      attr_reader :retrieval
      # @return [#similarity, #call, nil] the rerank model, nil without
      attr_reader :model
      # @return [Integer] the effective number of results on a page
      attr_reader :limit
      # @return [Object] the cursor as given, nil for the first page
      attr_reader :cursor
      # @return [Boolean] whether a changed index is an error
      attr_reader :refuses_changes
      # @return [Integer] the cap
      attr_reader :max_results
      # @return [Boolean] whether the budget was cut by the cap
      attr_reader :beyond_cap
      # @return [PartialRerank, nil] reranks the head by the model, nil without a model, or where the walk has lost it
      attr_reader :partial

      # @param question [String]
      # @param options [Hash] see {QueryOptions}
      # @param max_results [Integer]
      # @raise [InvalidInputError] an unknown option or a value that is not accepted; the message names it
      # @return [QueryRequest]
      def self.build(question, options, max_results)
        Validation.known("option", options.keys, QueryOptions::DEFAULTS.keys)
        new(question, Profiles.filled(QueryOptions::DEFAULTS, options.transform_keys(&:to_s)), max_results)
      end

      # @api private
      def initialize(question, given, max_results)
        budget = Validation.integer("budget", given["budget"], 1)
        shared = given.slice(*RetrievalOptions::DEFAULTS.keys)
        topk = [budget, max_results].min
        checked = RetrievalRequest.build(question, shared.merge("topk" => topk), MAX_PAGE_SIZE)
        @retrieval = checked.without_model
        @model = checked.rerank_model
        @limit = [Validation.integer("limit", given["limit"], 1), max_results].min
        @cursor = given["cursor"]
        accepted = Profiles::CHOICES["on_index_change"]
        @refuses_changes = Validation.choice("on_index_change", given["on_index_change"], accepted) == "error"
        @max_results = max_results
        @beyond_cap = budget > max_results
        partial = partial_rerank(given)
        @partial = @model.nil? ? nil : partial
        @rerank = {
          "rerank_top_k" => given["rerank_top_k"],
          "rerank_fusion" => given["rerank_fusion"].to_s,
          "rerank_weight" => given["rerank_weight"].to_f
        }.freeze
        freeze
      end

      # @return [Integer] how many candidates are ranked at the most
      def budget
        retrieval.topk
      end

      # @return [QueryRequest] the same request for a walk that a failing model has left
      def without_model
        copy = dup
        copy.instance_variable_set(:@partial, nil)
        copy.freeze
      end

      # What tells requests apart (CUR-3).
      #
      # @param model_failed [Boolean] whether the walk goes on without the model, because it failed on an earlier page
      # @return [String] 16 hex digits
      def fingerprint(model_failed: false)
        asked = {
          "question" => retrieval.question,
          "filters" => retrieval.filters,
          "order_by" => retrieval.order_by,
          "match_all" => retrieval.match_all
        }
        CursorCodec.fingerprint(retrieval.match_all ? asked : asked.merge(of_ranking(model_failed)))
      end

      private

      def of_ranking(model_failed)
        fusion = retrieval.fusion
        {
          "budget" => budget,
          "similarity_threshold" => retrieval.similarity_threshold,
          "vector_similarity_weight" => retrieval.vector_similarity_weight,
          "rank_feature" => retrieval.rank_feature,
          "fusion" => { "method" => fusion.method }.merge(fusion.params),
          "rerank" => model.nil? ? nil : @rerank.merge("failed" => model_failed),
          **(retrieval.text_leg == "tree" ? {} : { "text_leg" => retrieval.text_leg }),
          **(retrieval.fused? ? { "ranking" => retrieval.ranking } : {})
        }
      end

      # The rerank of the head; without a model one that is never asked, so that its options are checked all the same.
      def partial_rerank(given)
        PartialRerank.new(
          model || NO_MODEL,
          rerank_top_k: given["rerank_top_k"],
          rerank_fusion: given["rerank_fusion"],
          rerank_weight: given["rerank_weight"],
          rerank_batch_size: given["rerank_batch_size"],
          fail_open: retrieval.fail_open,
          rerank_timeout: retrieval.rerank_timeout
        )
      end
    end
  end
end
