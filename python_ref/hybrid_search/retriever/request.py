"""A retrieval request: a question with its checked options and their defaults (RET-1, RET-6)."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

from hybrid_search.base import validation
from hybrid_search.doc_store_adapter.filters.filter_conditions import Conjunction
from hybrid_search.doc_store_adapter.filters.filter_parser import FilterParser
from hybrid_search.doc_store_adapter.filters.filters import AVAILABLE, Filters
from hybrid_search.doc_store_adapter.queries import sort_order
from hybrid_search.doc_store_adapter.queries.recall_features import RecallFeatures
from hybrid_search.errors import InvalidInputError
from hybrid_search.fusion import fused_legs
from hybrid_search.fusion.fusion_expr import FusionExpr
from hybrid_search.fusion.fusion_methods import METHODS
from hybrid_search.protocols import FilterData, OrderBy, OrderPairs, RerankSource
from hybrid_search.query_builder import question_words
from hybrid_search.reranker import rerank_model
from hybrid_search.retriever import profiles
from hybrid_search.retriever.field_words import FieldWords

MOST_NAMES = 16
"""The maximum number of names to order by, and of facets."""
MOST_FACET_VALUES = 10_000

# options:begin: made by `bin/conformance make options`
DEFAULTS: dict[str, Any] = {
    "page": 1,
    "page_size": 10,
    "topk": 1024,
    "similarity_threshold": 0.2,
    "vector_similarity_weight": 0.3,
    "rerank_model": None,
    "rank_feature": None,
    "rank_feature_recall": False,
    "filters": None,
    "order_by": None,
    "match_all": False,
    "full_pages": False,
    "exact_total": False,
    "highlight": False,
    "aggs": True,
    "facets": None,
    "facet_limit": 100,
    "explain": False,
    "profile": "ragflow",
    "text_leg": "tree",
    "fusion": "weighted_sum",
    "weights": "0.05,0.95",
    "rrf_k": 60,
    "ranking": "rerank",
    "fail_open": True,
    "rerank_timeout": 30.0,
}
"""Every option of `Retriever.retrieve` with its default."""


class RetrievalOptions(TypedDict, total=False):
    """The keyword options of `Retriever.retrieve`.

    Attributes:
        page: the number of the page, from 1; a lower number counts as 1 (RET-6).
        page_size: the number of entries on a page, 1 to `max_page_size` (RET-6).
        topk: the maximum number of candidates of each leg and of their fusion, at least 1 (RET-1).
        similarity_threshold: the lowest similarity of a result; if candidates are reranked, also the lowest cosine in
            the dense leg, where `vector_similarity_weight` 0 sets no limit (RET-4).
        vector_similarity_weight: the share of the vector in the similarity of a rerank, 0 to 1; the rest is the share
            of the text (RNK-1).
        rerank_model: an object with `similarity(query, texts)`, a callable, or the name of a model such as "fastembed";
            it replaces the vectors in a rerank (RNK-9).
        rank_feature: tags of the query, name → number; a rerank compares them with the documents' tags (RNK-5).
        rank_feature_recall: whether `rank_feature` counts in recall too, so that a page rank or a tag may bring a
            candidate in (RNK-10).
        filters: the conditions that documents must satisfy, as data: `{"metadata.lang": "zh", "page_rank": {"gte": 2}}`
            (RET-8).
        order_by: the fields that order the candidates instead of their similarity: `[name, "asc" or "desc"]` pairs, one
            name, or an object of names and directions (RET-8).
        match_all: whether to return all documents that satisfy the filters, without a question (RET-9).
        full_pages: whether every page except the last is full; otherwise pages are RAGFlow's windows, with gaps below
            the threshold (RET-7).
        exact_total: whether a rerank model that scores block by block scores all candidates, so that `total` and
            `pages` of full pages are exact (RET-7).
        highlight: whether chunks contain their text with the matches in `<em>` (DOC-4).
        aggs: whether to count documents in `doc_aggs` (DOC-4).
        facets: the names whose values are counted over all results, including those on other pages (RET-9).
        facet_limit: the maximum number of values in a facet, 1 to 10000 (RET-9).
        explain: whether the result contains every part of every score (RET-5).
        profile: the name of a set of defaults for `text_leg`, `fusion`, `ranking` and `similarity_threshold`:
            "balanced" (the default of an `Index`), "ragflow" (RAGFlow's ranking, the default of a `Retriever`) or
            "dify" (Dify's fusion by ranks) (RET-10).
        text_leg: the query of the text leg: "tree" (RAGFlow's query) or "bm25f" (the question's tokens in all fields at
            once) (QRY-11).
        fusion: the method that fuses the text leg and the dense leg: "weighted_sum", "rrf", "auto" or "min_max"
            (FUS-1).
        weights: the weights of the text leg and the dense leg in a weighted sum, "t,d" (FUS-1).
        rrf_k: the constant k of reciprocal rank fusion, at least 0 (FUS-2).
        ranking: the order of the candidates: "rerank" (a rerank by tokens and vectors) or "fused" (the order of the
            fusion) (RET-10).
        fail_open: whether a failing rerank model causes a warning (true) or an error (RNK-7).
        rerank_timeout: the number of seconds for a rerank model (RNK-7).
    """

    page: int
    page_size: int
    topk: int
    similarity_threshold: float
    vector_similarity_weight: float
    rerank_model: RerankSource | str | None
    rank_feature: Mapping[str, float] | None
    rank_feature_recall: bool
    filters: FilterData | None
    order_by: OrderBy | None
    match_all: bool
    full_pages: bool
    exact_total: bool
    highlight: bool
    aggs: bool
    facets: Sequence[str] | None
    facet_limit: int
    explain: bool
    profile: Literal["balanced", "ragflow", "dify"]
    text_leg: Literal["tree", "bm25f"]
    fusion: Literal["weighted_sum", "rrf", "auto", "min_max"]
    weights: str
    rrf_k: float
    ranking: Literal["rerank", "fused"]
    fail_open: bool
    rerank_timeout: float


# options:end


@dataclasses.dataclass(frozen=True)
class RetrievalRequest:
    """A question with all options checked; see `RetrievalOptions` for the meaning of each.

    Attributes:
        parsed_filters: the parsed filters, for stores that take them in this form.
        is_fused: whether candidates stay in the order of their fusion (RET-10).
        min_match: the share of a query's clauses that must match: 0.3, or 0 if the vectors decide almost alone (RET-1).
        depth: the number of documents of each leg: the wanted number, but at least the number that its fusion compares
            (FUS-5).
        fuses_one_leg: whether a single leg is fused too, so that its scores are those of a fusion (RET-10).
        has_threshold: whether a similarity may be too low to be shown (RET-4, RET-10).
        similarity: the lowest cosine that the dense leg accepts: the threshold, if that is a cosine.
    """

    question: str
    # request:begin: made by `bin/conformance make options`
    page: int
    page_size: int
    topk: int
    similarity_threshold: float
    vector_similarity_weight: float
    rerank_model: RerankSource | None
    rank_feature: Mapping[str, float] | None
    rank_feature_recall: bool
    filters: FilterData
    order_by: OrderPairs
    match_all: bool
    full_pages: bool
    exact_total: bool
    highlight: bool
    aggs: bool
    facets: Mapping[str, str] | None
    facet_limit: int
    explain: bool
    text_leg: str
    fusion: FusionExpr
    ranking: str
    fail_open: bool
    rerank_timeout: float
    # request:end
    parsed_filters: Filters
    is_fused: bool
    min_match: float
    depth: int
    fuses_one_leg: bool
    has_threshold: bool
    similarity: float

    @classmethod
    def build(cls, question: Any, options: Mapping[str, Any], max_page_size: int) -> "RetrievalRequest":
        """Check a question and its options.

        Raises:
            InvalidInputError: an unknown option or a value that is not accepted; the message names it.
        """
        validation.known("option", options, tuple(DEFAULTS))
        given = profiles.filled(DEFAULTS, options)
        match_all = validation.boolean("match_all", given["match_all"])
        checked: dict[str, Any] = {
            "question": _question(question, match_all),
            "page": max(1, validation.integer("page", given["page"])),
            "page_size": validation.integer("page_size", given["page_size"], 1, max_page_size),
            "topk": validation.integer("topk", given["topk"], 1),
            "similarity_threshold": validation.number("similarity_threshold", given["similarity_threshold"]),
            "vector_similarity_weight": validation.number(
                "vector_similarity_weight", given["vector_similarity_weight"], 0.0, 1.0
            ),
            "rerank_model": _called("rerank_model", given["rerank_model"], match_all),
            "rank_feature": _rank_feature(given["rank_feature"], given["ranking"]),
            "rank_feature_recall": validation.boolean("rank_feature_recall", given["rank_feature_recall"]),
            "filters": (filters := _filters(given["filters"]))[0],
            "parsed_filters": filters[1],
            "order_by": _order(given["order_by"]),
            "match_all": match_all,
            "full_pages": validation.boolean("full_pages", given["full_pages"]),
            "exact_total": validation.boolean("exact_total", given["exact_total"]),
            "highlight": validation.boolean("highlight", given["highlight"]),
            "aggs": validation.boolean("aggs", given["aggs"]),
            "facets": _facets(given["facets"]),
            "facet_limit": validation.integer("facet_limit", given["facet_limit"], 1, MOST_FACET_VALUES),
            "explain": validation.boolean("explain", given["explain"]),
            "text_leg": validation.choice("text_leg", given["text_leg"], profiles.CHOICES["text_leg"]),
            "fusion": _fusion(given),
            "ranking": validation.choice("ranking", given["ranking"], profiles.CHOICES["ranking"]),
            "fail_open": validation.boolean("fail_open", given["fail_open"]),
            "rerank_timeout": _timeout(given["rerank_timeout"]),
        }
        if checked["rank_feature_recall"]:
            RecallFeatures.of(checked["rank_feature"])
        return cls(**checked, **_following(checked))

    @property
    def passes_all(self) -> bool:
        """Whether every candidate is shown: no threshold is set, or no score of the fusion is below it."""
        if not self.has_threshold:
            return True
        never_negative = self.is_fused and self.rerank_model is None and self.fusion.method != "weighted_sum"
        return never_negative and self.similarity_threshold <= 0.0

    @property
    def tkweight(self) -> float:
        """The weight of the term similarity."""
        return 1.0 - self.vector_similarity_weight

    @property
    def vtweight(self) -> float:
        """The weight of the vector similarity, or of the model's scores."""
        return self.vector_similarity_weight

    @property
    def is_blank(self) -> bool:
        """Whether the request is empty: it has no question, and `match_all` is false (RET-6)."""
        return not self.match_all and question_words.is_blank(self.question)

    @property
    def names_documents(self) -> bool:
        """Whether the filters name the documents to search (RET-2)."""
        wanted = self.filters.get("doc_id")
        return isinstance(wanted, (str, list)) and bool(wanted)

    def check_store(self, supports_bm25f: bool) -> None:
        """Refuse a text leg that a store does not support.

        Args:
            supports_bm25f: whether the store supports bags of tokens (DOC-8).

        Raises:
            InvalidInputError: the leg needs them, and the store does not support them.
        """
        if self.text_leg == "bm25f" and not supports_bm25f:
            raise InvalidInputError(
                'text_leg "bm25f" needs a store that takes bags of tokens; take profile "ragflow" or "dify"'
            )

    def asking(self, question: str) -> "RetrievalRequest":
        """Return the same request for another question.

        Raises:
            InvalidInputError: the question is not empty although `match_all` is true.
        """
        return dataclasses.replace(self, question=_question(question, self.match_all))

    def on_page(self, page: int) -> "RetrievalRequest":
        """Return the same request for another page."""
        return dataclasses.replace(self, page=page)

    def without_model(self) -> "RetrievalRequest":
        """Return the same request without a rerank model."""
        return dataclasses.replace(self, rerank_model=None)


def _following(checked: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values derived from the options, which do not depend on the question, the page and the model."""
    is_fused, by_legs = checked["ranking"] == "fused", METHODS[checked["fusion"].method].legs is not None
    weight, threshold = checked["vector_similarity_weight"], checked["similarity_threshold"]
    return {
        "is_fused": is_fused,
        "min_match": 0.3 if checked["text_leg"] != "bm25f" and weight < 0.8 else 0.0,
        "depth": max(checked["topk"], fused_legs.DEPTH) if by_legs else checked["topk"],
        "fuses_one_leg": is_fused or by_legs,
        "has_threshold": not checked["match_all"] and (is_fused or weight != 0.0),
        "similarity": -1.0 if is_fused else max(-1.0, min(1.0, threshold)),
    }


def _called(name: str, model: Any, match_all: bool) -> Any:
    accepted = None if model is None else rerank_model.accept(name, model)
    return None if match_all else accepted


def _rank_feature(value: Any, ranking: Any) -> Mapping[str, float] | None:
    if value is None:
        return None
    tags = validation.mapping("rank_feature", value)
    if ranking == "fused":
        raise validation.fail("rank_feature", value, 'none where ranking is "fused" (profile "ragflow" takes it)')
    return {name: validation.number(validation.member("rank_feature", name), tags[name]) for name in tags}


def _question(question: Any, match_all: bool) -> str:
    text = validation.text("question", question)
    if match_all and not question_words.is_blank(text):
        raise validation.fail("question", text, "empty where match_all is true")
    return text


def _filters(value: Any) -> tuple[Mapping[str, Any], Filters]:
    """Return the filters in the names of the store, as data and parsed; by default only available documents match."""
    parser = FilterParser(FieldWords())
    parsed = parser.parse({} if value is None else value)
    if "available_int" in parser.fields:
        return parsed.data(), Filters(parsed)
    parser.count(1)
    return {**parsed.data(), **AVAILABLE.data()}, Filters(Conjunction((*parsed.conditions, AVAILABLE)))


def _order(value: Any) -> Sequence[Sequence[str]]:
    given = sort_order.pairs([] if value is None else value)
    _bounded("order_by", given)
    words = FieldWords()
    return [[words.name("name to order by", field), direction] for field, direction in given]


def _facets(value: Any) -> Mapping[str, str] | None:
    if value is None:
        return None
    names = validation.texts("facets", value)
    _bounded("facets", names)
    return {name: FieldWords().name("facet", name) for name in names}


def _bounded(name: str, given: Sequence[Any]) -> None:
    if len(given) > MOST_NAMES:
        raise InvalidInputError(f"{name} must hold at most {MOST_NAMES} names, not {len(given)}")


def _fusion(given: Mapping[str, Any]) -> FusionExpr:
    method = validation.choice("fusion", given["fusion"], profiles.CHOICES["fusion"])
    known = [param for each in METHODS.values() for param in each.params.values()]
    checked = {param.option: param.check(param.option, given[param.option]) for param in known}
    params = {name: checked[param.option] for name, param in METHODS[method].params.items()}
    if method == "auto" and given["text_leg"] == "tree":
        raise InvalidInputError(
            'fusion "auto" needs text_leg "bm25f"; for text_leg "tree" take "weighted_sum" or "rrf"'
        )
    return FusionExpr(method, given["topk"], params)


def _timeout(value: Any) -> float:
    seconds = validation.number("rerank_timeout", value)
    if seconds <= 0.0:
        raise InvalidInputError(f"rerank_timeout must be a number above 0, not {validation.describe(value)}")
    return seconds
