"""The queries of a document store (DOC-1): the text query and the dense query."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from hybrid_search.query_builder.tree import Node


def _frozen(options: Mapping[str, Any]) -> Mapping[str, Any]:
    return MappingProxyType(dict(options))


@dataclass(frozen=True)
class MatchTextExpr:
    """A text query over boosted fields.

    Attributes:
        fields: field name and boost, `("title_tks", 10.0)`, in the order of QRY-1.
        tree: the query tree (QRY-8).
        topn: the maximum number of documents in the text leg.
        extra_options: `original_query`, `minimum_should_match` (an integer is a count, a float a fraction).
    """

    fields: tuple[tuple[str, float], ...]
    tree: Node
    topn: int = 100
    extra_options: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "extra_options", _frozen(self.extra_options))

    def with_topn(self, topn: int) -> "MatchTextExpr":
        """Return the same query with another limit."""
        return dataclasses.replace(self, topn=topn)


@dataclass(frozen=True)
class MatchBm25fExpr:
    """A bag of tokens that is searched for in several fields at once (QRY-11, DOC-9).

    Attributes:
        fields: field name and weight, `("title_tks", 3.0)`, in the order of the sum.
        tokens: the tokens in their order, with repeats.
        topn: the maximum number of documents in the text leg.
    """

    fields: tuple[tuple[str, float], ...]
    tokens: tuple[str, ...]
    topn: int = 100

    def with_topn(self, topn: int) -> "MatchBm25fExpr":
        """Return the same query with another limit."""
        return dataclasses.replace(self, topn=topn)


@dataclass(frozen=True)
class MatchDenseExpr:
    """A nearest-neighbour query (EMB-1).

    Attributes:
        field: the vector field, `q_{dim}_vec`.
        vector: the query vector, finite, not zero.
        embedding_data_type: always "float".
        distance_type: always "cosine".
        topn: the maximum number of documents in the dense leg.
        extra_options: `similarity`, the lowest cosine of a match.
    """

    field: str
    vector: tuple[float, ...]
    embedding_data_type: str = "float"
    distance_type: str = "cosine"
    topn: int = 10
    extra_options: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "extra_options", _frozen(self.extra_options))
