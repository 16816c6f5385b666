# frozen_string_literal: true

module HybridSearch
  module Rails
    # The words of other libraries for Rails, and the words to use here, for the messages of errors.
    module Habits
      # The options of the macro, as Searchkick, pg_search and neighbor name them.
      MACRO = {
        "callback" => "callbacks:", "against" => "content: and title:", "fields" => "content: and title:",
        "searchable" => "content: and title:", "text" => "content:", "body" => "content:",
        "filterable" => "metadata:", "attributes" => "metadata:", "filters" => "metadata:",
        "index_name" => "index:", "table_name" => "index:", "index_prefix" => "prefix: in config/hybrid_search.yml",
        "routing" => "tenant:", "scope_by" => "tenant:", "account" => "tenant:",
        "language" => "nothing: texts are recognised, Chinese too", "dictionary" => "nothing: texts are recognised",
        "stem" => "nothing: words are stemmed", "synonyms" => "synonyms: in config/hybrid_search.yml",
        "search_synonyms" => "synonyms: in config/hybrid_search.yml",
        "word_start" => "nothing: words are found whole", "text_start" => "nothing: words are found whole",
        "text_middle" => "nothing: words are found whole", "word_middle" => "nothing: words are found whole",
        "suggest" => "nothing: there are no suggestions", "highlight" => "highlight: of a search",
        "settings" => "store options in config/hybrid_search.yml", "mappings" => "nothing: fields are fixed",
        "merge_mappings" => "nothing: fields are fixed", "knn" => "embedding:", "vector" => "embedding:",
        "embeddings" => "embedding:", "embed" => "embedding:", "dimensions" => "embedding:",
        "using" => "profile: in search:", "ranked_by" => "profile: in search:", "weights" => "search:",
        "should_index" => "if:", "conditions" => "if:", "only" => "if:", "default_scope" => "scope:",
        "search_import" => "scope:", "includes" => "scope: -> { includes(…) }", "associated_against" => "search_data",
        "batch_size" => "batch_size: of reindex", "chunks" => "chunk:", "split" => "chunk:",
        "multisearch" => "one hybrid_search for each model", "similarity" => "nothing: ranking is BM25 with vectors",
        "conversions" => "page_rank in search_data", "locations" => "nothing: there is no search by distance"
      }.freeze
      # The options of searches.
      SEARCH = {
        "filters" => "where:", "filter" => "where:", "conditions" => "where:", "with" => "where:",
        "per_page" => "per:", "page_size" => "per:", "items" => "per:", "size" => "per:",
        "offset" => "page:", "from" => "page:", "padding" => "page:", "page_number" => "page:",
        "order_by" => "order:", "sort" => "order:", "sort_by" => "order:", "reorder" => "order:",
        "fields" => "content: and title: of hybrid_search", "against" => "content: and title: of hybrid_search",
        "boost" => "page_rank in search_data", "boost_by" => "page_rank in search_data, or order:",
        "boost_where" => "page_rank in search_data", "boost_by_recency" => "order:", "boost_by_distance" => "order:",
        "indices_boost" => "one search for each model", "models" => "one search for each model",
        "index_name" => "index: of hybrid_search",
        "match" => "nothing: words and meaning are matched", "operator" => "nothing: words are weighed",
        "misspellings" => "nothing: vectors find what is spelt otherwise",
        "exclude" => "where: { not: … }", "load" => "hits, which loads no records", "select" => "relation.select(…)",
        "include" => "includes:", "preload" => "includes:", "eager_load" => "includes:",
        "model_includes" => "includes:",
        "scope_results" => "Model.where(…).hybrid(…)", "scope" => "Model.where(…).hybrid(…)", "aggs" => "facets:",
        "facet" => "facets:", "smart_aggs" => "facets:", "suggest" => "nothing: there are no suggestions",
        "similar" => "record.similar", "knn" => "vector:", "embedding" => "vector:",
        "semantic" => "nothing: meaning counts where there is an embedding", "routing" => "tenant:",
        "account" => "tenant:", "emphasis" => "highlight:", "highlights" => "highlight:", "snippet" => "highlight:",
        "body" => "options of a search, as in docs/options.md", "body_options" => "options of a search",
        "track" => "an observer", "debug" => "explain:", "timeout" => "timeout: in config/hybrid_search.yml",
        "limit_value" => "per:", "query" => "the first argument", "question" => "the first argument",
        "q" => "the first argument", "min_similarity" => "min_cosine:", "threshold" => "min_score:",
        "distance" => "min_cosine:", "all" => "match_all:", "everything" => "match_all:"
      }.freeze
      # The operators of conditions.
      OPERATORS = {
        "_not" => "not", "ne" => "not", "not_in" => "not", "min" => "gte", "max" => "lte", "from" => "gte",
        "to" => "lte", "like" => "contains, starts_with or ends_with", "ilike" => "the question",
        "prefix" => "starts_with", "suffix" => "ends_with", "regexp" => "contains", "any" => "in", "all" => "all",
        "near" => "no distances", "within" => "no distances", "null" => "exists", "present" => "exists"
      }.freeze
      # The methods of results.
      RESULTS = {
        "total" => "total_count", "hits_count" => "total_count", "results" => "records", "response" => "hits",
        "aggs" => "facets", "aggregations" => "facets", "took" => "a subscriber of search.hybrid_search",
        "suggestions" => "nothing: there are none", "highlights" => "highlight_for(record)",
        "search_highlights" => "highlight_for(record)", "with_highlights" => "each_with_hit",
        "with_score" => "with_hits", "with_pg_search_rank" => "with_hits", "with_pg_search_highlight" => "with_hits",
        "per_page_kaminari" => "per", "paginate" => "page and per", "joins" => "Model.joins(…).hybrid(…)",
        "left_joins" => "Model.left_joins(…).hybrid(…)", "group" => "facets:", "having" => "where",
        "distinct" => "collapse: in the search", "select" => "to_a.select, or Model.select(…).hybrid(…)",
        "find_each" => "each, of as many pages as are wanted", "in_batches" => "each", "update_all" =>
        "Model.where(id: results.ids).update_all", "delete_all" => "Model.where(id: results.ids).delete_all",
        "destroy_all" => "Model.where(id: results.ids).destroy_all", "merge" => "Model.merge(…).hybrid(…)",
        "or" => "where: { any: […] }", "not" => "where: { not: … }", "unscope" => "Model.unscoped.hybrid(…)",
        "scroll" => "page", "find_by" => "Model.find_by", "nearest_neighbors" => "vector:"
      }.freeze
      # The methods of records.
      RECORD = {
        "nearest_neighbors" => "similar", "more_like_this" => "similar", "update_pg_search_document" => "reindex",
        "should_index?" => "if: of hybrid_search", "reindex_async" => "SyncJob.perform_later"
      }.freeze
      # The methods of models.
      MODEL = {
        "search_index" => "hybrid_index", "searchkick_index" => "hybrid_index", "searchkick_search" => "hybrid",
        "search_kick" => "hybrid_search", "nearest_neighbors" => "record.similar, or hybrid(vector: …)",
        "pg_search" => "hybrid", "search_for" => "hybrid", "search_by" => "hybrid", "full_text_search" => "hybrid",
        "hybrid_reindex" => "reindex", "import" => "reindex", "rebuild_pg_search_documents" => "reindex",
        "semantic_search" => "hybrid", "vector_search" => "hybrid(vector: …)", "similarity_search" => "hybrid"
      }.freeze

      module_function

      # Refuse names that are not accepted; the message states the word to use instead of one of another library.
      #
      # @param what [String] the kind of name, for the message
      # @param given [Enumerable<String, Symbol>]
      # @param accepted [Array<String>]
      # @param words [Hash{String=>String}] words of other libraries, with the word to use
      # @param advice [String] advice for the end of the message
      # @return [void]
      # @raise [InvalidInputError] a name is not accepted
      def check(what, given, accepted, words, advice = "")
        strange = given.map(&:to_s).find { |name| !accepted.include?(name) && words.key?(name) }
        if strange
          raise InvalidInputError, "unknown #{what} #{Base::Validation.describe(strange)}; use #{words[strange]}. " \
                                   "Known: #{accepted.join(", ")}#{advice}"
        end
        Base::Validation.known(what, given, accepted, advice)
      end

      # @param receiver [String] the object on which the method was called
      # @param name [Symbol]
      # @param words [Hash{String=>String}]
      # @return [void]
      # @raise [NoMethodError] always, with the word to use
      def no_method(receiver, name, words)
        raise ::NoMethodError.new("undefined method `#{name}' for #{receiver}; use #{words.fetch(name.to_s)}", name)
      end
    end
  end
end
