# frozen_string_literal: true

require_relative "hybrid_search/errors"

# Hybrid retrieval for Chinese and English: full text + dense vectors, fusion, rerank, stable pagination.
#
# The Python package `hybrid_search` is the reference; this gem gives the same answers bit for bit.
# Files load on first use, so that a program pays only for what it uses.
module HybridSearch
  VERSION = "0.1.0"

  autoload :Accelerated, "hybrid_search/accelerated"
  autoload :Characters, "hybrid_search/characters"
  autoload :OwnValues, "hybrid_search/own_values"
  autoload :DocumentBuilder, "hybrid_search/document_builder"
  autoload :Index, "hybrid_search/index"
  autoload :JsonScan, "hybrid_search/json_scan"
  autoload :JsonTooLargeError, "hybrid_search/json_scan"
  autoload :Kernels, "hybrid_search/kernels"
  autoload :Listing, "hybrid_search/listing"
  autoload :Log, "hybrid_search/log"
  autoload :MatchDenseExpr, "hybrid_search/expressions"
  autoload :MatchTextExpr, "hybrid_search/expressions"
  autoload :Numeric, "hybrid_search/numeric"
  autoload :Observation, "hybrid_search/observation"
  autoload :Ordering, "hybrid_search/ordering"
  autoload :ShortInspect, "hybrid_search/short_inspect"
  autoload :StrictJson, "hybrid_search/strict_json"
  autoload :Slices, "hybrid_search/slices"
  autoload :Validation, "hybrid_search/validation"
  autoload :Value, "hybrid_search/value"

  autoload :AnswerJson, "hybrid_search/network/answer_json"
  autoload :ApiKey, "hybrid_search/network/api_key"
  autoload :ConcurrencyBound, "hybrid_search/network/concurrency_bound"
  autoload :Connection, "hybrid_search/network/connection"
  autoload :Deadline, "hybrid_search/network/deadline"
  autoload :Endpoint, "hybrid_search/network/endpoint"
  autoload :Exchange, "hybrid_search/network/exchange"
  autoload :ExchangeError, "hybrid_search/network/exchange_error"
  autoload :HttpAnswer, "hybrid_search/network/response_reader"
  autoload :HttpClient, "hybrid_search/network/http_client"
  autoload :Limits, "hybrid_search/network/deadline"
  autoload :NameLookup, "hybrid_search/network/name_lookup"
  autoload :ResponseReader, "hybrid_search/network/response_reader"
  autoload :RetryPolicy, "hybrid_search/network/retry_policy"
  autoload :ServiceWords, "hybrid_search/network/service_words"
  autoload :Timing, "hybrid_search/network/timing"
  autoload :Tls, "hybrid_search/network/tls"

  autoload :Dictionary, "hybrid_search/text/dictionary"
  autoload :DictionaryTable, "hybrid_search/text/dictionary_table"
  autoload :HiddenMarkovModel, "hybrid_search/text/hidden_markov_model"
  autoload :Identifiers, "hybrid_search/text/identifiers"
  autoload :IdfTable, "hybrid_search/text/idf_table"
  autoload :KeywordCache, "hybrid_search/text/keyword_cache"
  autoload :KeywordExtractor, "hybrid_search/text/keyword_extractor"
  autoload :Keywords, "hybrid_search/text/keyword_extractor"
  autoload :KeywordTokenizer, "hybrid_search/text/keyword_tokenizer"
  autoload :Normalizer, "hybrid_search/text/normalizer"
  autoload :RouteFinder, "hybrid_search/text/route_finder"
  autoload :Segmenter, "hybrid_search/text/segmenter"
  autoload :Stemmer, "hybrid_search/text/stemmer"
  autoload :StopWords, "hybrid_search/text/stop_words"
  autoload :Tokenizer, "hybrid_search/text/tokenizer"
  autoload :UserDictionary, "hybrid_search/text/user_dictionary"
  autoload :WholeWords, "hybrid_search/text/whole_words"

  autoload :ChineseQuery, "hybrid_search/query_builder/chinese_query"
  autoload :Clauses, "hybrid_search/query_builder/clauses"
  autoload :EnglishQuery, "hybrid_search/query_builder/english_query"
  autoload :QueryBuilder, "hybrid_search/query_builder/builder"
  autoload :QueryKeys, "hybrid_search/query_builder/token_similarity"
  autoload :QuestionWords, "hybrid_search/query_builder/question_words"
  autoload :Render, "hybrid_search/query_builder/render"
  autoload :Synonyms, "hybrid_search/query_builder/synonyms"
  autoload :TermFiles, "hybrid_search/query_builder/term_files"
  autoload :TermWeight, "hybrid_search/query_builder/term_weight"
  autoload :TokenSimilarity, "hybrid_search/query_builder/token_similarity"
  autoload :Tree, "hybrid_search/query_builder/tree"
  autoload :WordNet, "hybrid_search/query_builder/word_net"
  autoload :Words, "hybrid_search/query_builder/words"

  autoload :Embedding, "hybrid_search/embedding/embedding"
  autoload :EmbeddingCache, "hybrid_search/embedding/cache"
  autoload :HashingEmbedder, "hybrid_search/embedding/hashing"
  autoload :OpenAiEmbedder, "hybrid_search/embedding/open_ai"

  autoload :Fusion, "hybrid_search/fusion/fusion"
  autoload :FusionExpr, "hybrid_search/fusion/fusion_expr"
  autoload :ScoreNormalizer, "hybrid_search/fusion/normalizer"
  autoload :Weights, "hybrid_search/fusion/weights"

  autoload :HttpReranker, "hybrid_search/reranker/http_reranker"
  autoload :PartialOutcome, "hybrid_search/reranker/partial_rerank"
  autoload :PartialRerank, "hybrid_search/reranker/partial_rerank"
  autoload :RankFeatures, "hybrid_search/reranker/rank_features"
  autoload :RerankModel, "hybrid_search/reranker/rerank_model"
  autoload :RerankOutcome, "hybrid_search/reranker/outcome"
  autoload :Reranker, "hybrid_search/reranker/reranker"
  autoload :TieredEntry, "hybrid_search/reranker/partial_rerank"
  autoload :Spacing, "hybrid_search/reranker/spacing"
  autoload :TermSimilarity, "hybrid_search/reranker/term_similarity"
  autoload :VectorSimilarity, "hybrid_search/reranker/vector_similarity"

  autoload :Aggregations, "hybrid_search/doc_store_adapter/aggregations"
  autoload :Bm25, "hybrid_search/doc_store_adapter/bm25"
  autoload :DenseIndex, "hybrid_search/doc_store_adapter/dense_index"
  autoload :DenseScores, "hybrid_search/doc_store_adapter/dense_scores"
  autoload :DocStoreAdapter, "hybrid_search/doc_store_adapter/base"
  autoload :DocStoreContract, "hybrid_search/doc_store_adapter/contract"
  autoload :DocumentIndex, "hybrid_search/doc_store_adapter/document_index"
  autoload :FieldPath, "hybrid_search/doc_store_adapter/field_path"
  autoload :FilterConditions, "hybrid_search/doc_store_adapter/filter_conditions"
  autoload :FilterField, "hybrid_search/doc_store_adapter/filter_parser"
  autoload :FilterNames, "hybrid_search/doc_store_adapter/filter_parser"
  autoload :FilterParser, "hybrid_search/doc_store_adapter/filter_parser"
  autoload :Filters, "hybrid_search/doc_store_adapter/filters"
  autoload :Highlight, "hybrid_search/doc_store_adapter/highlight"
  autoload :InvertedIndex, "hybrid_search/doc_store_adapter/inverted_index"
  autoload :MatchExprs, "hybrid_search/doc_store_adapter/match_exprs"
  autoload :MemoryDocStore, "hybrid_search/doc_store_adapter/memory"
  autoload :MemorySearch, "hybrid_search/doc_store_adapter/memory_search"
  autoload :MemorySnapshot, "hybrid_search/doc_store_adapter/memory_snapshot"
  autoload :PhraseMatcher, "hybrid_search/doc_store_adapter/phrase_matcher"
  autoload :QueryClauses, "hybrid_search/doc_store_adapter/query_clauses"
  autoload :SearchResult, "hybrid_search/doc_store_adapter/search_result"
  autoload :SortOrder, "hybrid_search/doc_store_adapter/sort_order"
  autoload :StoredDocument, "hybrid_search/doc_store_adapter/stored_document"
  autoload :StoredFields, "hybrid_search/doc_store_adapter/stored_fields"

  autoload :Chunk, "hybrid_search/retriever/result"
  autoload :Entry, "hybrid_search/retriever/page"
  autoload :Explain, "hybrid_search/retriever/explain"
  autoload :FetchedCandidates, "hybrid_search/retriever/recall"
  autoload :FullPages, "hybrid_search/retriever/page_entries"
  autoload :PageEntries, "hybrid_search/retriever/page_entries"
  autoload :WindowPages, "hybrid_search/retriever/page_entries"
  autoload :RankedBlock, "hybrid_search/retriever/page"
  autoload :Facets, "hybrid_search/retriever/facets"
  autoload :FieldWords, "hybrid_search/retriever/field_words"
  autoload :Recall, "hybrid_search/retriever/recall"
  autoload :Recalled, "hybrid_search/retriever/recall"
  autoload :RetrievalOptions, "hybrid_search/retriever/request"
  autoload :RetrievalRequest, "hybrid_search/retriever/request"
  autoload :RetrievalResult, "hybrid_search/retriever/result"
  autoload :Retriever, "hybrid_search/retriever/retriever"
  autoload :Window, "hybrid_search/retriever/window"

  autoload :DifySettings, "hybrid_search/post_processor/dify_settings"
  autoload :Document, "hybrid_search/post_processor/document"
  autoload :KeywordCosine, "hybrid_search/post_processor/keyword_cosine"
  autoload :KeywordScores, "hybrid_search/post_processor/keyword_cosine"
  autoload :PostProcessor, "hybrid_search/post_processor/post_processor"
  autoload :ProcessedDocuments, "hybrid_search/post_processor/post_processor"
  autoload :RankedList, "hybrid_search/post_processor/ranked_list"
  autoload :RetrievalConfiguration, "hybrid_search/post_processor/configuration"
  autoload :ScoreWeights, "hybrid_search/post_processor/weighted_score"
  autoload :WeightedScore, "hybrid_search/post_processor/weighted_score"

  autoload :Candidates, "hybrid_search/retrieval_service/candidates"
  autoload :RetrievalService, "hybrid_search/retrieval_service/retrieval_service"
  autoload :ScoreTable, "hybrid_search/retrieval_service/score_table"
  autoload :SearchLegs, "hybrid_search/retrieval_service/search_legs"
  autoload :ServiceResult, "hybrid_search/retrieval_service/service_result"

  class << self
    # @return [#warn, nil] what gets a line for each thing that failed (LOG-1); nil: nobody is told
    attr_reader :logger
    # @return [#instrument, #call, nil] the observer of each {Index} and {Retriever} that is given none (OBS-1)
    attr_reader :observer

    # @param logger [#warn, nil] a `Logger`, or what is like one
    # @raise [InvalidInputError] it has no `warn`
    def logger=(logger)
      raise Validation.failure("logger", logger, "an object with warn") unless logger.nil? || logger.respond_to?(:warn)

      @logger = logger
    end

    # @param observer [#instrument, #call, nil] see {Observation#initialize}
    # @raise [InvalidInputError] it is no observer
    def observer=(observer)
      Observation.new(observer)
      @observer = observer
    end
  end
end

require_relative "hybrid_search/railtie" if defined?(Rails::Railtie)
