"""One total order over all candidates (CUR-2, RNK-8)."""

import bisect
import dataclasses
import math
from collections.abc import Collection, Mapping, Sequence
from itertools import repeat
from typing import Any

from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.fusion.fused_legs import FusedLegs
from hybrid_search.reranker.partial_rerank import PartialOutcome, TieredEntry
from hybrid_search.retriever.explain import query_explanation
from hybrid_search.retriever.facets import facets
from hybrid_search.retriever.page import RankedBlock
from hybrid_search.retriever.recall import Recalled
from hybrid_search.retriever.request import RetrievalRequest
from hybrid_search.search.arrangement import Arranged
from hybrid_search.search.hit import Hit, Scores
from hybrid_search.search.ranking_key import RankingKey, RankingOrder
from hybrid_search.search.search_request import SearchRequest


@dataclasses.dataclass(frozen=True)
class Stretch:
    """Consecutive places in a ranking.

    Attributes:
        keys: the places.
        follows: whether more places follow.
    """

    keys: Sequence[RankingKey]
    follows: bool


@dataclasses.dataclass(frozen=True)
class RankedScores:
    """The data from which the scores of hits are read.

    Attributes:
        bm25: id → score of the text leg.
        cosines: id → cosine, of documents for which the dense leg has computed it.
        legs: the contribution of each leg to a fusion, `None` if the fusion does not report it.
        reranked: id → term and vector similarity, if candidates were reranked by tokens and vectors.
        models: id → the model's score.
        replacing: the ids of parents, whose scores are made from those of their children.
        has_text: whether there was a text leg.
        has_vector: whether there was a dense leg.
    """

    bm25: Mapping[str, float] = dataclasses.field(default_factory=dict)
    cosines: Mapping[str, float] = dataclasses.field(default_factory=dict)
    legs: FusedLegs | None = None
    reranked: Mapping[str, tuple[float, float]] = dataclasses.field(default_factory=dict)
    models: Mapping[str, float] = dataclasses.field(default_factory=dict)
    replacing: Collection[str] = ()
    has_text: bool = False
    has_vector: bool = False

    def of(self, identifier: str, cosine: float | None) -> Scores:
        """Return the scores of a hit.

        Args:
            identifier: its id.
            cosine: its cosine, if the dense leg has not computed it.
        """
        if identifier in self.replacing:
            return Scores(cosine=self.cosines.get(identifier, cosine))
        text, vector = self._normalised(identifier)
        return Scores(
            bm25=self.bm25.get(identifier),
            cosine=self.cosines.get(identifier, cosine),
            text=text if self.has_text else None,
            vector=vector if self.has_vector else None,
            rerank=self.models.get(identifier),
        )

    def _normalised(self, identifier: str) -> tuple[float | None, float | None]:
        if self.legs is not None:
            return self.legs.text.similarity(identifier), self.legs.dense.similarity(identifier)
        return self.reranked.get(identifier, (None, None))


@dataclasses.dataclass(frozen=True)
class Ranking:
    """The places of all hits of a request in their order, without documents and vectors.

    Attributes:
        order: the order.
        keys: the places, in that order; of a part of the ranking, those that are shown.
        scores: the data from which the scores of hits are read.
        query_vector: the vector with which documents were compared, `None` without a dense leg.
        fingerprint: the fingerprint of the request, which cursors of this ranking contain.
        is_cut: whether the store found the maximum number of candidates, so that more may match.
        warnings: problems that did not stop the search.
        marked: the words to highlight.
        facets: name → {value, count} over all hits, `None` unless requested.
        explain: the explanation of the ranking without the parts of the hits, `None` unless requested.
        parts: id → its place and score in recall, if `explain` was requested.
        arranged: the additional parts of hits, if the ranking is arranged before it is shown.
        is_moved: whether the places are in an order other than `order`.
    """

    order: RankingOrder
    keys: Sequence[RankingKey]
    scores: RankedScores
    fingerprint: str
    query_vector: Sequence[float] | None = None
    is_cut: bool = False
    warnings: Sequence[str] = ()
    marked: Sequence[str] = ()
    facets: Mapping[str, Sequence[Mapping[str, Any]]] | None = None
    explain: Mapping[str, Any] | None = None
    parts: Mapping[str, Mapping[str, Any]] = dataclasses.field(default_factory=dict)
    arranged: Arranged | None = None
    is_moved: bool = False

    @property
    def total(self) -> int:
        """The number of hits."""
        return len(self.keys)

    def explained(self, question: Mapping[str, Any], hits: Sequence[Hit]) -> dict[str, Any] | None:
        """Return the explanation of the ranking, with the parts of these hits; `None` unless requested.

        Args:
            question: the explanation of the question.
            hits: the hits.
        """
        if self.explain is None:
            return None
        found = [dict(self.parts.get(hit.id, {"id": hit.id})) for hit in hits]
        if self.arranged is not None:
            found = [{**parts, **self.arranged.explained(parts["id"], self.parts)} for parts in found]
        return {**question, **self.explain, "hits": found}

    def after(self, key: RankingKey | None, position: int, size: int) -> Stretch:
        """Return the next places, at most `size`.

        Args:
            key: the place of the last hit that was shown; it need not be in this ranking. `None`: `position` is used.
            position: the number of hits that were shown before.
            size: the maximum number of places.
        """
        first = position
        if key is not None and self.is_moved:
            first = next((place for place, one in enumerate(self.keys, start=1) if one.id == key.id), position)
        elif key is not None:
            first = bisect.bisect_left(self.keys, True, key=lambda one: self.order.compare(one, key) > 0)
        return Stretch(self.keys[first : first + size], first + size < len(self.keys))


def nothing(retrieval: RetrievalRequest) -> Ranking:
    """Return a ranking without places."""
    return Ranking(RankingOrder(()), (), RankedScores(), "", facets=facets(retrieval, {}))


def explanation(retrieval: RetrievalRequest, block: RankedBlock, arranged: Arranged | None) -> dict[str, Any]:
    """Return the explanation of a ranking, with the counts of its arrangement."""
    explained = query_explanation(retrieval, block)
    return explained if arranged is None else {**explained, "arrangement": dict(arranged.counts)}


def ranked_keys(
    request: SearchRequest, order: RankingOrder, block: RankedBlock, partial: PartialOutcome | None
) -> list[RankingKey]:
    """Return the places of a block in their order, without those below the lowest score.

    Args:
        request: the request.
        order: the total order.
        block: all candidates, with the scores of the first stage.
        partial: the candidates after a rerank by a model, `None` without a model.
    """
    outcome = block.outcome
    scored = {} if partial is None else {entry.id: entry for entry in partial.entries if entry.tier == 0}
    lowest = request.retrieval.similarity_threshold if request.retrieval.has_threshold else -math.inf
    if not scored and not order.is_by_fields:
        places = zip(repeat(()), repeat(1), outcome.similarity, outcome.stage1_scores, outcome.ids, strict=False)
        return order.sorted(RankingKey._make(place) for place in places if place[2] >= lowest)
    fields = block.recalled.result.fields
    keys: list[RankingKey] = []
    for identifier, similarity, stage1 in zip(outcome.ids, outcome.similarity, outcome.stage1_scores, strict=True):
        entry = scored.get(identifier)
        tier, score = (1, similarity) if entry is None else (0, entry.score)
        if score >= lowest:
            values = order.values(fields.get(identifier, {})) if order.is_by_fields else ()
            keys.append(RankingKey(values, tier, score, stage1 if entry is None else entry.stage1_score, identifier))
    return order.sorted(keys)


def fused_keys(result: SearchResult) -> list[RankingKey]:
    """Return the places of candidates that remain in the order of their fusion (RET-10)."""
    scores = [result.scores[identifier] for identifier in result.ids]
    similarities = scores if result.fused is None else result.fused.similarities(scores)
    places = zip(repeat(()), repeat(1), similarities, scores, result.ids, strict=False)
    return [RankingKey._make(place) for place in places]


def fused_scores(recalled: Recalled) -> RankedScores:
    """Return the data from which the scores of such hits are read."""
    result = recalled.result
    return RankedScores(
        bm25=result.text_scores,
        cosines={} if result.dense_scores is None else result.dense_scores.cosines,
        legs=result.fused,
        has_text=recalled.query is not None,
        has_vector=result.query_vector is not None,
    )


def ranked_scores(block: RankedBlock, partial: PartialOutcome | None, arranged: Arranged | None) -> RankedScores:
    """Return the data from which the scores of a block's hits are read."""
    replacing: Collection[str] = () if arranged is None else arranged.children
    outcome = block.outcome
    reranked: dict[str, tuple[float, float]] = {}
    if outcome.formula in ("weighted", "term"):
        pairs = zip(outcome.ids, outcome.term_similarity, outcome.vector_similarity, strict=True)
        reranked = {identifier: (term, vector) for identifier, term, vector in pairs}
    models = {entry.id: entry.model_score for entry in _scored(partial) if entry.model_score is not None}
    return dataclasses.replace(fused_scores(block.recalled), reranked=reranked, models=models, replacing=replacing)


def _scored(partial: PartialOutcome | None) -> Sequence[TieredEntry]:
    return () if partial is None else partial.entries
