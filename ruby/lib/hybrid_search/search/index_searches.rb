# frozen_string_literal: true

module HybridSearch
  module Search
    # The searches of an index (CUR-1, IDX-6).
    module IndexSearches
      NOT_GIVEN = Embeddings::NOT_GIVEN
      OPTIONS = SearchOptions::DEFAULTS.keys.freeze
      CITE_OPTIONS = %w[answer hits mark vector_similarity_weight].freeze
      private_constant :NOT_GIVEN, :OPTIONS, :CITE_OPTIONS

      # search:begin: made by `bin/conformance make options`

      # One page of hits: by number, or after the page whose `next_cursor` is given (CUR-1 … CUR-4).
      #
      # All candidates are in one order; both ways lead through it. Options that are not given are those of the index.
      #
      # @param question [String] any text; a blank one finds nothing, unless there is a `vector` or `match_all`
      # @param vector [Array<Float>, nil] a query vector; with a question both legs run, without one only the dense leg;
      #   default `nil`
      # @param limit [Integer] the number of hits on a page, at least 1 and at most `max_results`; default `10`
      # @param page [Integer, String, nil] the number of the page, from 1; null, or anything but a number of 1 or more,
      #   is the first page; default `nil`
      # @param cursor [String, nil] the `next_cursor` of the previous page, instead of a page number; default `nil`
      # @param candidates [Integer] the maximum number of candidates of each leg and of their fusion, and so of ranked
      #   documents; at least 1 and at most `max_results`; default `1024`
      # @param min_score [Float] the lowest score of a hit; scores are relative to the best candidate; default `0.0`
      # @param min_cosine [Float, nil] the lowest cosine of a hit with the question, -1 to 1; documents without a vector
      #   are omitted; default `nil`
      # @param vector_similarity_weight [Float] the share of the vector in the similarity of a rerank, 0 to 1; the rest
      #   is the share of the text; default `0.3`
      # @param rerank_model [(rerank_source, String), nil] an object with `similarity(query, texts)`, a callable, or the
      #   name of a model such as "fastembed"; it scores the first `rerank_top_k` candidates; default `nil`
      # @param rank_feature [Hash{String=>Float}, nil] tags of the query, name → number; a rerank compares them with the
      #   documents' tags; default `nil`
      # @param rank_feature_recall [Boolean] whether `rank_feature` counts in recall too, so that a page rank or a tag
      #   may bring a candidate in; default `false`
      # @param rewrite [#call, nil] a callable that may change the question and add filters before the search, by a
      #   language model for example; it is given the question; default `nil`
      # @param filters [Hash{String=>Object}, nil] the conditions that documents must satisfy, as data:
      #   `{"metadata.lang": "zh", "page_rank": {"gte": 2}}`; default `nil`
      # @param order_by [Array<Array(String, String)>, nil] the fields that order the candidates instead of their
      #   similarity: `[name, "asc" or "desc"]` pairs, one name, or an object of names and directions; default `nil`
      # @param match_all [Boolean] whether to return all documents that satisfy the filters, without a question; default
      #   `false`
      # @param highlight [Boolean] whether hits contain their content with the matches in `<em>`; default `false`
      # @param fragments [Hash[String, Symbol, (Array[String, Symbol], Integer)?], nil] pieces of the texts of hits with
      #   the matches marked: an object with `fields`, `tags`, `size` and `count`, each optional; default `nil`
      # @param facets [Array<String>, nil] the names whose values are counted over all hits of all pages; default `nil`
      # @param facet_limit [Integer] the maximum number of values in a facet, 1 to 10000; default `100`
      # @param explain [Boolean] whether the result contains every part of every score; default `false`
      # @param include [Array<String>, String] additional parts of the hits: "vector", "tokens"; default `[]`
      # @param context [Integer] the number of neighbours on each side that a hit has as `context`, 0 to 10; default `0`
      # @param parents [String, Symbol, nil] the score of a parent that replaces its children: "mean" (the mean of its
      #   children's scores) or "max" (the highest of its children's scores); default `nil`
      # @param collapse [String, Symbol, nil] the name whose values make groups; only the best hit of each is returned;
      #   default `nil`
      # @param diversity [Float] the weight of the similarity to better hits in the order of the best 100, 0 to 1;
      #   default `0.0`
      # @param fold_duplicates [Float, nil] the similarity, 0.5 to 1, at which a hit is folded into a better one;
      #   default `nil`
      # @param profile [String, Symbol] the name of a set of defaults for `text_leg`, `fusion`, `ranking` and
      #   `min_score`: "balanced" (the default), "ragflow" (RAGFlow's ranking) or "dify" (Dify's fusion by ranks);
      #   default `"balanced"`
      # @param text_leg [String, Symbol] the query of the text leg: "tree" (RAGFlow's query) or "bm25f" (the question's
      #   tokens in all fields at once); default `"bm25f"`
      # @param fusion [String, Symbol] the method that fuses the text leg and the dense leg: "weighted_sum", "rrf",
      #   "auto" or "min_max"; default `"auto"`
      # @param weights [String] the weights of the text leg and the dense leg in a weighted sum, "t,d"; default
      #   `"0.05,0.95"`
      # @param rrf_k [Float] the constant k of reciprocal rank fusion, at least 0; default `60`
      # @param ranking [String, Symbol] the order of the candidates: "rerank" (a rerank by tokens and vectors) or
      #   "fused" (the order of the fusion); default `"fused"`
      # @param fail_open [Boolean] whether a failing rerank model causes a warning (true) or an error; default `true`
      # @param rerank_timeout [Float] the number of seconds for a rerank model; default `30.0`
      # @param on_index_change [String, Symbol] the reaction to a change of the index after the first page of a walk:
      #   "continue" (the walk continues) or "error" (the walk fails with an `InvalidCursorError`); default `"continue"`
      # @param rerank_top_k [Integer] the number of best candidates that the rerank model scores, at least 0; default
      #   `64`
      # @param rerank_fusion [String, Symbol] the score of a result that the rerank model has scored: "replace" (the
      #   model's score) or "linear" (a weighted sum of the model's score and the similarity); default `"replace"`
      # @param rerank_weight [Float] the weight of the model's score in a weighted sum, 0 to 1; default `0.8`
      # @param rerank_batch_size [Integer, nil] the maximum number of texts in one call of the model, at least 1; null
      #   puts all into one call; default `nil`
      # @param unknown [Hash] refused, with the nearest name
      # @return [Page]
      # @raise [InvalidInputError] an option is unknown or not accepted, or the question is too long
      # @raise [InvalidCursorError] the cursor is malformed, of another version, forged, or of another request
      # @raise [EmbeddingError] the embedding failed
      # @raise [RerankError] the rerank model failed and `fail_open` is false
      def search(question = NOT_GIVEN, *more, vector: NOT_GIVEN, limit: NOT_GIVEN, page: NOT_GIVEN, cursor: NOT_GIVEN,
                 candidates: NOT_GIVEN, min_score: NOT_GIVEN, min_cosine: NOT_GIVEN,
                 vector_similarity_weight: NOT_GIVEN, rerank_model: NOT_GIVEN, rank_feature: NOT_GIVEN,
                 rank_feature_recall: NOT_GIVEN, rewrite: NOT_GIVEN, filters: NOT_GIVEN, order_by: NOT_GIVEN,
                 match_all: NOT_GIVEN, highlight: NOT_GIVEN, fragments: NOT_GIVEN, facets: NOT_GIVEN,
                 facet_limit: NOT_GIVEN, explain: NOT_GIVEN, include: NOT_GIVEN, context: NOT_GIVEN, parents: NOT_GIVEN,
                 collapse: NOT_GIVEN, diversity: NOT_GIVEN, fold_duplicates: NOT_GIVEN, profile: NOT_GIVEN,
                 text_leg: NOT_GIVEN, fusion: NOT_GIVEN, weights: NOT_GIVEN, rrf_k: NOT_GIVEN, ranking: NOT_GIVEN,
                 fail_open: NOT_GIVEN, rerank_timeout: NOT_GIVEN, on_index_change: NOT_GIVEN, rerank_top_k: NOT_GIVEN,
                 rerank_fusion: NOT_GIVEN, rerank_weight: NOT_GIVEN, rerank_batch_size: NOT_GIVEN, **unknown)
        question = question_of("search", [question, *more], unknown)
        options = {
          vector:, limit:, page:, cursor:, candidates:, min_score:, min_cosine:, vector_similarity_weight:,
          rerank_model:, rank_feature:, rank_feature_recall:, rewrite:, filters:, order_by:, match_all:, highlight:,
          fragments:, facets:, facet_limit:, explain:, include:, context:, parents:, collapse:, diversity:,
          fold_duplicates:, profile:, text_leg:, fusion:, weights:, rrf_k:, ranking:, fail_open:, rerank_timeout:,
          on_index_change:, rerank_top_k:, rerank_fusion:, rerank_weight:, rerank_batch_size:, **unknown
        }
        @searcher.page(question, options.reject { |_, value| NOT_GIVEN.equal?(value) })
      end

      # search:end

      # @param questions [Enumerable<String>]
      # @param options [Hash] as for {#search}
      # @return [Array<Page>] the first page of each question
      def search_many(questions = NOT_GIVEN, *more, **options)
        places = [questions, *more]
        questions = Base::Validation.argument("search_many", "questions", places, options, OPTIONS, passed_on: true)
        list_of_questions(questions).map { |question| search(question, **options) }
      end

      # Return the documents that are most similar to a stored one, without it. They are found by its vector, or by its
      # text if it has no vector.
      #
      # @param id [String, Symbol, Integer] the id of the stored document
      # @param options [Hash] as for {#search}, except for `vector`
      # @return [Page]
      # @raise [InvalidInputError] the document does not exist; or as {#search}
      def similar(id = NOT_GIVEN, *more, **options)
        id = Base::Validation.argument("similar", "id", [id, *more], options, OPTIONS, passed_on: true)
        filters = @searcher.filters(options.transform_keys(&:to_s))
        name = Base::InputValues.identifier("id", id)
        question, added = Similar.similar_search(@store, name, { **options, filters: })
        search(question, **added)
      end

      # Return all hits one after another: those of all pages from the first or from `cursor` on, ranked once.
      #
      # A question has at most `candidates` hits; with `match_all` all documents are read, in bounded memory.
      #
      # @param question [String] as for {#search}
      # @param options [Hash] as for {#search}
      # @yieldparam hit [Hit]
      # @return [Enumerator<Hit>, nil] an enumerator without a block
      def each(question = NOT_GIVEN, *more, **options, &)
        question = question_of("each", [question, *more], options)
        @searcher.each(question, options, &)
      end

      # Find the sources of each sentence of an answer among hits, and mark them (CIT-1 … CIT-3).
      #
      # @param answer [String] a text, such as the answer of a language model; code in it has no sources
      # @param hits [Page, Array<Hit, Hash, String, Integer>] a page, or a list of at most 50 hits, of objects with `id`
      #   and `content`, or of ids of stored documents. Vectors are those of the stored documents; a text that is not
      #   stored is embedded.
      # @param mark [String] the mark of a source: `{number}` is its place among the hits from 1, `{index}` from 0,
      #   `{id}` its id. RAGFlow's mark is `" [ID:{index}]"`.
      # @param vector_similarity_weight [Float] the share of the vectors in the similarity, 0 to 1; the rest is that of
      #   the terms. Without an embedding only the terms count.
      # @param unknown [Hash] refused, with the nearest name
      # @return [CitedAnswer] the answer with marks, and its sentences with their sources
      # @raise [InvalidInputError] an argument is not accepted, or a document is not stored
      # @raise [EmbeddingError] the embedding failed
      def cite(answer, hits, mark: Citer::MARK, vector_similarity_weight: 0.9, **unknown)
        Base::Validation.known("option", unknown.keys, CITE_OPTIONS)
        Citer.new(@store, @query_builder, @embedding).cite(answer, hits, mark, vector_similarity_weight)
      end

      # @return [RankingCache, nil] the cache of rankings between pages
      def ranking_cache
        @searcher.ranking_cache
      end

      private

      def question_of(call, places, options)
        Base::Validation.argument(call, "question", places, options, OPTIONS, default: "", passed_on: true)
      end

      # Return the questions as a list; a single text is not a list.
      def list_of_questions(questions)
        unless ::Enumerable === questions && !questions.is_a?(::Hash) # rubocop:disable Style/CaseEquality -- as above
          raise Base::Validation.failure("questions", questions, "a list of texts")
        end

        questions.to_a
      end
    end
  end
end
