"""Post-processes the documents of a search as Dify does: deduplicates, scores, sorts and cuts them (DFY-1 … DFY-5)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hybrid_search.base import validation
from hybrid_search.errors import ConfigurationError
from hybrid_search.post_processor import ranked_list, weighted_score
from hybrid_search.post_processor.configuration import RetrievalConfiguration
from hybrid_search.post_processor.dify_settings import MODEL, MODES, WEIGHTED
from hybrid_search.post_processor.document import Document
from hybrid_search.post_processor.keyword_cosine import KeywordCosine
from hybrid_search.post_processor.weighted_score import ScoreWeights
from hybrid_search.protocols import RerankSource
from hybrid_search.reranker.rerank_model import RerankModel
from hybrid_search.text.keyword_cache import KeywordSource

OPTIONS = (
    "reranking_mode",
    "weights",
    "reranking_model",
    "keyword_limit",
    "reorder",
    "fail_open",
    "rerank_timeout",
    "keyword_extractor",
)
PROCESS_OPTIONS = ("score_threshold", "top_n", "query_vector")

Limits = tuple[float | None, int | None]
"""The lowest score shown, and the maximum number of documents."""


@dataclass(frozen=True)
class ProcessedDocuments:
    """The documents in order, as copies of the given ones.

    Attributes:
        documents: with `score` in their metadata.
        warnings: problems that did not stop the work.
        query_keywords: words and parts of the query if keywords were compared, otherwise empty.
        applied: whether the documents were scored; false if the model failed.
    """

    documents: tuple[Document, ...]
    warnings: tuple[str, ...] = ()
    query_keywords: tuple[str, ...] = ()
    applied: bool = True

    def to_dict(self) -> dict[str, Any]:
        """Return documents and warnings as plain data."""
        return {
            "documents": [document.to_dict() for document in self.documents],
            "warnings": list(self.warnings),
        }


class PostProcessor:
    """Scores the documents of a search and returns the best.

    Stateless between calls, and safe to share between threads as far as its model is.

    Args:
        reranking_mode: "weighted_score" or "reranking_model".
        weights: the weights of vectors and keywords, for weighted_score: Dify's object, or "0.3,0.7", or a list of the
            two.
        reranking_model: an object with `similarity(query, texts)`, or a callable, for reranking_model.
        keyword_limit: the maximum number of words of a document; `None` or 0 uses all words (Dify uses 10).
        reorder: whether the best documents go to both ends (DFY-5).
        fail_open: whether a failing or late model causes a warning (true) or a `RerankError` (RNK-7).
        rerank_timeout: the maximum number of seconds for the model; above 0.
        keyword_extractor: finds keywords, or a `KeywordCache`; by default a `KeywordExtractor`.

    Raises:
        ConfigurationError: weighted_score without weights, reranking_model without a model.
        InvalidInputError: an argument is not acceptable, or unknown.
    """

    @validation.known_options(OPTIONS)
    def __init__(
        self,
        reranking_mode: str,
        weights: ScoreWeights | Mapping[str, Any] | str | Sequence[float] | None = None,
        reranking_model: RerankSource | None = None,
        keyword_limit: int | None = None,
        reorder: bool = False,
        fail_open: bool = True,
        rerank_timeout: float = 30.0,
        keyword_extractor: KeywordSource | None = None,
    ) -> None:
        self._mode = validation.choice("reranking_mode", reranking_mode, MODES)
        self._reorder = validation.boolean("reorder", reorder)
        validation.boolean("fail_open", fail_open)
        self._model: RerankModel | None = None
        if self._mode == WEIGHTED:
            if weights is None:
                raise ConfigurationError("reranking_mode weighted_score needs weights")
            self._keyword_cosine = KeywordCosine(keyword_extractor, keyword_limit)
            self._weights = ScoreWeights.parse(weights)
        else:
            if reranking_model is None:
                raise ConfigurationError("reranking_mode reranking_model needs a reranking_model")
            self._model = RerankModel(reranking_model, fail_open, rerank_timeout, name="reranking_model")

    @classmethod
    def from_configuration(
        cls,
        configuration: "RetrievalConfiguration | Mapping[str, Any] | str",
        models: Mapping[str, RerankSource] | None = None,
        **options: Any,
    ) -> "PostProcessor":
        """Return a processor with the mode, weights and model of Dify's configuration.

        Args:
            configuration: Dify's object or its JSON text (DFY-7); its `reranking_enable` is ignored.
            models: rerank models by their names.
            options: the other options of the constructor.

        Raises:
            ConfigurationError: weighted_score without weights, no model or an unknown one.
            InvalidInputError: the configuration or an option is not acceptable.
        """
        parsed = RetrievalConfiguration.parse(configuration)
        validation.known("option", options, OPTIONS[3:])
        model = parsed.model(models) if parsed.reranking_mode == MODEL else None
        return cls(parsed.reranking_mode, parsed.weights, model, **options)

    @validation.known_options(PROCESS_OPTIONS)
    def process(
        self,
        query: str,
        documents: Sequence[Document | Mapping[str, Any]],
        score_threshold: float | None = None,
        top_n: int | None = None,
        query_vector: Sequence[float] | None = None,
    ) -> ProcessedDocuments:
        """Return the scored documents that reach the threshold, best first.

        Args:
            query: the query as typed.
            documents: `Document`s or objects of `page_content` and `metadata`; they are not changed.
            score_threshold: the lowest score shown; `None` or 0 shows all.
            top_n: the maximum number of documents; `None` or 0 returns all.
            query_vector: for documents that have a `vector` and no score, in weighted_score.

        Raises:
            InvalidInputError: an argument is not acceptable, or unknown.
            DimensionMismatchError: the vectors and that of the query have different lengths.
            RerankError: the model failed or was late, and `fail_open` is false.
        """
        query = validation.text("query", query)
        limits = ranked_list.limits(score_threshold, top_n)
        vector = None if query_vector is None else validation.vector("query_vector", query_vector)
        given = Document.build_many("documents", documents)
        if vector is not None:
            for index, document in enumerate(given):
                document.check_dimension(f"documents[{index}]", len(vector))
        first = ranked_list.deduplicate(given)
        if self._model is None:
            return self._by_weights(query, first, limits, vector)
        return self._by_model(self._model, query, first, limits)

    def _by_weights(
        self, query: str, documents: list[Document], limits: Limits, vector: list[float] | None
    ) -> ProcessedDocuments:
        keywords = self._keyword_cosine.scores(query, [document.page_content for document in documents])
        scored = weighted_score.score(documents, keywords, self._weights, vector)
        return ProcessedDocuments(self._arranged(ranked_list.cut(scored, *limits)), (), keywords.query_keywords)

    def _by_model(
        self, model: RerankModel, query: str, documents: list[Document], limits: Limits
    ) -> ProcessedDocuments:
        """Score all texts in one call of the model, with unchanged scores (DFY-4); without scores the order stays."""
        scores, warning = model.attempt(query, [document.page_content for document in documents], scaled=False)
        if scores is None:
            shown = ranked_list.best(documents, limits[1])
            return ProcessedDocuments(self._arranged(shown), (str(warning),), (), False)
        pairs = zip(documents, scores, strict=True)
        scored = [document.with_metadata({"score": score}) for document, score in pairs]
        return ProcessedDocuments(self._arranged(ranked_list.cut(scored, *limits)))

    def _arranged(self, documents: list[Document]) -> tuple[Document, ...]:
        return tuple(ranked_list.reorder(documents) if self._reorder else documents)
