"""Reranks the head of a ranked list with a model; the rest keeps its order (RNK-8)."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from hybrid_search.base import ordering, validation
from hybrid_search.doc_store_adapter.documents.stored_fields import StoredFields
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.errors import InvalidInputError
from hybrid_search.fusion import normalizer
from hybrid_search.protocols import RerankSource
from hybrid_search.reranker import spacing
from hybrid_search.reranker.rerank_model import RerankModel

OPTIONS = (
    "model",
    "rerank_top_k",
    "rerank_fusion",
    "rerank_weight",
    "rerank_batch_size",
    "fail_open",
    "rerank_timeout",
)
FUSIONS = ("replace", "linear")

Status = Literal["applied", "skipped", "failed"]


@dataclass(frozen=True)
class TieredEntry:
    """One entry of a partly reranked list.

    Attributes:
        id: the id.
        tier: 0 if the model scored it, otherwise 1.
        score: its score within its tier: the model's score, alone or mixed, or the stage-1 score.
        stage1_score: its given score.
        model_score: the model's score on [0, 1], `None` in tier 1.
        normalized_score: the stage-1 score, min-max normalised over the head, if it was mixed in; otherwise `None`.
    """

    id: str
    tier: int
    score: float
    stage1_score: float
    model_score: float | None = None
    normalized_score: float | None = None


@dataclass(frozen=True)
class PartialOutcome:
    """A partly reranked list.

    Attributes:
        entries: in the order of ORD-2.
        status: "applied": the model scored the head; "skipped": there was nothing to score; "failed": the model failed.
        warnings: readable texts about steps that continued without the model.
    """

    entries: Sequence[TieredEntry]
    status: Status
    warnings: Sequence[str] = ()


class PartialRerank:
    """Reranks the head of lists with a model.

    Entries that the model scored come before all others. Scores of the two parts are therefore never compared, no score
    is invented, and paging and sums of scores stay correct.

    Args:
        model: an object with `similarity(query, texts)`, or a callable (RNK-3).
        rerank_top_k: the maximum number of entries for the model, at least 0.
        rerank_fusion: "replace": only the model's score counts; "linear": weight·model + (1 − weight)·stage-1 score,
            the latter min-max normalised over the head.
        rerank_weight: the model's share in a linear mix, 0 to 1.
        rerank_batch_size: the maximum number of texts in one call of the model, at least 1; `None` passes all texts at
            once.
        fail_open: whether a failing or late model leaves the list unchanged, with a warning (RNK-7).
        rerank_timeout: the maximum number of seconds for the model, over all batches; above 0.

    Raises:
        InvalidInputError: an argument is not acceptable.
    """

    @validation.known_options(OPTIONS)
    def __init__(
        self,
        model: RerankSource,
        rerank_top_k: int = 64,
        rerank_fusion: str = "replace",
        rerank_weight: float = 0.8,
        rerank_batch_size: int | None = None,
        fail_open: bool = True,
        rerank_timeout: float = 30.0,
    ) -> None:
        self._model = RerankModel(model, fail_open, rerank_timeout, rerank_batch_size)
        self._top_k = validation.integer("rerank_top_k", rerank_top_k, 0)
        self._fusion = validation.choice("rerank_fusion", rerank_fusion, FUSIONS)
        self._weight = validation.number("rerank_weight", rerank_weight, 0, 1)

    def rerank(
        self, query: str, ids: Sequence[str], scores: Sequence[float], text_of: Callable[[str], str | None]
    ) -> PartialOutcome:
        """Return the list with its head reranked.

        Args:
            query: the query as typed; an empty query leaves the list unchanged, with a warning.
            ids: the entries, each once; they are first sorted by ORD-1, so the head is the best of them.
            scores: their stage-1 scores, finite.
            text_of: returns the text of an entry of the head, by its id; an entry with an empty text, or `None`, is in
                tier 1.

        Raises:
            InvalidInputError: an argument is not acceptable.
            RerankError: the model failed or was late, and `fail_open` is false.
        """
        query = validation.text("query", query)
        ids, scores = _checked(ids, scores)
        if not callable(text_of):
            raise validation.fail("text_of", text_of, "a callable from an id to a text")
        order = ordering.rank_indexes(ids, scores)
        head = order[: self._top_k]
        if not head:
            return self._unchanged(ids, scores, order, "skipped")
        if not query:
            return self._unchanged(ids, scores, order, "skipped", "the query is empty")
        texts = {index: text for index in head if (text := _text(ids[index], text_of(ids[index])))}
        if not texts:
            return self._unchanged(ids, scores, order, "skipped", f"none of the first {len(head)} has a text")
        model_scores, warning = self._model.attempt(query, list(texts.values()))
        if model_scores is None:
            return PartialOutcome(self._plain(ids, scores, order), "failed", (str(warning),))
        return self._merged(ids, scores, order, head, dict(zip(texts, model_scores, strict=True)))

    def rerank_result(self, query: str, result: SearchResult, scores: Sequence[float]) -> PartialOutcome:
        """Return the documents of a search result with their head reranked; the model receives the texts of RNK-2.

        Args:
            query: the query as typed.
            result: the documents.
            scores: their stage-1 scores, in the order of `result.ids`.

        Raises:
            InvalidInputError: an argument is not acceptable.
            RerankError: the model failed or was late, and `fail_open` is false.
        """
        if not isinstance(result, SearchResult):
            raise validation.fail("result", result, "a SearchResult")
        reader = StoredFields()

        def text_of(identifier: str) -> str:
            fields = result.fields.get(identifier)
            given = fields if isinstance(fields, Mapping) else {}
            return spacing.remove_redundant(" ".join(StoredFields.model_tokens(identifier, given, reader)))

        outcome = self.rerank(query, result.ids, scores, text_of)
        return PartialOutcome(outcome.entries, outcome.status, (*reader.warnings(), *outcome.warnings))

    def _merged(
        self, ids: list[str], scores: list[float], order: list[int], head: list[int], model_scores: dict[int, float]
    ) -> PartialOutcome:
        normalized = self._normalized(head, scores)
        entries = [
            self._scored(ids[index], scores[index], model_scores[index], normalized.get(index))
            if index in model_scores
            else TieredEntry(ids[index], 1, scores[index], scores[index])
            for index in order
        ]
        entries.sort(key=lambda entry: ordering.tiered_key(entry.tier, entry.score, entry.stage1_score, entry.id))
        return PartialOutcome(tuple(entries), "applied")

    def _normalized(self, head: list[int], scores: list[float]) -> dict[int, float]:
        """Return the head's stage-1 scores, min-max normalised over the whole head, if they are mixed in."""
        if self._fusion == "replace":
            return {}
        values = [scores[index] for index in head]
        if not math.isfinite(values[0] - values[-1]):
            raise InvalidInputError("the spread of the scores is not finite: they cannot be normalised")
        return dict(zip(head, normalizer.min_max(values), strict=True))

    def _scored(
        self, identifier: str, stage1_score: float, model_score: float, normalized: float | None
    ) -> TieredEntry:
        if normalized is None:
            return TieredEntry(identifier, 0, model_score, stage1_score, model_score)
        score = self._weight * model_score + (1.0 - self._weight) * normalized
        return TieredEntry(identifier, 0, score, stage1_score, model_score, normalized)

    def _unchanged(
        self, ids: list[str], scores: list[float], order: list[int], status: Status, reason: str | None = None
    ) -> PartialOutcome:
        warnings = () if reason is None else (f"ranked without the rerank model: {reason}",)
        return PartialOutcome(self._plain(ids, scores, order), status, warnings)

    @staticmethod
    def _plain(ids: list[str], scores: list[float], order: list[int]) -> tuple[TieredEntry, ...]:
        return tuple(TieredEntry(ids[index], 1, scores[index], scores[index]) for index in order)


def _checked(ids: Sequence[str], scores: Sequence[float]) -> tuple[list[str], list[float]]:
    names = validation.texts("ids", ids)
    if isinstance(scores, str) or not isinstance(scores, Sequence):
        raise validation.fail("scores", scores, "a list of finite numbers")
    if len(scores) != len(names):
        raise InvalidInputError(f"scores must be as many as ids, {len(names)}, not {len(scores)}")
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InvalidInputError(f"ids must not repeat {validation.describe(name)}")
        seen.add(name)
    return names, [validation.number(f"scores[{index}]", score) for index, score in enumerate(scores)]


def _text(identifier: str, text: Any) -> str | None:
    return None if text is None else validation.text(f"the text of {validation.describe(identifier)}", text)
