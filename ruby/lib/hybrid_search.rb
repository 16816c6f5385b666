# frozen_string_literal: true

require_relative "hybrid_search/errors"

# Hybrid retrieval for Chinese and English: full text + dense vectors, fusion, rerank, stable pagination.
#
# The Python package `hybrid_search` is the reference; this gem gives the same answers bit for bit.
# Files load on first use, so that a program pays only for what it uses.
module HybridSearch
  VERSION = "0.1.0"

  autoload :BeirCollection, "hybrid_search/records/beir_collection"
  autoload :BlockIndex, "hybrid_search/convergence/block_index"
  autoload :Chunk, "hybrid_search/retriever/result"
  autoload :Chunker, "hybrid_search/chunker/chunker"
  autoload :CitedAnswer, "hybrid_search/search/cited_answer"
  autoload :CitedSource, "hybrid_search/search/cited_answer"
  autoload :CitedSpan, "hybrid_search/search/cited_answer"
  autoload :ConvergentRetriever, "hybrid_search/convergence/convergent_retriever"
  autoload :DocStoreAdapter, "hybrid_search/doc_store_adapter/base"
  autoload :Document, "hybrid_search/post_processor/document"
  autoload :DocumentBuilder, "hybrid_search/records/document_builder"
  autoload :Embedding, "hybrid_search/embedding/embedding"
  autoload :EmbeddingCache, "hybrid_search/embedding/cache"
  autoload :Fusion, "hybrid_search/fusion/fusion"
  autoload :HashingEmbedder, "hybrid_search/embedding/hashing"
  autoload :Hit, "hybrid_search/search/hit"
  autoload :HttpReranker, "hybrid_search/reranker/http_reranker"
  autoload :HttpService, "hybrid_search/server/http_service"
  autoload :Index, "hybrid_search/index"
  autoload :KeywordCache, "hybrid_search/text/keyword_cache"
  autoload :KeywordExtractor, "hybrid_search/text/keyword_extractor"
  autoload :MemoryDocStore, "hybrid_search/doc_store_adapter/memory/memory_doc_store"
  autoload :MetadataConditions, "hybrid_search/post_processor/metadata_conditions"
  autoload :OpenAiEmbedder, "hybrid_search/embedding/open_ai"
  autoload :OceanBaseDocStore, "hybrid_search/doc_store_adapter/oceanbase/oceanbase_doc_store"
  autoload :OpenSearchDocStore, "hybrid_search/doc_store_adapter/opensearch/opensearch_doc_store"
  autoload :Page, "hybrid_search/search/page"
  autoload :PartialRerank, "hybrid_search/reranker/partial_rerank"
  autoload :PostProcessor, "hybrid_search/post_processor/post_processor"
  autoload :PostgresDocStore, "hybrid_search/doc_store_adapter/postgres/postgres_doc_store"
  autoload :QueryBuilder, "hybrid_search/query_builder/builder"
  autoload :RankingCache, "hybrid_search/search/ranking_cache"
  autoload :Reranker, "hybrid_search/reranker/reranker"
  autoload :RetrievalConfiguration, "hybrid_search/post_processor/configuration"
  autoload :RetrievalResult, "hybrid_search/retriever/result"
  autoload :RetrievalService, "hybrid_search/retrieval_service/retrieval_service"
  autoload :Retriever, "hybrid_search/retriever/retriever"
  autoload :Scores, "hybrid_search/search/hit"
  autoload :Segmenter, "hybrid_search/text/segmenter"
  autoload :SqliteDocStore, "hybrid_search/doc_store_adapter/sqlite/sqlite_doc_store"
  autoload :Synonyms, "hybrid_search/query_builder/synonyms"
  autoload :TermWeight, "hybrid_search/query_builder/term_weight"
  autoload :Tokenizer, "hybrid_search/text/tokenizer"
  autoload :WordNet, "hybrid_search/query_builder/word_net"

  # The interface for authors of stores: queries, results, and the contract that a store must fulfil.
  #
  # A store is a subclass of {DocStoreAdapter}. It receives a {MatchTextExpr}, whose `tree` is the text query, or a
  # {MatchBm25fExpr}, which contains tokens; a {MatchDenseExpr}, and a {FusionExpr}. {Filters} evaluates the conditions
  # on documents for stores without an engine that does, and a {SearchResult} is the result. {Render} writes a tree for
  # engines with a query language of their own, and the classes of {Tree} are for code that walks it.
  # {DocStoreContract} checks whether a store fulfils the contract.
  module AdapterKit
    autoload :DocStoreContract, "hybrid_search/doc_store_adapter/contract/doc_store_contract"
    autoload :Filters, "hybrid_search/doc_store_adapter/filters/filters"
    autoload :FusionExpr, "hybrid_search/fusion/fusion_expr"
    autoload :MatchBm25fExpr, "hybrid_search/query_builder/expressions"
    autoload :MatchDenseExpr, "hybrid_search/query_builder/expressions"
    autoload :MatchTextExpr, "hybrid_search/query_builder/expressions"
    autoload :Render, "hybrid_search/query_builder/render"
    autoload :SearchResult, "hybrid_search/doc_store_adapter/search_result"
    autoload :Tree, "hybrid_search/query_builder/tree"
  end

  # The parts below are internal: they may change with any version.
  autoload :Cli, "hybrid_search/cli"
  autoload :Convergence, "hybrid_search/convergence"

  # The parts that every folder uses: numbers, order, characters, JSON, checks of arguments, logs.
  module Base
    autoload :CanonicalJson, "hybrid_search/base/canonical_json"
    autoload :Characters, "hybrid_search/base/characters"
    autoload :InputValues, "hybrid_search/base/input_values"
    autoload :JsonScan, "hybrid_search/base/json_scan"
    autoload :JsonTooLargeError, "hybrid_search/base/json_scan"
    autoload :JsonWriter, "hybrid_search/base/json_writer"
    autoload :Kernels, "hybrid_search/base/kernels"
    autoload :KnownNames, "hybrid_search/base/known_names"
    autoload :Listing, "hybrid_search/base/listing"
    autoload :Log, "hybrid_search/base/log"
    autoload :Numeric, "hybrid_search/base/numeric"
    autoload :ObjectChecks, "hybrid_search/base/object_checks"
    autoload :Observation, "hybrid_search/base/observation"
    autoload :Ordering, "hybrid_search/base/ordering"
    autoload :ScalarText, "hybrid_search/base/scalar_text"
    autoload :ShortInspect, "hybrid_search/base/short_inspect"
    autoload :Slices, "hybrid_search/base/slices"
    autoload :StrictJson, "hybrid_search/base/strict_json"
    autoload :Validation, "hybrid_search/base/validation"
    autoload :Value, "hybrid_search/base/value"
  end

  # Requests over HTTP, with deadlines and retries.
  module Client
    autoload :AnswerJson, "hybrid_search/client/answer_json"
    autoload :ApiKey, "hybrid_search/client/api_key"
    autoload :ClientExchange, "hybrid_search/client/client_exchange"
    autoload :ClientResponse, "hybrid_search/client/response_reader"
    autoload :ConcurrencyBound, "hybrid_search/client/concurrency_bound"
    autoload :Connection, "hybrid_search/client/connection"
    autoload :Deadline, "hybrid_search/client/deadline"
    autoload :Endpoint, "hybrid_search/client/endpoint"
    autoload :ExchangeError, "hybrid_search/client/exchange_error"
    autoload :HttpClient, "hybrid_search/client/http_client"
    autoload :Limits, "hybrid_search/client/deadline"
    autoload :NameLookup, "hybrid_search/client/name_lookup"
    autoload :ResponseReader, "hybrid_search/client/response_reader"
    autoload :RetryPolicy, "hybrid_search/client/retry_policy"
    autoload :ServiceWords, "hybrid_search/client/service_words"
    autoload :Timing, "hybrid_search/client/timing"
    autoload :Tls, "hybrid_search/client/tls"
  end

  # Words: normalising, cutting, stemming, stop words.
  module Text
    autoload :Analyzer, "hybrid_search/text/analyzer"
    autoload :Dictionary, "hybrid_search/text/dictionary"
    autoload :DictionaryTable, "hybrid_search/text/dictionary_table"
    autoload :FunctionTokenizer, "hybrid_search/text/function_tokenizer"
    autoload :HiddenMarkovModel, "hybrid_search/text/hidden_markov_model"
    autoload :IdentifierTokens, "hybrid_search/text/identifiers"
    autoload :Identifiers, "hybrid_search/text/identifiers"
    autoload :IdfTable, "hybrid_search/text/idf_table"
    autoload :KeywordSource, "hybrid_search/text/keyword_source"
    autoload :KeywordTokenizer, "hybrid_search/text/keyword_tokenizer"
    autoload :Normalizer, "hybrid_search/text/normalizer"
    autoload :RouteFinder, "hybrid_search/text/route_finder"
    autoload :Stemmer, "hybrid_search/text/stemmer"
    autoload :StopWords, "hybrid_search/text/stop_words"
    autoload :UserDictionary, "hybrid_search/text/user_dictionary"
    autoload :WholeWords, "hybrid_search/text/whole_words"
  end

  # The parts of {QueryBuilder}.
  module QueryBuilders
    autoload :ChineseQuery, "hybrid_search/query_builder/chinese_query"
    autoload :Clauses, "hybrid_search/query_builder/clauses"
    autoload :EnglishQuery, "hybrid_search/query_builder/english_query"
    autoload :Parts, "hybrid_search/query_builder/parts"
    autoload :QueryKeys, "hybrid_search/query_builder/token_similarity"
    autoload :QuestionWords, "hybrid_search/query_builder/question_words"
    autoload :TermFiles, "hybrid_search/query_builder/term_files"
    autoload :TokenSimilarity, "hybrid_search/query_builder/token_similarity"
    autoload :Words, "hybrid_search/query_builder/words"
  end

  # The parts of {Embedding}.
  module Embeddings
    autoload :EmbeddingArgument, "hybrid_search/embedding/embedding_argument"
    autoload :EmbeddingChoice, "hybrid_search/embedding/embedding_choice"
    autoload :InformersEmbedder, "hybrid_search/embedding/informers_models"
    autoload :LocalModels, "hybrid_search/embedding/informers_models"
    autoload :ModelNames, "hybrid_search/embedding/model_names"
    autoload :NOT_GIVEN, "hybrid_search/embedding/embedding_argument"
    autoload :Provider, "hybrid_search/embedding/provider"
  end

  # The parts of {Fusion}.
  module Fusions
    autoload :FusedLeg, "hybrid_search/fusion/fused_legs"
    autoload :FusedLegs, "hybrid_search/fusion/fused_legs"
    autoload :FusionMethod, "hybrid_search/fusion/fusion_method"
    autoload :FusionMethods, "hybrid_search/fusion/fusion_methods"
    autoload :LegFusion, "hybrid_search/fusion/leg_fusion"
    autoload :MethodParam, "hybrid_search/fusion/fusion_method"
    autoload :RankedLists, "hybrid_search/fusion/ranked_lists"
    autoload :ScoreNormalizer, "hybrid_search/fusion/normalizer"
    autoload :Weights, "hybrid_search/fusion/weights"

    # methods:begin: made by `bin/conformance make options`
    autoload :Auto, "hybrid_search/fusion/auto"
    autoload :MinMax, "hybrid_search/fusion/min_max"
    autoload :Rrf, "hybrid_search/fusion/rrf"
    autoload :WeightedSum, "hybrid_search/fusion/weighted_sum"
    # methods:end
  end

  # The parts of stores.
  module Stores
    autoload :CheckedStore, "hybrid_search/doc_store_adapter/checked_store"
    autoload :DenseScores, "hybrid_search/doc_store_adapter/dense_scores"
    autoload :EngineCandidates, "hybrid_search/doc_store_adapter/engine_store"
    autoload :EngineHead, "hybrid_search/doc_store_adapter/engine_store"
    autoload :EngineLegs, "hybrid_search/doc_store_adapter/engine_store"
    autoload :EngineStore, "hybrid_search/doc_store_adapter/engine_store"
    autoload :StoreArgument, "hybrid_search/doc_store_adapter/store_argument"
    autoload :StoreSearch, "hybrid_search/doc_store_adapter/checked_store"
    autoload :StoreStats, "hybrid_search/doc_store_adapter/store_stats"
    autoload :VectorModels, "hybrid_search/doc_store_adapter/vector_models"
    autoload :VectorSource, "hybrid_search/doc_store_adapter/vector_models"

    # The contract of every store, as tests.
    module Contract
      autoload :Bm25fContract, "hybrid_search/doc_store_adapter/contract/bm25f_contract"
      autoload :ContractBase, "hybrid_search/doc_store_adapter/contract/contract_base"
      autoload :ContractData, "hybrid_search/doc_store_adapter/contract/contract_data"
      autoload :FeaturesContract, "hybrid_search/doc_store_adapter/contract/features_contract"
      autoload :LimitsContract, "hybrid_search/doc_store_adapter/contract/limits_contract"
      autoload :ReferenceContract, "hybrid_search/doc_store_adapter/contract/reference_contract"
      autoload :SharingContract, "hybrid_search/doc_store_adapter/contract/sharing_contract"
      autoload :StatsContract, "hybrid_search/doc_store_adapter/contract/stats_contract"
      autoload :ValuesContract, "hybrid_search/doc_store_adapter/contract/values_contract"
    end

    # Documents in the form in which stores hold them.
    module Documents
      autoload :Batch, "hybrid_search/doc_store_adapter/documents/batch"
      autoload :FieldPath, "hybrid_search/doc_store_adapter/documents/field_path"
      autoload :StoredDocument, "hybrid_search/doc_store_adapter/documents/stored_document"
      autoload :StoredFields, "hybrid_search/doc_store_adapter/documents/stored_fields"
      autoload :StoredJson, "hybrid_search/doc_store_adapter/documents/stored_json"
    end

    # Filters, and the parts of documents that they read.
    module Filters
      autoload :Attributes, "hybrid_search/doc_store_adapter/filters/attributes"
      autoload :Comparisons, "hybrid_search/doc_store_adapter/filters/comparisons"
      autoload :FilterConditions, "hybrid_search/doc_store_adapter/filters/filter_conditions"
      autoload :FilterField, "hybrid_search/doc_store_adapter/filters/filter_names"
      autoload :FilterNames, "hybrid_search/doc_store_adapter/filters/filter_names"
      autoload :FilterParser, "hybrid_search/doc_store_adapter/filters/filter_parser"
      autoload :FilterTexts, "hybrid_search/doc_store_adapter/filters/filter_texts"
      autoload :ValueKeys, "hybrid_search/doc_store_adapter/filters/value_keys"
    end

    # The store in OceanBase.
    module OceanBase
      autoload :CandidateField, "hybrid_search/doc_store_adapter/oceanbase/oceanbase_candidates"
      autoload :CandidateIndex, "hybrid_search/doc_store_adapter/oceanbase/oceanbase_candidates"
      autoload :OceanBaseAddress, "hybrid_search/doc_store_adapter/oceanbase/oceanbase_address"
      autoload :OceanBaseCandidates, "hybrid_search/doc_store_adapter/oceanbase/oceanbase_candidates"
      autoload :OceanBaseConnection, "hybrid_search/doc_store_adapter/oceanbase/oceanbase_connection"
      autoload :OceanBaseConnections, "hybrid_search/doc_store_adapter/oceanbase/oceanbase_connection"
      autoload :OceanBaseDatabase, "hybrid_search/doc_store_adapter/oceanbase/oceanbase_database"
      autoload :OceanBaseDocuments, "hybrid_search/doc_store_adapter/oceanbase/oceanbase_documents"
      autoload :OceanBaseErrors, "hybrid_search/doc_store_adapter/oceanbase/oceanbase_errors"
      autoload :OceanBaseFilters, "hybrid_search/doc_store_adapter/oceanbase/oceanbase_filters"
      autoload :OceanBaseIndex, "hybrid_search/doc_store_adapter/oceanbase/oceanbase_documents"
      autoload :OceanBaseLibrary, "hybrid_search/doc_store_adapter/oceanbase/oceanbase_library"
      autoload :OceanBaseStatements, "hybrid_search/doc_store_adapter/oceanbase/oceanbase_statements"
      autoload :OceanBaseTables, "hybrid_search/doc_store_adapter/oceanbase/oceanbase_tables"
      autoload :OceanBaseTokens, "hybrid_search/doc_store_adapter/oceanbase/oceanbase_tokens"
      autoload :OceanBaseVectors, "hybrid_search/doc_store_adapter/oceanbase/oceanbase_vectors"
      autoload :OceanBaseWriter, "hybrid_search/doc_store_adapter/oceanbase/oceanbase_writer"
      autoload :UndecidedError, "hybrid_search/doc_store_adapter/oceanbase/oceanbase_filters"
    end

    # The store in OpenSearch.
    module OpenSearch
      autoload :DenseQueries, "hybrid_search/doc_store_adapter/opensearch/opensearch_queries"
      autoload :ElasticsearchEngine, "hybrid_search/doc_store_adapter/opensearch/opensearch_engine"
      autoload :OpenSearchAccess, "hybrid_search/doc_store_adapter/opensearch/opensearch_access"
      autoload :OpenSearchAddresses, "hybrid_search/doc_store_adapter/opensearch/opensearch_addresses"
      autoload :OpenSearchCheckpoints, "hybrid_search/doc_store_adapter/opensearch/opensearch_checkpoints"
      autoload :OpenSearchClient, "hybrid_search/doc_store_adapter/opensearch/opensearch_client"
      autoload :OpenSearchCount, "hybrid_search/doc_store_adapter/opensearch/opensearch_count"
      autoload :OpenSearchEngine, "hybrid_search/doc_store_adapter/opensearch/opensearch_engine"
      autoload :OpenSearchFilters, "hybrid_search/doc_store_adapter/opensearch/opensearch_filters"
      autoload :OpenSearchGenerations, "hybrid_search/doc_store_adapter/opensearch/opensearch_generations"
      autoload :OpenSearchIndex, "hybrid_search/doc_store_adapter/opensearch/opensearch_index"
      autoload :OpenSearchKeys, "hybrid_search/doc_store_adapter/opensearch/opensearch_keys"
      autoload :OpenSearchRanked, "hybrid_search/doc_store_adapter/opensearch/opensearch_ranked"
      autoload :OpenSearchReader, "hybrid_search/doc_store_adapter/opensearch/opensearch_reader"
      autoload :OpenSearchTransport, "hybrid_search/doc_store_adapter/opensearch/opensearch_transport"
      autoload :OpenSearchVectors, "hybrid_search/doc_store_adapter/opensearch/opensearch_vectors"
      autoload :OpenSearchWriter, "hybrid_search/doc_store_adapter/opensearch/opensearch_writer"
      autoload :OwnLayout, "hybrid_search/doc_store_adapter/opensearch/opensearch_layout"
      autoload :OwnLeaves, "hybrid_search/doc_store_adapter/opensearch/opensearch_filters"
      autoload :Pausing, "hybrid_search/doc_store_adapter/opensearch/opensearch_client"
      autoload :RagflowLayout, "hybrid_search/doc_store_adapter/opensearch/opensearch_ragflow"
      autoload :RagflowLeaves, "hybrid_search/doc_store_adapter/opensearch/opensearch_ragflow"
      autoload :ScaledQuery, "hybrid_search/doc_store_adapter/opensearch/opensearch_queries"
      autoload :TextQueries, "hybrid_search/doc_store_adapter/opensearch/opensearch_queries"
      autoload :TransportError, "hybrid_search/doc_store_adapter/opensearch/opensearch_transport"
    end

    # The store in PostgreSQL.
    module Postgres
      autoload :ActiveRecordPool, "hybrid_search/doc_store_adapter/postgres/postgres_pool"
      autoload :GivenConnection, "hybrid_search/doc_store_adapter/postgres/postgres_pool"
      autoload :GivenPool, "hybrid_search/doc_store_adapter/postgres/postgres_pool"
      autoload :PostgresAttributes, "hybrid_search/doc_store_adapter/postgres/postgres_attributes"
      autoload :PostgresConnection, "hybrid_search/doc_store_adapter/postgres/postgres_connection"
      autoload :PostgresConnections, "hybrid_search/doc_store_adapter/postgres/postgres_pool"
      autoload :PostgresDatabase, "hybrid_search/doc_store_adapter/postgres/postgres_database"
      autoload :PostgresErrors, "hybrid_search/doc_store_adapter/postgres/postgres_errors"
      autoload :PostgresFilters, "hybrid_search/doc_store_adapter/postgres/postgres_filters"
      autoload :PostgresHosts, "hybrid_search/doc_store_adapter/postgres/postgres_hosts"
      autoload :PostgresKeys, "hybrid_search/doc_store_adapter/postgres/postgres_keys"
      autoload :PostgresLibrary, "hybrid_search/doc_store_adapter/postgres/postgres_library"
      autoload :PostgresOrder, "hybrid_search/doc_store_adapter/postgres/postgres_order"
      autoload :PostgresPostings, "hybrid_search/doc_store_adapter/postgres/postgres_postings"
      autoload :PostgresScreen, "hybrid_search/doc_store_adapter/postgres/postgres_screen"
      autoload :PostgresState, "hybrid_search/doc_store_adapter/postgres/postgres_state"
      autoload :PostgresStatements, "hybrid_search/doc_store_adapter/postgres/postgres_statements"
      autoload :PostgresTables, "hybrid_search/doc_store_adapter/postgres/postgres_tables"
      autoload :PostgresWatch, "hybrid_search/doc_store_adapter/postgres/postgres_watch"
      autoload :PostgresWriter, "hybrid_search/doc_store_adapter/postgres/postgres_writer"
      autoload :WatchedConnection, "hybrid_search/doc_store_adapter/postgres/postgres_watch"
    end

    # The arguments of a search, checked, and the parts of its result.
    module Queries
      autoload :Aggregations, "hybrid_search/doc_store_adapter/queries/aggregations"
      autoload :DocumentListing, "hybrid_search/doc_store_adapter/queries/document_listing"
      autoload :FeaturedLeg, "hybrid_search/doc_store_adapter/queries/recall_features"
      autoload :Highlight, "hybrid_search/doc_store_adapter/queries/highlight"
      autoload :MatchExprs, "hybrid_search/doc_store_adapter/queries/match_exprs"
      autoload :QueryClauses, "hybrid_search/doc_store_adapter/queries/query_clauses"
      autoload :RecallFeatures, "hybrid_search/doc_store_adapter/queries/recall_features"
      autoload :SortOrder, "hybrid_search/doc_store_adapter/queries/sort_order"
    end

    # The documents of one state, in memory, and their search.
    module Snapshot
      autoload :Bm25, "hybrid_search/doc_store_adapter/snapshot/bm25"
      autoload :Bm25f, "hybrid_search/doc_store_adapter/snapshot/bm25f"
      autoload :DenseIndex, "hybrid_search/doc_store_adapter/snapshot/dense_index"
      autoload :DocumentIndex, "hybrid_search/doc_store_adapter/snapshot/document_index"
      autoload :InvertedIndex, "hybrid_search/doc_store_adapter/snapshot/inverted_index"
      autoload :LegHead, "hybrid_search/doc_store_adapter/snapshot/leg_head"
      autoload :PhraseMatcher, "hybrid_search/doc_store_adapter/snapshot/phrase_matcher"
      autoload :SnapshotStore, "hybrid_search/doc_store_adapter/snapshot/snapshot_store"
      autoload :StoreSnapshot, "hybrid_search/doc_store_adapter/snapshot/store_snapshot"
    end

    # The store in a file of SQLite.
    module Sqlite
      autoload :FileEmbedding, "hybrid_search/doc_store_adapter/sqlite/file_embedding"
      autoload :ChangesSince, "hybrid_search/doc_store_adapter/sqlite/sqlite_changes"
      autoload :SketchBlock, "hybrid_search/doc_store_adapter/sqlite/sqlite_rows"
      autoload :SqliteBlocks, "hybrid_search/doc_store_adapter/sqlite/sqlite_blocks"
      autoload :SqliteChanges, "hybrid_search/doc_store_adapter/sqlite/sqlite_changes"
      autoload :SqliteCheck, "hybrid_search/doc_store_adapter/sqlite/sqlite_check"
      autoload :SqliteConnection, "hybrid_search/doc_store_adapter/sqlite/sqlite_connection"
      autoload :SqliteConversion, "hybrid_search/doc_store_adapter/sqlite/sqlite_conversion"
      autoload :SqliteErrors, "hybrid_search/doc_store_adapter/sqlite/sqlite_errors"
      autoload :SqliteField, "hybrid_search/doc_store_adapter/sqlite/sqlite_rows"
      autoload :SqliteFile, "hybrid_search/doc_store_adapter/sqlite/sqlite_file"
      autoload :SqlitePacking, "hybrid_search/doc_store_adapter/sqlite/sqlite_packing"
      autoload :SqlitePlace, "hybrid_search/doc_store_adapter/sqlite/sqlite_place"
      autoload :SqlitePool, "hybrid_search/doc_store_adapter/sqlite/sqlite_pool"
      autoload :SqlitePostings, "hybrid_search/doc_store_adapter/sqlite/sqlite_postings"
      autoload :SqliteRebuild, "hybrid_search/doc_store_adapter/sqlite/sqlite_rebuild"
      autoload :SqliteSchema, "hybrid_search/doc_store_adapter/sqlite/sqlite_schema"
      autoload :SqliteState, "hybrid_search/doc_store_adapter/sqlite/sqlite_state"
      autoload :SqliteTables, "hybrid_search/doc_store_adapter/sqlite/sqlite_tables"
      autoload :SqliteWriter, "hybrid_search/doc_store_adapter/sqlite/sqlite_writer"
    end

    # The parts that stores with tables in a database share.
    module Tables
      autoload :Blobs, "hybrid_search/doc_store_adapter/tables/blobs"
      autoload :Change, "hybrid_search/doc_store_adapter/tables/document_changes"
      autoload :DocumentChanges, "hybrid_search/doc_store_adapter/tables/document_changes"
      autoload :DocumentStates, "hybrid_search/doc_store_adapter/tables/document_states"
      autoload :DocumentRow, "hybrid_search/doc_store_adapter/tables/document_row"
      autoload :FieldChange, "hybrid_search/doc_store_adapter/tables/document_changes"
      autoload :FieldRow, "hybrid_search/doc_store_adapter/tables/posting_tables"
      autoload :OwnConnections, "hybrid_search/doc_store_adapter/tables/own_connections"
      autoload :RowChecksum, "hybrid_search/doc_store_adapter/tables/row_checksum"
      autoload :SqlFilters, "hybrid_search/doc_store_adapter/tables/sql_filters"
      autoload :SqlStatements, "hybrid_search/doc_store_adapter/tables/sql_statements"
      autoload :TableStore, "hybrid_search/doc_store_adapter/tables/table_store"
      autoload :TermChange, "hybrid_search/doc_store_adapter/tables/document_changes"
      autoload :VectorScreen, "hybrid_search/doc_store_adapter/tables/vector_screen"
      autoload :VectorSketch, "hybrid_search/doc_store_adapter/tables/vector_sketch"
    end
  end

  # The parts of {Reranker}.
  module Rerankers
    autoload :InformersReranker, "hybrid_search/reranker/informers_reranker"
    autoload :NamedModels, "hybrid_search/reranker/named_models"
    autoload :RankFeatures, "hybrid_search/reranker/rank_features"
    autoload :RerankChoice, "hybrid_search/reranker/rerank_choice"
    autoload :RerankModel, "hybrid_search/reranker/rerank_model"
    autoload :Spacing, "hybrid_search/reranker/spacing"
    autoload :TermSimilarity, "hybrid_search/reranker/term_similarity"
    autoload :VectorSimilarity, "hybrid_search/reranker/vector_similarity"
  end

  # The parts of {PostProcessor}.
  module PostProcessors
    autoload :DifySettings, "hybrid_search/post_processor/dify_settings"
    autoload :KeywordCosine, "hybrid_search/post_processor/keyword_cosine"
    autoload :KeywordScores, "hybrid_search/post_processor/keyword_cosine"
    autoload :RankedList, "hybrid_search/post_processor/ranked_list"
    autoload :ScoreWeights, "hybrid_search/post_processor/weighted_score"
    autoload :WeightedScore, "hybrid_search/post_processor/weighted_score"
  end

  # The parts of {Retriever}.
  module Retrievers
    autoload :CandidateBlock, "hybrid_search/retriever/recall"
    autoload :Explain, "hybrid_search/retriever/explain"
    autoload :Facets, "hybrid_search/retriever/facets"
    autoload :FetchedCandidates, "hybrid_search/retriever/recall"
    autoload :FieldWords, "hybrid_search/retriever/field_words"
    autoload :FilterWarnings, "hybrid_search/retriever/filter_warnings"
    autoload :FullPages, "hybrid_search/retriever/page_entries"
    autoload :PageEntries, "hybrid_search/retriever/page_entries"
    autoload :Profiles, "hybrid_search/retriever/profiles"
    autoload :RankedBlock, "hybrid_search/retriever/page"
    autoload :RankedEntry, "hybrid_search/retriever/page"
    autoload :Ranker, "hybrid_search/retriever/ranker"
    autoload :Recall, "hybrid_search/retriever/recall"
    autoload :Recalled, "hybrid_search/retriever/recall"
    autoload :RetrievalOptions, "hybrid_search/retriever/request"
    autoload :RetrievalRequest, "hybrid_search/retriever/request"
    autoload :RetrieverSettings, "hybrid_search/retriever/retriever_settings"
    autoload :TextQuestion, "hybrid_search/retriever/recall"
    autoload :Window, "hybrid_search/retriever/window"
    autoload :WindowPages, "hybrid_search/retriever/page_entries"
  end

  # The parts of {DocumentBuilder} and of the writing methods of {Index}.
  module Records
    autoload :BatchLimits, "hybrid_search/records/batch_limits"
    autoload :ImportBatch, "hybrid_search/records/importer"
    autoload :Importer, "hybrid_search/records/importer"
    autoload :IndexDocuments, "hybrid_search/records/index_documents"
    autoload :RecordChanges, "hybrid_search/records/record_changes"
    autoload :RecordFields, "hybrid_search/records/record_fields"
    autoload :RecordMapping, "hybrid_search/records/record_mapping"
    autoload :RecordOf, "hybrid_search/records/record_of"
    autoload :RecordSources, "hybrid_search/records/record_sources"
    autoload :RecordValues, "hybrid_search/records/record_values"
    autoload :RecordVectors, "hybrid_search/records/record_vectors"
    autoload :RecordWriter, "hybrid_search/records/record_writer"
    autoload :Selection, "hybrid_search/records/selection"
    autoload :TextWorkers, "hybrid_search/records/text_workers"
    autoload :WorkerMessages, "hybrid_search/records/worker_messages"
    autoload :WorkerProcess, "hybrid_search/records/worker_process"
    autoload :WorkerProgram, "hybrid_search/records/worker_program"
  end

  # The readers that turn files into records.
  module Readers
    autoload :AddedFiles, "hybrid_search/readers/file_import"
    autoload :FileBytes, "hybrid_search/readers/file_bytes"
    autoload :FileImport, "hybrid_search/readers/file_import"
    autoload :FileKinds, "hybrid_search/readers/file_kinds"
    autoload :FileLedger, "hybrid_search/readers/file_ledger"
    autoload :FileReader, "hybrid_search/readers/file_reader"
    autoload :FileRecord, "hybrid_search/readers/file_record"
    autoload :FileText, "hybrid_search/readers/file_text"
    autoload :FileWalk, "hybrid_search/readers/file_walk"
    autoload :FileWatch, "hybrid_search/readers/file_watch"
    autoload :FoundFile, "hybrid_search/readers/file_walk"
    autoload :GlobPattern, "hybrid_search/readers/glob_pattern"
    autoload :GzipStream, "hybrid_search/readers/gzip_stream"
    autoload :IndexAdditions, "hybrid_search/readers/index_additions"
    autoload :SkippedFile, "hybrid_search/readers/file_walk"
    autoload :TableCells, "hybrid_search/readers/table_cells"
    autoload :TableRows, "hybrid_search/readers/table_rows"
  end

  # The parts of {Chunker}.
  module Chunkers
    autoload :ChunkRecords, "hybrid_search/chunker/chunk_records"
    autoload :Fence, "hybrid_search/chunker/markdown_lines"
    autoload :Item, "hybrid_search/chunker/markdown_lines"
    autoload :MarkdownLines, "hybrid_search/chunker/markdown_lines"
    autoload :MarkdownReader, "hybrid_search/chunker/markdown"
    autoload :Packer, "hybrid_search/chunker/packer"
    autoload :Passage, "hybrid_search/chunker/section"
    autoload :PlainText, "hybrid_search/chunker/plain_text"
    autoload :Section, "hybrid_search/chunker/section"
    autoload :Sentences, "hybrid_search/chunker/sentences"
    autoload :SourceLine, "hybrid_search/chunker/source_lines"
    autoload :SourceLines, "hybrid_search/chunker/source_lines"
    autoload :SourceText, "hybrid_search/chunker/source_lines"
    autoload :Span, "hybrid_search/chunker/packer"
    autoload :TokenCounter, "hybrid_search/chunker/token_counter"
    autoload :Unit, "hybrid_search/chunker/units"
    autoload :UnitMaker, "hybrid_search/chunker/units"
  end

  # The parts of the searches of an {Index}.
  module Search
    autoload :AnswerSentence, "hybrid_search/search/answer_sentences"
    autoload :AnswerSentences, "hybrid_search/search/answer_sentences"
    autoload :Arranged, "hybrid_search/search/arrangement"
    autoload :Arrangement, "hybrid_search/search/arrangement"
    autoload :Browse, "hybrid_search/search/browse"
    autoload :Child, "hybrid_search/search/parents"
    autoload :CitationSource, "hybrid_search/search/citation_sources"
    autoload :CitationSources, "hybrid_search/search/citation_sources"
    autoload :Citer, "hybrid_search/search/citer"
    autoload :ContentTokens, "hybrid_search/search/content_tokens"
    autoload :Cursor, "hybrid_search/search/cursor"
    autoload :CursorCodec, "hybrid_search/search/cursor"
    autoload :Diversity, "hybrid_search/search/diversity"
    autoload :Duplicate, "hybrid_search/search/near_duplicates"
    autoload :FilteredDocuments, "hybrid_search/search/filtered_documents"
    autoload :FragmentOptions, "hybrid_search/search/fragments"
    autoload :Fragments, "hybrid_search/search/fragments"
    autoload :Groups, "hybrid_search/search/groups"
    autoload :Hits, "hybrid_search/search/hits"
    autoload :IndexSearches, "hybrid_search/search/index_searches"
    autoload :IndexTags, "hybrid_search/search/index_tags"
    autoload :MarginalRelevance, "hybrid_search/search/diversity"
    autoload :NearDuplicates, "hybrid_search/search/near_duplicates"
    autoload :Neighbours, "hybrid_search/search/neighbours"
    autoload :Parents, "hybrid_search/search/parents"
    autoload :RankedScores, "hybrid_search/search/ranking"
    autoload :Ranking, "hybrid_search/search/ranking"
    autoload :RankingKey, "hybrid_search/search/ranking_key"
    autoload :RankingOrder, "hybrid_search/search/ranking_key"
    autoload :Rewriting, "hybrid_search/search/rewriting"
    autoload :Rewritten, "hybrid_search/search/rewritten"
    autoload :SearchOptions, "hybrid_search/search/search_options"
    autoload :SearchRequest, "hybrid_search/search/search_request"
    autoload :SearchSettings, "hybrid_search/search/search_settings"
    autoload :Searcher, "hybrid_search/search/searcher"
    autoload :Similar, "hybrid_search/search/similar"
    autoload :Stretch, "hybrid_search/search/ranking"
    autoload :TagOptions, "hybrid_search/search/tagger"
    autoload :Tagger, "hybrid_search/search/tagger"
    autoload :Walk, "hybrid_search/search/search_request"
  end

  # The parts of {RetrievalService}.
  module RetrievalServices
    autoload :ScoreTable, "hybrid_search/retrieval_service/score_table"
    autoload :SearchLegs, "hybrid_search/retrieval_service/search_legs"
    autoload :ServiceCandidates, "hybrid_search/retrieval_service/service_candidates"
  end

  # Fast implementations; each has the results of the plain one that {Kernels} names next to it.
  module Accelerated
    autoload :AddedTerms, "hybrid_search/accelerated/added_terms"
    autoload :Basis, "hybrid_search/accelerated/near_posting"
    autoload :BestFields, "hybrid_search/accelerated/best_fields"
    autoload :BestSums, "hybrid_search/accelerated/best_sums"
    autoload :Bm25fLeg, "hybrid_search/accelerated/bm25f_postings"
    autoload :Bm25fPostings, "hybrid_search/accelerated/bm25f_postings"
    autoload :CachedCollection, "hybrid_search/accelerated/postgres_documents"
    autoload :CachedMasks, "hybrid_search/accelerated/cached_masks"
    autoload :CachedPostings, "hybrid_search/accelerated/cached_postings"
    autoload :CachedState, "hybrid_search/accelerated/cached_states"
    autoload :CachedStates, "hybrid_search/accelerated/cached_states"
    autoload :CommonSums, "hybrid_search/accelerated/common_sums"
    autoload :DocumentTable, "hybrid_search/accelerated/document_table"
    autoload :FastAnalyzer, "hybrid_search/accelerated/fast_analyzer"
    autoload :FastBlockScores, "hybrid_search/accelerated/fast_block_scores"
    autoload :FastDenseIndex, "hybrid_search/accelerated/fast_dense_index"
    autoload :FastDocumentIndex, "hybrid_search/accelerated/fast_document_index"
    autoload :FastInvertedIndex, "hybrid_search/accelerated/fast_inverted_index"
    autoload :FastLegHead, "hybrid_search/accelerated/fast_leg_head"
    autoload :FastSqlitePostings, "hybrid_search/accelerated/fast_sqlite_postings"
    autoload :FastTermSimilarity, "hybrid_search/accelerated/fast_term_similarity"
    autoload :FastTermWeight, "hybrid_search/accelerated/fast_term_weight"
    autoload :FastVectorSimilarity, "hybrid_search/accelerated/fast_vector_similarity"
    autoload :FieldPart, "hybrid_search/accelerated/field_parts"
    autoload :FieldPostings, "hybrid_search/accelerated/field_postings"
    autoload :FilterMasks, "hybrid_search/accelerated/filter_masks"
    autoload :Gmp, "hybrid_search/accelerated/gmp"
    autoload :GmpBytes, "hybrid_search/accelerated/gmp_bytes"
    autoload :GmpLanes, "hybrid_search/accelerated/gmp_lanes"
    autoload :IntegerBytes, "hybrid_search/accelerated/integer_bytes"
    autoload :IntegerLanes, "hybrid_search/accelerated/integer_lanes"
    autoload :KeptByNumber, "hybrid_search/accelerated/kept_by_number"
    autoload :KeptCounts, "hybrid_search/accelerated/kept_counts"
    autoload :KeptDocuments, "hybrid_search/accelerated/kept_documents"
    autoload :KeptEntries, "hybrid_search/accelerated/kept_entries"
    autoload :KeptIdentifiers, "hybrid_search/accelerated/kept_identifiers"
    autoload :KeptLengths, "hybrid_search/accelerated/kept_lengths"
    autoload :KeyTable, "hybrid_search/accelerated/key_table"
    autoload :KnownPostings, "hybrid_search/accelerated/known_postings"
    autoload :LivingSlots, "hybrid_search/accelerated/living_slots"
    autoload :MovedPosting, "hybrid_search/accelerated/moved_posting"
    autoload :NativeDenseIndex, "hybrid_search/accelerated/native_dense_index"
    autoload :NativeDocumentIndex, "hybrid_search/accelerated/native_documents"
    autoload :NativePostgresDocuments, "hybrid_search/accelerated/native_documents"
    autoload :NativeSqliteDocuments, "hybrid_search/accelerated/native_documents"
    autoload :NativeSums, "hybrid_search/accelerated/native_sums"
    autoload :NearPosting, "hybrid_search/accelerated/near_posting"
    autoload :PostgresDocuments, "hybrid_search/accelerated/postgres_documents"
    autoload :PostgresIndex, "hybrid_search/accelerated/postgres_documents"
    autoload :PostgresListings, "hybrid_search/accelerated/postgres_listings"
    autoload :PostgresMasks, "hybrid_search/accelerated/postgres_masks"
    autoload :PostgresVectors, "hybrid_search/accelerated/postgres_vectors"
    autoload :Posting, "hybrid_search/accelerated/posting"
    autoload :PreparedDocument, "hybrid_search/accelerated/prepared"
    autoload :PreparedKeys, "hybrid_search/accelerated/prepared_keys"
    autoload :QueryEvaluator, "hybrid_search/accelerated/query_evaluator"
    autoload :Room, "hybrid_search/accelerated/room"
    autoload :SketchColumns, "hybrid_search/accelerated/sketch_columns"
    autoload :SqliteDocuments, "hybrid_search/accelerated/sqlite_documents"
    autoload :SqliteIndex, "hybrid_search/accelerated/sqlite_documents"
    autoload :SqliteMasks, "hybrid_search/accelerated/sqlite_masks"
    autoload :SqliteVectors, "hybrid_search/accelerated/sqlite_vectors"
    autoload :StoredInvertedIndex, "hybrid_search/accelerated/stored_inverted_index"
    autoload :TableIndex, "hybrid_search/accelerated/table_index"
    autoload :TextCandidates, "hybrid_search/accelerated/text_candidates"
    autoload :TouchedDocument, "hybrid_search/accelerated/touched_documents"
    autoload :TouchedDocuments, "hybrid_search/accelerated/touched_documents"
    autoload :Vocabulary, "hybrid_search/accelerated/prepared"
  end

  # The parts of {HttpService}.
  module Server
    autoload :AccessLog, "hybrid_search/server/access_log"
    autoload :AllowedHosts, "hybrid_search/server/allowed_hosts"
    autoload :BearerTokens, "hybrid_search/server/bearer_tokens"
    autoload :HttpApi, "hybrid_search/server/server_exchange"
    autoload :HttpHead, "hybrid_search/server/http_message"
    autoload :HttpJson, "hybrid_search/server/http_json"
    autoload :HttpMetrics, "hybrid_search/server/http_metrics"
    autoload :HttpProblem, "hybrid_search/server/http_problem"
    autoload :HttpServer, "hybrid_search/server/http_server"
    autoload :HttpSettings, "hybrid_search/server/http_settings"
    autoload :Negotiation, "hybrid_search/server/negotiation"
    autoload :Operations, "hybrid_search/server/operations"
    autoload :QueryString, "hybrid_search/server/query_string"
    autoload :Route, "hybrid_search/server/routes"
    autoload :Routes, "hybrid_search/server/routes"
    autoload :ServerExchange, "hybrid_search/server/server_exchange"
    autoload :ServerResponse, "hybrid_search/server/http_message"
    autoload :Serving, "hybrid_search/server/serving"
    autoload :StaticFiles, "hybrid_search/server/static_files"
    autoload :WorkerProcesses, "hybrid_search/server/worker_processes"
  end

  INTERNAL = %i[
    Accelerated Base Chunkers Cli Client Convergence Embeddings Fusions PostProcessors QueryBuilders Readers Records
    Rerankers RetrievalServices Retrievers Search Server Stores Text
  ].freeze
  private_constant :INTERNAL, *INTERNAL

  class << self
    # @return [#warn, nil] receives a line for each failure (LOG-1); nil: failures are not logged
    attr_reader :logger
    # @return [#instrument, #call, nil] the default observer of each {Index} and {Retriever} (OBS-1)
    attr_reader :observer

    # @param logger [#warn, nil] a `Logger`, or an object with the same methods
    # @raise [InvalidInputError] it has no `warn`
    def logger=(logger)
      unless logger.nil? || logger.respond_to?(:warn)
        raise Base::Validation.failure("logger", logger, "an object with warn")
      end

      @logger = logger
    end

    # @param observer [#instrument, #call, nil] see {Base::Observation#initialize}
    # @raise [InvalidInputError] it is not an observer
    def observer=(observer)
      Base::Observation.new(observer)
      @observer = observer
    end
  end
end

require_relative "hybrid_search/railtie" if defined?(Rails::Railtie)
