# frozen_string_literal: true

require_relative "hybrid_search/errors"

# Hybrid retrieval for Chinese and English: full text + dense vectors, fusion, rerank, stable pagination.
#
# The Python package `hybrid_search` is the reference; this gem gives the same answers bit for bit.
# Files load on first use, so that a program pays only for what it uses.
module HybridSearch
  VERSION = "0.1.0"

  autoload :Characters, "hybrid_search/characters"
  autoload :Config, "hybrid_search/config"
  autoload :DocumentBuilder, "hybrid_search/document_builder"
  autoload :Index, "hybrid_search/index"
  autoload :MatchDenseExpr, "hybrid_search/expressions"
  autoload :MatchTextExpr, "hybrid_search/expressions"
  autoload :Numeric, "hybrid_search/numeric"
  autoload :Ordering, "hybrid_search/ordering"
  autoload :Validation, "hybrid_search/validation"

  autoload :Dictionary, "hybrid_search/text/dictionary"
  autoload :Normalizer, "hybrid_search/text/normalizer"
  autoload :Segmenter, "hybrid_search/text/segmenter"
  autoload :Stemmer, "hybrid_search/text/stemmer"
  autoload :Tokenizer, "hybrid_search/text/tokenizer"

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

  autoload :Fusion, "hybrid_search/fusion/fusion"
  autoload :FusionExpr, "hybrid_search/fusion/fusion_expr"
  autoload :ScoreNormalizer, "hybrid_search/fusion/normalizer"
  autoload :Weights, "hybrid_search/fusion/weights"

  autoload :PackedKeys, "hybrid_search/reranker/packed_keys"
  autoload :RankFeatures, "hybrid_search/reranker/rank_features"
  autoload :RerankModel, "hybrid_search/reranker/rerank_model"
  autoload :RerankOutcome, "hybrid_search/reranker/outcome"
  autoload :Reranker, "hybrid_search/reranker/reranker"
  autoload :Spacing, "hybrid_search/reranker/spacing"
  autoload :StrictJson, "hybrid_search/reranker/strict_json"
  autoload :VectorSimilarity, "hybrid_search/reranker/vector_similarity"

  autoload :DocStoreAdapter, "hybrid_search/doc_store_adapter/base"
  autoload :MemoryDocStore, "hybrid_search/doc_store_adapter/memory"
  autoload :PreparedDocument, "hybrid_search/doc_store_adapter/prepared"
  autoload :SearchResult, "hybrid_search/doc_store_adapter/search_result"
  autoload :StoredFields, "hybrid_search/doc_store_adapter/stored_fields"
  autoload :Vocabulary, "hybrid_search/doc_store_adapter/prepared"

  autoload :Chunk, "hybrid_search/retriever/result"
  autoload :Explain, "hybrid_search/retriever/explain"
  autoload :RankedBlock, "hybrid_search/retriever/page"
  autoload :Recall, "hybrid_search/retriever/recall"
  autoload :Recalled, "hybrid_search/retriever/recall"
  autoload :RetrievalOptions, "hybrid_search/retriever/request"
  autoload :RetrievalRequest, "hybrid_search/retriever/request"
  autoload :RetrievalResult, "hybrid_search/retriever/result"
  autoload :Retriever, "hybrid_search/retriever/retriever"
  autoload :RerankWindow, "hybrid_search/retriever/window"
end
