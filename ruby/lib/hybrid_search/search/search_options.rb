# frozen_string_literal: true

module HybridSearch
  module Searching
    # options:begin: made by `bin/conformance make options`

    # The keyword options of {Index#search}:
    # - `vector`: a vector whose nearest documents are found; with a question both legs are given, without one this leg
    #   alone (IDX-6).
    # - `limit`: the number of hits on a page, at least 1; at most `max_results` (CUR-1).
    # - `page`: the number of the page, from 1; not set, or not a number of 1 or more: the first page (CUR-1).
    # - `cursor`: the `next_cursor` of the page before, instead of a page number (CUR-3).
    # - `candidates`: the number of candidates that each leg, and their fusion, returns: at most this many documents are
    #   ranked, at least 1; at most `max_results` (CUR-1).
    # - `min_score`: the lowest score of a hit; scores are relative to the best candidate (RET-4).
    # - `min_cosine`: the lowest cosine of question and document of a hit, -1 to 1; documents without a vector are not
    #   shown (IDX-6).
    # - `vector_similarity_weight`: the share of the vector in the similarity of a rerank, 0 to 1; the rest is the
    #   text's (RNK-1).
    # - `rerank_model`: an object with `similarity(query, texts)`, or a callable, that scores the first `rerank_top_k`
    #   candidates (RNK-3).
    # - `rank_feature`: tags of the query, name → number, to meet the documents' tags in a rerank (RNK-5).
    # - `filters`: which documents count at all, as data: `{"metadata.lang": "zh", "page_rank": {"gte": 2}}` (RET-8).
    # - `order_by`: orders the candidates in the place of their similarity: `[name, "asc" or "desc"]` pairs; a name, or
    #   an object of names and directions, will do (RET-8).
    # - `match_all`: whether all documents within the filters are shown, without a question (RET-9).
    # - `highlight`: whether hits carry their content with the matches in `<em>` (DOC-4).
    # - `facets`: names whose values are counted over all hits, on every page (RET-9).
    # - `facet_limit`: how many values a facet shows at the most, 1 to 10000 (RET-9).
    # - `explain`: whether the result carries every part of every score (RET-5).
    # - `include`: what hits carry besides: "vector", "tokens" (IDX-6).
    # - `profile`: the defaults of `text_leg`, `fusion`, `ranking` and `min_score` under one name: "balanced" (the
    #   default), "ragflow" (RAGFlow's ranking) or "dify" (Dify's fusion by ranks) (RET-10).
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
    # - `on_index_change`: what a walk does after the index has changed since its first page: "continue" (it goes on) or
    #   "error" (it fails with an `InvalidCursorError`) (CUR-3).
    # - `rerank_top_k`: how many of the best candidates the rerank model is asked for, at least 0 (RNK-8).
    # - `rerank_fusion`: the score of a result that the rerank model has scored: "replace" (the model's score) or
    #   "linear" (a weighted sum of the model's score and the similarity) (RNK-8).
    # - `rerank_weight`: the model's share where both count, 0 to 1 (RNK-8).
    # - `rerank_batch_size`: how many texts the model gets at once, at least 1; none: all (RNK-8).
    module SearchOptions
      # Every option of {Index#search} with its default.
      DEFAULTS = {
        "vector" => nil,
        "limit" => 10,
        "page" => nil,
        "cursor" => nil,
        "candidates" => 1024,
        "min_score" => 0.0,
        "min_cosine" => nil,
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
        "include" => [],
        "profile" => "balanced",
        "text_leg" => "bm25f",
        "fusion" => "auto",
        "weights" => "0.05,0.95",
        "rrf_k" => 60,
        "ranking" => "fused",
        "fail_open" => true,
        "rerank_timeout" => 30.0,
        "on_index_change" => "continue",
        "rerank_top_k" => 64,
        "rerank_fusion" => "replace",
        "rerank_weight" => 0.8,
        "rerank_batch_size" => nil
      }.freeze

      # Those that an {Index} does not take as defaults.
      ONCE = %w[vector page cursor].freeze
    end
    # options:end
  end
end
