"""Hybrid retrieval for Chinese and English: full text + dense vectors, fusion, rerank, stable pagination.

This package is the reference; the Ruby gem `hybrid_search` gives the same answers bit for bit. Names load on first
use, so that a program pays only for what it uses.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hybrid_search.async_index import AsyncIndex
    from hybrid_search.chunker.chunker import Chunker
    from hybrid_search.convergence.block_index import BlockIndex
    from hybrid_search.convergence.convergent_retriever import ConvergentRetriever
    from hybrid_search.doc_store_adapter.base import DocStoreAdapter
    from hybrid_search.doc_store_adapter.memory.memory_doc_store import MemoryDocStore
    from hybrid_search.doc_store_adapter.oceanbase.oceanbase_doc_store import OceanBaseDocStore
    from hybrid_search.doc_store_adapter.opensearch.opensearch_doc_store import OpenSearchDocStore
    from hybrid_search.doc_store_adapter.postgres.postgres_doc_store import PostgresDocStore
    from hybrid_search.doc_store_adapter.sqlite.sqlite_doc_store import SqliteDocStore
    from hybrid_search.embedding.cache import EmbeddingCache
    from hybrid_search.embedding.embedding import Embedding
    from hybrid_search.embedding.hashing import HashingEmbedder
    from hybrid_search.embedding.local_models import Model2VecEmbedder, SentenceTransformerEmbedder
    from hybrid_search.embedding.open_ai import OpenAiEmbedder
    from hybrid_search.errors import (
        ConfigurationError,
        DimensionMismatchError,
        DocStoreError,
        EmbeddingError,
        HybridSearchError,
        IndexCorruptError,
        InvalidCursorError,
        InvalidInputError,
        RerankError,
        UnknownOutcomeError,
    )
    from hybrid_search.fusion.fusion import Fusion
    from hybrid_search.index import Index
    from hybrid_search.post_processor.configuration import RetrievalConfiguration
    from hybrid_search.post_processor.document import Document
    from hybrid_search.post_processor.metadata_conditions import MetadataConditions
    from hybrid_search.post_processor.post_processor import PostProcessor
    from hybrid_search.query_builder.builder import QueryBuilder
    from hybrid_search.query_builder.synonyms import Synonyms
    from hybrid_search.query_builder.term_weight import TermWeight
    from hybrid_search.query_builder.word_net import WordNet
    from hybrid_search.records.beir_collection import BeirCollection
    from hybrid_search.records.document_builder import DocumentBuilder
    from hybrid_search.reranker.cross_encoder import CrossEncoderModel
    from hybrid_search.reranker.http_reranker import HttpReranker
    from hybrid_search.reranker.partial_rerank import PartialRerank
    from hybrid_search.reranker.reranker import Reranker
    from hybrid_search.retrieval_service.retrieval_service import RetrievalService
    from hybrid_search.retriever.result import Chunk, RetrievalResult
    from hybrid_search.retriever.retriever import Retriever
    from hybrid_search.search.cited_answer import CitedAnswer, CitedSource, CitedSpan
    from hybrid_search.search.hit import Hit, Scores
    from hybrid_search.search.page import Page
    from hybrid_search.search.ranking_cache import RankingCache
    from hybrid_search.server.http_service import HttpService
    from hybrid_search.text.keyword_cache import KeywordCache
    from hybrid_search.text.keyword_extractor import KeywordExtractor
    from hybrid_search.text.segmenter import Segmenter
    from hybrid_search.text.tokenizer import Tokenizer

__version__ = "0.1.0"

_MODULES = {
    "AsyncIndex": "async_index",
    "BeirCollection": "records.beir_collection",
    "BlockIndex": "convergence.block_index",
    "Chunk": "retriever.result",
    "Chunker": "chunker.chunker",
    "CitedAnswer": "search.cited_answer",
    "CitedSource": "search.cited_answer",
    "CitedSpan": "search.cited_answer",
    "ConfigurationError": "errors",
    "ConvergentRetriever": "convergence.convergent_retriever",
    "CrossEncoderModel": "reranker.cross_encoder",
    "DimensionMismatchError": "errors",
    "DocStoreAdapter": "doc_store_adapter.base",
    "DocStoreError": "errors",
    "Document": "post_processor.document",
    "DocumentBuilder": "records.document_builder",
    "Embedding": "embedding.embedding",
    "EmbeddingCache": "embedding.cache",
    "EmbeddingError": "errors",
    "Fusion": "fusion.fusion",
    "HashingEmbedder": "embedding.hashing",
    "Hit": "search.hit",
    "HttpReranker": "reranker.http_reranker",
    "HttpService": "server.http_service",
    "HybridSearchError": "errors",
    "Index": "index",
    "IndexCorruptError": "errors",
    "InvalidCursorError": "errors",
    "InvalidInputError": "errors",
    "KeywordCache": "text.keyword_cache",
    "KeywordExtractor": "text.keyword_extractor",
    "MemoryDocStore": "doc_store_adapter.memory.memory_doc_store",
    "MetadataConditions": "post_processor.metadata_conditions",
    "Model2VecEmbedder": "embedding.local_models",
    "OpenAiEmbedder": "embedding.open_ai",
    "OceanBaseDocStore": "doc_store_adapter.oceanbase.oceanbase_doc_store",
    "OpenSearchDocStore": "doc_store_adapter.opensearch.opensearch_doc_store",
    "Page": "search.page",
    "PartialRerank": "reranker.partial_rerank",
    "PostProcessor": "post_processor.post_processor",
    "PostgresDocStore": "doc_store_adapter.postgres.postgres_doc_store",
    "QueryBuilder": "query_builder.builder",
    "RankingCache": "search.ranking_cache",
    "RerankError": "errors",
    "Reranker": "reranker.reranker",
    "RetrievalConfiguration": "post_processor.configuration",
    "RetrievalResult": "retriever.result",
    "RetrievalService": "retrieval_service.retrieval_service",
    "Retriever": "retriever.retriever",
    "Scores": "search.hit",
    "Segmenter": "text.segmenter",
    "SentenceTransformerEmbedder": "embedding.local_models",
    "SqliteDocStore": "doc_store_adapter.sqlite.sqlite_doc_store",
    "Synonyms": "query_builder.synonyms",
    "TermWeight": "query_builder.term_weight",
    "Tokenizer": "text.tokenizer",
    "UnknownOutcomeError": "errors",
    "WordNet": "query_builder.word_net",
}

__all__ = [
    "AsyncIndex",
    "BeirCollection",
    "BlockIndex",
    "Chunk",
    "Chunker",
    "CitedAnswer",
    "CitedSource",
    "CitedSpan",
    "ConfigurationError",
    "ConvergentRetriever",
    "CrossEncoderModel",
    "DimensionMismatchError",
    "DocStoreAdapter",
    "DocStoreError",
    "Document",
    "DocumentBuilder",
    "Embedding",
    "EmbeddingCache",
    "EmbeddingError",
    "Fusion",
    "HashingEmbedder",
    "Hit",
    "HttpReranker",
    "HttpService",
    "HybridSearchError",
    "Index",
    "IndexCorruptError",
    "InvalidCursorError",
    "InvalidInputError",
    "KeywordCache",
    "KeywordExtractor",
    "MemoryDocStore",
    "MetadataConditions",
    "Model2VecEmbedder",
    "OceanBaseDocStore",
    "OpenAiEmbedder",
    "OpenSearchDocStore",
    "Page",
    "PartialRerank",
    "PostProcessor",
    "PostgresDocStore",
    "QueryBuilder",
    "RankingCache",
    "RerankError",
    "Reranker",
    "RetrievalConfiguration",
    "RetrievalResult",
    "RetrievalService",
    "Retriever",
    "Scores",
    "Segmenter",
    "SentenceTransformerEmbedder",
    "SqliteDocStore",
    "Synonyms",
    "TermWeight",
    "Tokenizer",
    "UnknownOutcomeError",
    "WordNet",
    "__version__",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"hybrid_search.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
