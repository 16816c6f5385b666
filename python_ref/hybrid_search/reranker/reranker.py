"""Reranks the documents that recall found (RNK-1, RNK-2, RNK-7)."""

from collections.abc import Mapping, Sequence
from typing import Any

from hybrid_search.base import numeric, object_checks, validation
from hybrid_search.base.kernels import kernel
from hybrid_search.doc_store_adapter.documents.stored_fields import StoredFields
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.protocols import RerankSource
from hybrid_search.reranker import spacing
from hybrid_search.reranker.outcome import Formula, RerankOutcome
from hybrid_search.reranker.rank_features import RankFeatures
from hybrid_search.reranker.rerank_model import RerankModel
from hybrid_search.reranker.term_similarity import QuestionReader, TermSimilarity
from hybrid_search.reranker.vector_similarity import VectorSimilarity

OPTIONS = ("tkweight", "vtweight", "rank_feature", "keywords")
MODEL_OPTIONS = ("tkweight", "vtweight", "rank_feature", "fail_open", "rerank_timeout", "keywords")


class Reranker:
    """Scores the documents of a search result against the question; stateless between calls.

    Args:
        query_builder: reads questions and compares tokens.
        kernels: "plain" or "fast", see `kernels.choice`; fast ones use data that a store has prepared and computed.

    Raises:
        InvalidInputError: no kernels have this name.
        ConfigurationError: the environment variable contains an unknown name.
    """

    @validation.known_options(("kernels",))
    def __init__(self, query_builder: QuestionReader, kernels: str | None = None) -> None:
        object_checks.having(
            "query_builder", query_builder, ("build_text_query", "token_similarity"), "a QueryBuilder, or like one"
        )
        self._terms: TermSimilarity = kernel("term_similarity", kernels)(query_builder)
        self._vectors: type[VectorSimilarity] = kernel("vector_similarity", kernels)

    @validation.known_options(OPTIONS)
    def rerank_by_hybrid(
        self,
        result: SearchResult,
        question: str,
        tkweight: float = 0.3,
        vtweight: float = 0.7,
        rank_feature: Mapping[str, float] | None = None,
        keywords: Sequence[str] | None = None,
    ) -> RerankOutcome:
        """Return the weighted sum of token and vector similarity (RNK-1).

        Args:
            result: the documents; `query_vector` is compared with their `q_{dim}_vec`.
            question: the question as typed.
            tkweight: the weight of the token similarity, at least 0.
            vtweight: the weight of the vector similarity, at least 0.
            rank_feature: the query's tags (RNK-5).
            keywords: the question's keywords; `None` extracts them from the question.

        Raises:
            InvalidInputError: an argument is not acceptable, or a similarity is not finite.
        """
        _check_result(result)
        tkweight = validation.number("tkweight", tkweight, 0)
        vtweight = validation.number("vtweight", vtweight, 0)
        reader = StoredFields()
        terms = self._terms.of_result(result, self._keywords(question, keywords), reader)
        vectors = self._vector_similarities(result, reader)
        features = RankFeatures.scores(result, rank_feature, reader)
        formula: Formula = "term" if numeric.sum_left(vectors) == 0.0 else "weighted"
        if formula == "term":
            similarity = [term + feature for term, feature in zip(terms, features, strict=True)]
        else:
            similarity = [
                vtweight * vector + tkweight * term + feature
                for vector, term, feature in zip(vectors, terms, features, strict=True)
            ]
        return RerankOutcome(result.ids, similarity, terms, vectors, features, formula, reader.warnings())

    @validation.known_options(MODEL_OPTIONS)
    def rerank_by_model(
        self,
        model: RerankSource,
        result: SearchResult,
        question: str,
        tkweight: float = 0.3,
        vtweight: float = 0.7,
        rank_feature: Mapping[str, float] | None = None,
        fail_open: bool = True,
        rerank_timeout: float = 30.0,
        keywords: Sequence[str] | None = None,
    ) -> RerankOutcome:
        """Return the weighted sum of token similarity and a model's score (RNK-2).

        Args:
            model: an object with `similarity(query, texts)`, or a callable (RNK-3).
            result: the documents.
            question: the question as typed; the model receives it unchanged.
            tkweight: the weight of the token similarity, at least 0.
            vtweight: the weight of the model's score, at least 0.
            rank_feature: the query's tags (RNK-5).
            fail_open: whether a failing or late model causes a warning and the outcome of `rerank_by_hybrid` (RNK-7).
            rerank_timeout: the maximum number of seconds for the model; above 0.
            keywords: the question's keywords; `None` extracts them from the question.

        Raises:
            InvalidInputError: an argument is not acceptable, or a similarity is not finite.
            RerankError: the model failed or was late, and `fail_open` is false.
        """
        rerank_model = RerankModel(model, fail_open, rerank_timeout)
        _check_result(result)
        tkweight = validation.number("tkweight", tkweight, 0)
        vtweight = validation.number("vtweight", vtweight, 0)
        reader = StoredFields()
        known = self._keywords(question, keywords)
        documents = [StoredFields.model_tokens(name, result.fields_of(name), reader) for name in result.ids]
        texts = [spacing.remove_redundant(" ".join(tokens)) for tokens in documents]
        features = RankFeatures.scores(result, rank_feature, reader)
        scores, warning = rerank_model.attempt(question, texts)
        if scores is None:
            fallback = self.rerank_by_hybrid(result, question, tkweight, vtweight, rank_feature, known)
            return fallback.with_warning(str(warning))
        terms = self._terms.of_tokens(known, documents)
        similarity = [
            tkweight * term + vtweight * score + feature
            for term, score, feature in zip(terms, scores, features, strict=True)
        ]
        return RerankOutcome(result.ids, similarity, terms, scores, features, "model", reader.warnings())

    def _keywords(self, question: str, known: Sequence[str] | None) -> Sequence[str]:
        checked = validation.text("question", question)
        return self._terms.keywords(checked) if known is None else validation.texts("keywords", known)

    def _vector_similarities(self, result: SearchResult, reader: StoredFields) -> list[float]:
        if result.query_vector is None:
            return [0.0] * len(result.ids)
        query_vector = validation.vector("query_vector", result.query_vector)
        return self._vectors.similarities(result, query_vector, reader)


def _check_result(result: Any) -> None:
    if not isinstance(result, SearchResult):
        raise validation.fail("result", result, "a SearchResult")
