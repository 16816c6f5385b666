# frozen_string_literal: true

module HybridSearch
  module Search
    # options:begin: made by `bin/conformance make options`

    # The keyword options of {Index#search}:
    # - `vector`: a query vector; with a question both legs run, without one only the dense leg (IDX-6).
    # - `limit`: the number of hits on a page, at least 1 and at most `max_results` (CUR-1).
    # - `page`: the number of the page, from 1; null, or anything but a number of 1 or more, is the first page (CUR-1).
    # - `cursor`: the `next_cursor` of the previous page, instead of a page number (CUR-3).
    # - `candidates`: the maximum number of candidates of each leg and of their fusion, and so of ranked documents; at
    #   least 1 and at most `max_results` (CUR-1).
    # - `min_score`: the lowest score of a hit; scores are relative to the best candidate (RET-4).
    # - `min_cosine`: the lowest cosine of a hit with the question, -1 to 1; documents without a vector are omitted
    #   (IDX-6).
    # - `vector_similarity_weight`: the share of the vector in the similarity of a rerank, 0 to 1; the rest is the share
    #   of the text (RNK-1).
    # - `rerank_model`: an object with `similarity(query, texts)`, a callable, or the name of a model such as
    #   "fastembed"; it scores the first `rerank_top_k` candidates (RNK-9).
    # - `rank_feature`: tags of the query, name → number; a rerank compares them with the documents' tags (RNK-5).
    # - `rank_feature_recall`: whether `rank_feature` counts in recall too, so that a page rank or a tag may bring a
    #   candidate in (RNK-10).
    # - `rewrite`: a callable that may change the question and add filters before the search, by a language model for
    #   example; it is given the question (RWR-1).
    # - `filters`: the conditions that documents must satisfy, as data: `{"metadata.lang": "zh", "page_rank": {"gte":
    #   2}}` (RET-8).
    # - `order_by`: the fields that order the candidates instead of their similarity: `[name, "asc" or "desc"]` pairs,
    #   one name, or an object of names and directions (RET-8).
    # - `match_all`: whether to return all documents that satisfy the filters, without a question (RET-9).
    # - `highlight`: whether hits contain their content with the matches in `<em>` (DOC-4).
    # - `fragments`: pieces of the texts of hits with the matches marked: an object with `fields`, `tags`, `size` and
    #   `count`, each optional (DOC-10).
    # - `facets`: the names whose values are counted over all hits of all pages (RET-9).
    # - `facet_limit`: the maximum number of values in a facet, 1 to 10000 (RET-9).
    # - `explain`: whether the result contains every part of every score (RET-5).
    # - `include`: additional parts of the hits: "vector", "tokens" (IDX-6).
    # - `context`: the number of neighbours on each side that a hit has as `context`, 0 to 10 (ARR-6).
    # - `parents`: the score of a parent that replaces its children: "mean" (the mean of its children's scores) or "max"
    #   (the highest of its children's scores) (ARR-5).
    # - `collapse`: the name whose values make groups; only the best hit of each is returned (ARR-1).
    # - `diversity`: the weight of the similarity to better hits in the order of the best 100, 0 to 1 (ARR-3).
    # - `fold_duplicates`: the similarity, 0.5 to 1, at which a hit is folded into a better one (ARR-2).
    # - `profile`: the name of a set of defaults for `text_leg`, `fusion`, `ranking` and `min_score`: "balanced" (the
    #   default), "ragflow" (RAGFlow's ranking) or "dify" (Dify's fusion by ranks) (RET-10).
    # - `text_leg`: the query of the text leg: "tree" (RAGFlow's query) or "bm25f" (the question's tokens in all fields
    #   at once) (QRY-11).
    # - `fusion`: the method that fuses the text leg and the dense leg: "weighted_sum", "rrf", "auto" or "min_max"
    #   (FUS-1).
    # - `weights`: the weights of the text leg and the dense leg in a weighted sum, "t,d" (FUS-1).
    # - `rrf_k`: the constant k of reciprocal rank fusion, at least 0 (FUS-2).
    # - `ranking`: the order of the candidates: "rerank" (a rerank by tokens and vectors) or "fused" (the order of the
    #   fusion) (RET-10).
    # - `fail_open`: whether a failing rerank model causes a warning (true) or an error (RNK-7).
    # - `rerank_timeout`: the number of seconds for a rerank model (RNK-7).
    # - `on_index_change`: the reaction to a change of the index after the first page of a walk: "continue" (the walk
    #   continues) or "error" (the walk fails with an `InvalidCursorError`) (CUR-3).
    # - `rerank_top_k`: the number of best candidates that the rerank model scores, at least 0 (RNK-8).
    # - `rerank_fusion`: the score of a result that the rerank model has scored: "replace" (the model's score) or
    #   "linear" (a weighted sum of the model's score and the similarity) (RNK-8).
    # - `rerank_weight`: the weight of the model's score in a weighted sum, 0 to 1 (RNK-8).
    # - `rerank_batch_size`: the maximum number of texts in one call of the model, at least 1; null puts all into one
    #   call (RNK-8).
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
        "rank_feature_recall" => false,
        "rewrite" => nil,
        "filters" => nil,
        "order_by" => nil,
        "match_all" => false,
        "highlight" => false,
        "fragments" => nil,
        "facets" => nil,
        "facet_limit" => 100,
        "explain" => false,
        "include" => [],
        "context" => 0,
        "parents" => nil,
        "collapse" => nil,
        "diversity" => 0.0,
        "fold_duplicates" => nil,
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
