"""Retrieves documents with Dify's settings from any document store (DFY-6)."""

from collections.abc import Mapping, Sequence
from typing import Any

from hybrid_search.base import characters, log, object_checks, validation
from hybrid_search.base.observation import Observation, Observer
from hybrid_search.doc_store_adapter import store_argument
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.embedding import embedding_argument
from hybrid_search.embedding.cache import EmbeddingCache
from hybrid_search.embedding.embedding import Embedding
from hybrid_search.errors import ConfigurationError, HybridSearchError
from hybrid_search.post_processor import ranked_list
from hybrid_search.post_processor.configuration import RetrievalConfiguration
from hybrid_search.post_processor.dify_settings import MODES, OTHER_NAMES, SETTINGS, WEIGHTED
from hybrid_search.post_processor.document import Document
from hybrid_search.post_processor.post_processor import PostProcessor, ProcessedDocuments
from hybrid_search.protocols import Embedder, RerankSource
from hybrid_search.query_builder.builder import QueryBuilder
from hybrid_search.reranker import rerank_choice
from hybrid_search.retrieval_service import score_table
from hybrid_search.retrieval_service.search_legs import SearchLegs
from hybrid_search.retrieval_service.service_candidates import ServiceCandidates
from hybrid_search.retrieval_service.service_result import ServiceResult
from hybrid_search.text.keyword_cache import KeywordCache
from hybrid_search.text.keyword_extractor import KeywordExtractor

DEFAULT_CANDIDATES = 200
OPTIONS = (
    "query_builder",
    "embedding",
    "models",
    "candidates",
    "fail_open",
    "rerank_timeout",
    "keyword_limit",
    "reorder",
    "keyword_extractor",
    "observer",
)
RETRIEVE_OPTIONS = (*SETTINGS, "configuration", "document_ids_filter", "explain", *OTHER_NAMES)
HYBRID = ("semantic_search", "full_text_search")


class RetrievalService:
    """Retrieves documents from a store by semantic, full-text, keyword or hybrid search.

    Stateless between calls except for the caches of query vectors and keywords, and safe to share between threads as
    far as its store, its embedding and its models are.

    Args:
        store: the documents.
        query_builder: makes text queries, and provides the tokenizer and the maximum length of a query; by default a
            `QueryBuilder`.
        embedding: makes query vectors: an `Embedding` or a provider; its vectors are cached (EMB-3). Semantic and
            hybrid search require it.
        models: name in the settings → rerank model, or the name of one (DFY-7, RNK-9).
        candidates: the number of candidates of each leg of a hybrid or reranked search, at least 1; also the largest
            `top_k`.
        fail_open: whether a failing leg or model causes a warning (true) or an error.
        rerank_timeout: the maximum number of seconds for a rerank model; above 0.
        keyword_limit: the maximum number of words of a document; `None` or 0 uses all words.
        reorder: whether the best documents go to both ends (DFY-5).
        keyword_extractor: finds keywords, which are cached; words must be added to it before. By default a
            `KeywordExtractor`.
        observer: called with the name and the data of each event (OBS-1).

    Raises:
        InvalidInputError: an argument is not acceptable, or unknown.
    """

    @validation.known_options(OPTIONS)
    def __init__(
        self,
        store: DocStoreAdapter,
        query_builder: QueryBuilder | None = None,
        embedding: Embedding | Embedder | None = None,
        models: Mapping[str, RerankSource | str] | None = None,
        candidates: int = DEFAULT_CANDIDATES,
        fail_open: bool = True,
        rerank_timeout: float = 30.0,
        keyword_limit: int | None = None,
        reorder: bool = False,
        keyword_extractor: KeywordExtractor | KeywordCache | None = None,
        observer: Observation | Observer | None = None,
    ) -> None:
        self._models = {
            name: rerank_choice.accept(f"models[{validation.describe(name)}]", model)
            for name, model in validation.mapping("models", {} if models is None else models).items()
        }
        store_argument.accept("store", store)
        self._candidates = validation.integer("candidates", candidates, 1)
        self._observation = Observation.of(observer)
        self._fail_open = validation.boolean("fail_open", fail_open)
        self._reorder = validation.boolean("reorder", reorder)
        extractor = (
            keyword_extractor if isinstance(keyword_extractor, KeywordCache) else KeywordCache(keyword_extractor)
        )
        self._processing: dict[str, Any] = {
            "keyword_limit": keyword_limit,
            "reorder": reorder,
            "fail_open": fail_open,
            "rerank_timeout": rerank_timeout,
            "keyword_extractor": extractor,
        }
        for mode in MODES:  # refuses options that no retrieval could use
            PostProcessor(mode, "1,1", lambda _query, _texts: [], **self._processing)
        self._query_builder = (
            QueryBuilder()
            if query_builder is None
            else object_checks.instance("query_builder", query_builder, QueryBuilder, "a QueryBuilder")
        )
        self._legs = SearchLegs(store, self._query_builder, _cached(embedding), extractor)

    def retrieve(
        self,
        query: str,
        configuration: RetrievalConfiguration | Mapping[str, Any] | str | None = None,
        document_ids_filter: Sequence[str] | None = None,
        explain: bool = False,
        **settings: Any,
    ) -> ServiceResult:
        """Return the best documents for a query.

        Args:
            query: the query as typed, at most as long as the query builder's `max_question_length`, in code points; a
                blank query finds nothing.
            configuration: Dify's settings, an object or its JSON text (DFY-7).
            document_ids_filter: the parents' ids (`document_id`) of the documents to search; `None` searches all
                documents, and [] searches no documents.
            explain: whether the result explains its scores.
            settings: `search_method`, `top_k`, `score_threshold`, `reranking_enable`, `reranking_mode`,
                `reranking_model`, `weights`, `metadata_filtering_conditions`, which override those of the configuration
                (DFY-7). `top_k` is from 1 to `candidates`. The threshold applies to the final score, or to the cosines
                in hybrid search without reranking. It does not apply to full-text and keyword scores unless they are
                reranked. Hybrid search applies weights in the mode weighted_score whether reranking is on or off.

        Raises:
            InvalidInputError: an argument is not acceptable, or unknown.
            ConfigurationError: a model is unknown, or weights or the embedding are missing.
            EmbeddingError: the embedding failed, and there is no other leg, or `fail_open` is false.
            DocStoreError: the store failed, under the same condition.
            RerankError: the rerank model failed and `fail_open` is false.
        """
        with self._observation.measure("retrieve") as event:
            found = self._retrieve(query, configuration, document_ids_filter, explain, settings)
            event.update(shown=len(found.documents), warnings=len(found.warnings))
            return found

    def _retrieve(
        self, query: Any, configuration: Any, document_ids_filter: Any, explain: Any, settings: Mapping[str, Any]
    ) -> ServiceResult:
        validation.known("option", settings, RETRIEVE_OPTIONS)
        query = self._query_builder.accept_question(query, "query")
        wanted = self._configuration(configuration, settings)
        filters: dict[str, Any] = {"available_int": 1, **wanted.filters}
        if document_ids_filter is not None:
            filters["doc_id"] = validation.texts("document_ids_filter", document_ids_filter)
        explain = validation.boolean("explain", explain)
        processor = self._processor(wanted)
        if not characters.strip(query.replace("\x00", " ")) or filters.get("doc_id") == []:
            return ServiceResult((), (), score_table.explain(wanted, "leg", (), ()) if explain else None)
        with self._observation.measure("recall", method=wanted.search_method) as event:
            candidates, warnings = self._recall(query, wanted, filters)
            event.update(candidates=candidates.count)
        documents, cosine_warnings = self._documents(query, wanted, filters, candidates)
        with self._observation.measure("rerank", candidates=len(documents)) as event:
            processed = self._processed(query, wanted, processor, documents)
            event.update(shown=len(processed.documents), formula=_formula(wanted, processed))
        warnings = (*self._vector_warnings(candidates), *warnings, *cosine_warnings)
        return ServiceResult(
            processed.documents,
            (*warnings, *candidates.warnings(), *processed.warnings),
            score_table.explain(wanted, _formula(wanted, processed), processed.query_keywords, processed.documents)
            if explain
            else None,
        )

    def _vector_warnings(self, candidates: ServiceCandidates) -> tuple[str, ...]:
        return self._legs.warnings() if "semantic_search" in candidates.leg_names else ()

    def _configuration(self, configuration: Any, settings: Mapping[str, Any]) -> RetrievalConfiguration:
        wanted = RetrievalConfiguration.parse(configuration, settings)
        validation.integer("top_k", wanted.top_k, 1, self._candidates)
        if wanted.search_method in ("semantic_search", "hybrid_search") and not self._legs.has_embedding:
            raise ConfigurationError(f"{wanted.search_method} needs an embedding")
        return wanted

    def _processor(self, wanted: RetrievalConfiguration) -> PostProcessor | None:
        if not wanted.reranks:
            return None
        return PostProcessor.from_configuration(wanted, self._models, **self._processing)

    def _recall(
        self, query: str, wanted: RetrievalConfiguration, filters: Mapping[str, Any]
    ) -> tuple[ServiceCandidates, tuple[str, ...]]:
        """Return the results of the legs, and a warning for a leg that failed."""
        method = wanted.search_method
        if method != "hybrid_search":
            depth = self._candidates if wanted.reranks else wanted.top_k
            with log.failures(HybridSearchError):
                return ServiceCandidates([(method, self._legs.search(method, query, filters, depth))]), ()
        answers = self._legs.together(
            [lambda leg=leg: self._legs.search(leg, query, filters, self._candidates) for leg in HYBRID]  # type: ignore[misc]
        )
        found: list[tuple[str, SearchResult]] = []
        problems: list[tuple[str, HybridSearchError]] = []
        for leg, answer in zip(HYBRID, answers, strict=True):
            if isinstance(answer, HybridSearchError):
                problems.append((leg, answer))
            else:
                found.append((leg, answer))
        if problems and (not self._fail_open or not found):
            with log.failures(HybridSearchError):
                raise problems[0][1]
        return ServiceCandidates(found), tuple(
            _warned(f"retrieved without {leg}: {problem}") for leg, problem in problems
        )

    def _documents(
        self, query: str, wanted: RetrievalConfiguration, filters: Mapping[str, Any], candidates: ServiceCandidates
    ) -> tuple[list[Document], tuple[str, ...]]:
        """Return the documents to score, and a warning if their cosines are missing."""
        hybrid = wanted.search_method == "hybrid_search"
        weighted = wanted.reranks and wanted.reranking_mode == WEIGHTED
        cosines: Mapping[str, float] = {}
        warnings: tuple[str, ...] = ()
        if (weighted and not hybrid) or (hybrid and "semantic_search" in candidates.leg_names):
            cosines, warnings = self._cosines(query, filters, candidates)
        scores: Mapping[str, float] = {}
        if not weighted:
            scores = candidates.fused_scores() if hybrid else candidates.leg_scores()
        return candidates.documents(scores, cosines), warnings

    def _cosines(
        self, query: str, filters: Mapping[str, Any], candidates: ServiceCandidates
    ) -> tuple[dict[str, float], tuple[str, ...]]:
        """Return the store's cosines of documents that no semantic leg found, or a warning if there are none."""
        if not self._legs.has_embedding:
            return {}, ("ranked without vectors: there is no embedding",)
        try:
            return self._legs.cosines(query, candidates.without("semantic_search"), filters), ()
        except HybridSearchError as problem:
            if not self._fail_open:
                log.warning(str(problem))
                raise
            return {}, (_warned(f"ranked without vectors: {problem}"),)

    def _processed(
        self,
        query: str,
        wanted: RetrievalConfiguration,
        processor: PostProcessor | None,
        documents: list[Document],
    ) -> ProcessedDocuments:
        if processor is not None:
            return processor.process(query, documents, wanted.score_threshold, wanted.top_k)
        threshold = wanted.score_threshold
        if wanted.search_method == "hybrid_search":
            documents = _near(documents, threshold)
        shown_documents = ranked_list.cut(
            documents, threshold if wanted.search_method == "semantic_search" else None, wanted.top_k
        )
        if self._reorder:
            shown_documents = ranked_list.reorder(shown_documents)
        return ProcessedDocuments(tuple(shown_documents))


def _near(documents: list[Document], threshold: float | None) -> list[Document]:
    """Return documents whose cosine, 0 if missing, reaches the threshold; all of them if no cosine is known."""
    cosines = [document.metadata.get("vector_score") for document in documents]
    if threshold is None or all(cosine is None for cosine in cosines):
        return documents
    return [
        document
        for document, cosine in zip(documents, cosines, strict=True)
        if (0.0 if cosine is None else cosine) >= threshold
    ]


def _formula(wanted: RetrievalConfiguration, processed: ProcessedDocuments) -> str:
    if wanted.reranks and processed.applied:
        return wanted.reranking_mode
    return "rrf" if wanted.search_method == "hybrid_search" else "leg"


def _warned(warning: str) -> str:
    log.warning(warning)
    return warning


def _cached(embedding: Any) -> Embedding | None:
    """Return the embedding with a cache; one that is a cache already is returned as it is."""
    if isinstance(embedding, EmbeddingCache):
        return Embedding(embedding)
    accepted = embedding_argument.accept("embedding", embedding)
    return None if accepted is None else Embedding(EmbeddingCache(accepted))
