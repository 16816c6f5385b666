"""The checked options of one search, with their defaults filled in (CUR-1, IDX-6)."""

import dataclasses
import re
from collections.abc import Mapping
from typing import Any, TypeVar

from hybrid_search.base import validation
from hybrid_search.errors import DocStoreError, InvalidCursorError, InvalidInputError
from hybrid_search.fusion.fusion_expr import FusionExpr
from hybrid_search.protocols import RerankSource, Rewrite
from hybrid_search.query_builder import question_words
from hybrid_search.records import record_of
from hybrid_search.reranker.partial_rerank import PartialRerank
from hybrid_search.retriever import profiles
from hybrid_search.retriever.request import DEFAULTS, RetrievalRequest
from hybrid_search.search import arrangement, neighbours
from hybrid_search.search import cursor as cursors
from hybrid_search.search.arrangement import Arrangement
from hybrid_search.search.cursor import Cursor
from hybrid_search.search.fragments import FragmentOptions
from hybrid_search.search.ranking_key import RankingKey
from hybrid_search.search.rewritten import AS_GIVEN, Rewritten, accept
from hybrid_search.search.search_options import SEARCH_DEFAULTS

LAST_PAGE = 1_000_000_000
"""The last page; higher numbers count as this one, which is empty."""
NUMBER = re.compile(r"\s*\+?0*([0-9]{1,10})\s*")
PER_CALL = {"vector": None, "limit": None, "page": None, "cursor": None}
"""The options that usually change from call to call."""


Values = TypeVar("Values", bound="RetrievalRequest | SearchRequest")


@dataclasses.dataclass(frozen=True)
class SearchRequest:
    """A question with its checked options; see `Index.search` for their meaning.

    Attributes:
        retrieval: the request for recall and the first stage: without the model; its `topk` is the number of
            candidates.
        model: the rerank model, or `None`.
        vector: the vector whose nearest documents are found, or `None`.
        limit: the number of hits on a page.
        page: the number of the page; 1 with a cursor.
        cursor: the cursor as given, `None` for a page by number.
        refuses_changes: whether a changed index is an error.
        min_cosine: the lowest cosine of a hit, `None` for no limit.
        include: the additional parts of hits.
        context: the number of neighbours of a hit on each side.
        arrangement: the changes of the ranking before it is shown, `None` without such changes.
        highlight: whether hits contain their content with the matches marked.
        fragments: the options of fragments, `None` without fragments.
        partial: reranks the head by the model, `None` without a model, or if the walk continues without it.
        rerank: the other options on which that rerank depends.
        keeps_fusion: whether all candidates stay as they were fused, and nothing is counted over them.
        rewrite: a callable that may change the question and the filters before the search, or `None` (RWR-1).
        rewritten: the changes of that callable.
        settled: the parts of fingerprints that do not change from call to call, computed on first use.
    """

    retrieval: RetrievalRequest
    model: RerankSource | None
    vector: tuple[float, ...] | None
    limit: int
    page: int
    cursor: Any
    refuses_changes: bool
    min_cosine: float | None
    include: tuple[str, ...]
    context: int
    arrangement: Arrangement | None
    highlight: bool
    fragments: FragmentOptions | None
    partial: PartialRerank | None
    rerank: Mapping[str, Any]
    keeps_fusion: bool
    rewrite: Rewrite | None
    rewritten: Rewritten = AS_GIVEN
    settled: dict[bool, Mapping[str, str]] = dataclasses.field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def build(cls, question: Any, options: Mapping[str, Any], max_results: int) -> "SearchRequest":
        """Check a question and its options.

        Args:
            question: the question.
            options: the given options.
            max_results: the maximum of `limit` and of the number of candidates.

        Raises:
            InvalidInputError: an option is unknown, or a value is not accepted; the message names it.
        """
        validation.known("option", options, tuple(SEARCH_DEFAULTS))
        given = _filled(options)
        if "weights" in options:  # also where the method has none
            FusionExpr("weighted_sum", 1, {"weights": options["weights"]})
        highlight = validation.boolean("highlight", given["highlight"])
        fragments = None if given["fragments"] is None else FragmentOptions.of(given["fragments"])
        candidates = validation.integer("candidates", given["candidates"], 1)
        shared = {name: value for name, value in given.items() if name in DEFAULTS and name != "page"}
        retrieval = RetrievalRequest.build(
            question,
            {
                **shared,
                "highlight": highlight or fragments is not None,
                "topk": min(candidates, max_results),
                "similarity_threshold": validation.number("min_score", given["min_score"]),
            },
            int(DEFAULTS["page_size"]),
        )
        partial = _partial(retrieval, given)
        changes = validation.choice("on_index_change", given["on_index_change"], profiles.CHOICES["on_index_change"])
        return cls(
            retrieval=retrieval.without_model(),
            model=retrieval.rerank_model,
            **_place(given, retrieval, max_results),
            refuses_changes=changes == "error",
            min_cosine=_cosine(given["min_cosine"], retrieval),
            include=record_of.included(given["include"]),
            context=validation.integer("context", given["context"], 0, neighbours.MOST),
            arrangement=(arranged := _arrangement(given, retrieval)),
            highlight=highlight,
            fragments=fragments,
            partial=None if retrieval.rerank_model is None else partial,
            rerank={
                "rerank_top_k": int(given["rerank_top_k"]),
                "rerank_fusion": given["rerank_fusion"],
                "rerank_weight": float(given["rerank_weight"]),
            },
            keeps_fusion=arranged is None and _keeps_fusion(retrieval, given["min_cosine"]),
            rewrite=None if given["rewrite"] is None else accept(given["rewrite"]),
        )

    def for_call(self, question: str, options: Mapping[str, Any], max_results: int) -> "SearchRequest":
        """Return this request for another question and place; the other options need not be checked again.

        Args:
            question: the question, accepted.
            options: the given options, all from `PER_CALL`.
            max_results: the maximum of `limit`.

        Raises:
            InvalidInputError: a value is not accepted; the message names it.
        """
        if self.retrieval.match_all:
            retrieval = self.retrieval.asking(question)
        else:
            retrieval = _changed(self.retrieval, question=question)
        place = _place({**PER_CALL, "limit": self.limit, **options}, retrieval, max_results)
        return _changed(self, retrieval=retrieval, **place)

    @property
    def candidates(self) -> int:
        """The maximum number of documents that are ranked."""
        return self.retrieval.topk

    @property
    def position(self) -> int:
        """The number of hits on the previous pages, without a cursor."""
        return (self.page - 1) * self.limit

    @property
    def is_blank(self) -> bool:
        """Whether the request is empty: no question, no vector, and no `match_all` (RET-6)."""
        return self.vector is None and not self.retrieval.match_all and question_words.is_blank(self.retrieval.question)

    def without_model(self) -> "SearchRequest":
        """Return the same request for a walk that continues without its failing model."""
        return dataclasses.replace(self, partial=None)

    def fingerprint(self, model_failed: bool = False) -> str:
        """Return the fingerprint that distinguishes requests: 16 hex digits (CUR-3).

        Args:
            model_failed: whether the walk continues without the model, because it failed on an earlier page.
        """
        if model_failed not in self.settled:
            self.settled[model_failed] = {
                name: cursors.canonical(value) for name, value in self._settled(model_failed).items()
            }
        asked: dict[str, Any] = {"question": self.retrieval.question, **self.rewritten.asked}
        if not self.retrieval.match_all:
            asked["vector"] = self.vector
        changing = {name: cursors.canonical(value) for name, value in asked.items()}
        return cursors.fingerprint({**self.settled[model_failed], **changing})

    def _settled(self, model_failed: bool) -> dict[str, Any]:
        asked = {
            "filters": self.retrieval.filters,
            "order_by": self.retrieval.order_by,
            "match_all": self.retrieval.match_all,
        }
        return asked if self.retrieval.match_all else {**asked, **self._of_ranking(model_failed)}

    def _of_ranking(self, model_failed: bool) -> dict[str, Any]:
        request = self.retrieval
        return {
            "candidates": request.topk,
            "min_score": request.similarity_threshold,
            "min_cosine": self.min_cosine,
            "vector_similarity_weight": request.vector_similarity_weight,
            "rank_feature": request.rank_feature,
            **({"rank_feature_recall": True} if request.rank_feature_recall else {}),
            "fusion": {"method": request.fusion.method, **request.fusion.params},
            "rerank": None if self.model is None else {**self.rerank, "failed": model_failed},
            "text_leg": request.text_leg,
            "ranking": request.ranking,
            **({} if self.arrangement is None else self.arrangement.asked),
        }


@dataclasses.dataclass(frozen=True)
class Walk:
    """The position of a request in its walk.

    Attributes:
        request: the request; without its model if the walk continues without it.
        cursor: the cursor of the page, `None` for a page by number.
        generation: the current generation of the index.
    """

    request: SearchRequest
    cursor: Cursor | None
    generation: int | str

    @classmethod
    def of(cls, request: SearchRequest, cursor: Cursor | None, generation: Any) -> "Walk":
        """Return a walk; raise an error for a generation that a store cannot have, or a change that is refused."""
        if isinstance(generation, bool) or not isinstance(generation, (int, str)):
            raise validation.fail("the generation of the store", generation, "an integer or a text", DocStoreError)
        walk = cls(request, cursor, generation)
        if request.refuses_changes and walk.has_changed:
            raise InvalidCursorError(cursors.CHANGED)
        return walk

    @property
    def model_failed(self) -> bool:
        """Whether the walk continues without its model."""
        return self.request.partial is None and self.request.model is not None

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the request; that of the cursor is the same, or the page is refused."""
        return self.request.fingerprint(self.model_failed) if self.cursor is None else self.cursor.fingerprint

    @property
    def key(self) -> RankingKey | None:
        """The place of the last hit that was shown."""
        return None if self.cursor is None else self.cursor.key

    @property
    def position(self) -> int:
        """The number of hits that were shown before."""
        return self.request.position if self.cursor is None else self.cursor.position

    @property
    def has_changed(self) -> bool:
        """Whether the index has changed since the first page."""
        return self.first_generation != self.generation

    @property
    def before(self) -> int:
        """The number of places that are read before the page: one after a cursor, to check the hit at its place."""
        return 0 if self.cursor is None else 1

    @property
    def stretch(self) -> tuple[int, int]:
        """The first place and the number of places of the page, including those `before` it."""
        return self.position - self.before, self.request.limit + self.before

    @property
    def first_generation(self) -> int | str:
        """The generation of the first page."""
        return self.generation if self.cursor is None else self.cursor.generation


def _changed(value: Values, **attributes: Any) -> Values:
    """Return the same as `dataclasses.replace`, which sets every attribute again and takes ten times as long."""
    changed = object.__new__(type(value))
    vars(changed).update(vars(value), **attributes)
    return changed


def _filled(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options; missing ones are those of the profile, otherwise the defaults."""
    profile = validation.choice(
        "profile", options.get("profile", SEARCH_DEFAULTS["profile"]), profiles.CHOICES["profile"]
    )
    sets = dict(profiles.PROFILES[profile])
    sets["min_score"] = sets.pop("similarity_threshold")
    return {**SEARCH_DEFAULTS, **sets, **options}


def _place(given: Mapping[str, Any], retrieval: RetrievalRequest, max_results: int) -> dict[str, Any]:
    """Return the attributes of a request that change from call to call."""
    if given["cursor"] is not None and given["page"] is not None:
        raise InvalidInputError("page and cursor exclude each other: one says which page it is")
    return {
        "vector": _vector(given["vector"], retrieval),
        "limit": min(validation.integer("limit", given["limit"], 1), max_results),
        "page": _page(given["page"]),
        "cursor": given["cursor"],
    }


def _page(value: Any) -> int:
    """Return the number of a page; any other value, which a form or an address may contain, is the first page."""
    if isinstance(value, str):
        found = NUMBER.fullmatch(validation.text("page", value))
        value = None if found is None else int(found.group(1))
    return 1 if value is None else min(max(1, validation.integer("page", value)), LAST_PAGE)


def _vector(value: Any, retrieval: RetrievalRequest) -> tuple[float, ...] | None:
    if value is None:
        return None
    if retrieval.match_all:
        raise InvalidInputError("vector must not be set where match_all is true")
    vector = validation.vector("vector", value)
    if not any(vector):
        raise InvalidInputError("vector must not be zero: its squared norm is 0")
    return tuple(vector)


def _cosine(value: Any, retrieval: RetrievalRequest) -> float | None:
    if value is None:
        return None
    cosine = validation.number("min_cosine", value, -1.0, 1.0)
    if retrieval.match_all:
        raise InvalidInputError("min_cosine must not be set where match_all is true")
    return cosine


def _arrangement(given: Mapping[str, Any], retrieval: RetrievalRequest) -> Arrangement | None:
    if all(given[name] is SEARCH_DEFAULTS[name] for name in arrangement.OPTIONS):
        return None
    return Arrangement.of(given, retrieval)


def _keeps_fusion(retrieval: RetrievalRequest, min_cosine: float | None) -> bool:
    counts = retrieval.facets is not None or retrieval.explain
    moves = retrieval.match_all or retrieval.order_by or min_cosine is not None
    return retrieval.is_fused and retrieval.passes_all and not counts and not moves


def _partial(retrieval: RetrievalRequest, given: Mapping[str, Any]) -> PartialRerank:
    """Return the rerank of the head; without a model it only checks its options."""
    return PartialRerank(
        _no_model if retrieval.rerank_model is None else retrieval.rerank_model,
        rerank_top_k=given["rerank_top_k"],
        rerank_fusion=given["rerank_fusion"],
        rerank_weight=given["rerank_weight"],
        rerank_batch_size=given["rerank_batch_size"],
        fail_open=retrieval.fail_open,
        rerank_timeout=retrieval.rerank_timeout,
    )


def _no_model(_query: str, texts: list[str]) -> list[float]:
    return [0.0] * len(texts)
