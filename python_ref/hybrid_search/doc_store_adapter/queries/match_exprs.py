"""The checked match expressions of a search (DOC-1)."""

import sys
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from hybrid_search.base import numeric, validation
from hybrid_search.doc_store_adapter.documents import stored_document
from hybrid_search.doc_store_adapter.queries.query_clauses import QueryClauses
from hybrid_search.errors import InvalidInputError
from hybrid_search.fusion.fusion_expr import FusionExpr
from hybrid_search.query_builder.expressions import MatchBm25fExpr, MatchDenseExpr, MatchTextExpr

LARGEST_BOOST = 1e300
LARGEST_WEIGHT = 1e100
LARGEST = sys.float_info.max


COMBINATIONS: tuple[list[str], ...] = (
    [],
    ["text"],
    ["dense"],
    ["text", "fusion"],
    ["dense", "fusion"],
    ["text", "dense", "fusion"],
    ["dense", "text", "fusion"],
)
KINDS = (("text", (MatchTextExpr, MatchBm25fExpr)), ("dense", MatchDenseExpr), ("fusion", FusionExpr))


class TextQuery(NamedTuple):
    """A checked `MatchTextExpr`: field names and boosts, the clauses, the limit."""

    fields: list[tuple[str, float]]
    clauses: QueryClauses
    topn: int

    @property
    def tokens(self) -> set[str]:
        """The texts to look up in the fields: tokens, and phrases as whole keywords."""
        return {token for clause in self.clauses.clauses for token in (*clause.tokens, " ".join(clause.tokens))}


class Bm25fQuery(NamedTuple):
    """A checked `MatchBm25fExpr`: field names and weights, each token with its count, the limit."""

    fields: list[tuple[str, float]]
    counts: dict[str, int]
    topn: int

    @property
    def tokens(self) -> set[str]:
        """The tokens to look up in the fields."""
        return set(self.counts)


class DenseQuery(NamedTuple):
    """A checked `MatchDenseExpr`: the field, the vector, the limit, and the minimum cosine or `None`."""

    field: str
    vector: list[float]
    topn: int
    similarity: float | None


class MatchExprs:
    """The checked legs of a search: empty, a text query, a dense query, or both; and their fusion.

    Args:
        match_exprs: the expressions; the fusion comes last.

    Raises:
        InvalidInputError: another combination, or an expression with unacceptable content.
        DimensionMismatchError: the length of a vector is not the one in the name of its field.

    Attributes:
        text: the text query, or `None`.
        dense: the dense query, or `None`.
        fusion: the fusion of the two, or `None`.
    """

    def __init__(self, match_exprs: Sequence[Any]) -> None:
        if not isinstance(match_exprs, (list, tuple)):
            raise validation.fail("match_exprs", match_exprs, "a list of match expressions")
        kinds = [_kind(f"match_exprs[{index}]", expr) for index, expr in enumerate(match_exprs)]
        if kinds not in COMBINATIONS:
            raise InvalidInputError(
                "match_exprs must hold nothing, a text query, a dense query, or both and a fusion, "
                f"not {', '.join(kinds)}"
            )
        by_kind = dict(zip(kinds, match_exprs, strict=True))
        self.text: TextQuery | Bm25fQuery | None = _any_text(by_kind["text"]) if "text" in by_kind else None
        self.dense = _dense(by_kind["dense"]) if "dense" in by_kind else None
        self.fusion: FusionExpr | None = by_kind.get("fusion")
        if self.fusion is not None and self.fusion.method == "auto" and isinstance(self.text, TextQuery):
            raise InvalidInputError('fusion "auto" takes a MatchBm25fExpr, not a MatchTextExpr')

    def is_empty(self) -> bool:
        """Return whether there is no leg."""
        return self.text is None and self.dense is None


def _kind(name: str, expr: Any) -> str:
    for kind, accepted in KINDS:
        if isinstance(expr, accepted):
            return kind
    raise validation.fail(name, expr, "a MatchTextExpr, a MatchBm25fExpr, a MatchDenseExpr or a FusionExpr")


def _any_text(expr: MatchTextExpr | MatchBm25fExpr) -> TextQuery | Bm25fQuery:
    return _text(expr) if isinstance(expr, MatchTextExpr) else _bm25f(expr)


def _text(expr: MatchTextExpr) -> TextQuery:
    fields = _fields(expr.fields, "boost", None)
    clauses = QueryClauses(expr.tree, expr.extra_options.get("minimum_should_match"))
    all_clauses = numeric.sum_left(clause.boost for clause in clauses.clauses)
    if not all_clauses * max([1.0, *(boost for _, boost in fields)]) <= LARGEST_BOOST:
        raise InvalidInputError("the boosts of a text query must not multiply to more than 1e+300")
    return TextQuery(fields, clauses, validation.integer("topn", expr.topn, 0))


def _bm25f(expr: MatchBm25fExpr) -> Bm25fQuery:
    fields = _fields(expr.fields, "weight", LARGEST_WEIGHT)
    counts = Counter(validation.texts("tokens", expr.tokens))
    return Bm25fQuery(fields, dict(counts), validation.integer("topn", expr.topn, 0))


def _fields(given: Any, factor: str, most: float | None) -> list[tuple[str, float]]:
    """Return the names of searchable fields with a factor for each, at least 0."""
    if not isinstance(given, (list, tuple)):
        raise validation.fail("fields", given, f"a list of (field, {factor})")
    fields = []
    for index, pair in enumerate(given):
        if _is_usual(pair, most):
            fields.append(pair)
            continue
        name = f"fields[{index}]"
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            raise validation.fail(name, pair, f"a (field, {factor}) pair")
        field = validation.text(f"{name}[0]", pair[0])
        if not stored_document.is_searchable(field):
            shown = validation.describe(field)
            raise InvalidInputError(f"{name}[0] must be a token or keyword field (_tks, _ltks, _kwd), not {shown}")
        fields.append((field, validation.number(f"{name}[1]", pair[1], 0, most)))
    return fields


def _is_usual(pair: Any, most: float | None) -> bool:
    """Return whether a pair is acceptable and of the usual types, so that no message need be ready."""
    if type(pair) is not tuple or len(pair) != 2 or type(pair[0]) is not str or type(pair[1]) is not float:
        return False
    field, factor = pair
    return (
        field.isascii()
        and stored_document.is_searchable(field)
        and 0.0 <= factor <= (LARGEST if most is None else most)
    )


def _dense(expr: MatchDenseExpr) -> DenseQuery:
    field = validation.text("field", expr.field)
    dimension = stored_document.vector_dimension("field", field)
    vector = validation.vector("vector", expr.vector, dimension)
    similarity = expr.extra_options.get("similarity")
    if similarity is not None:
        lowest = validation.number("similarity", similarity)
        similarity = None if lowest <= -1.0 else lowest  # no cosine is lower, even with rounding errors
    return DenseQuery(field, vector, validation.integer("topn", expr.topn, 0), similarity)
