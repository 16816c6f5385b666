"""The query tree (QRY-8): the meaning of a text query, independent of the syntax of an engine.

`MatchTextExpr` contains a tree; `render` writes it as Lucene, PostgreSQL or SQLite text, and the embedded store
evaluates the tree itself, so nothing parses a query text again.
"""

from dataclasses import dataclass
from typing import Literal

WeightFormat = Literal["shortest", "fixed4", "integer"]
Joiner = Literal[" ", " OR "]


@dataclass(frozen=True, slots=True)
class Term:
    """One token to match.

    Attributes:
        text: the token as it is matched against stored tokens, never escaped.
        escape: whether the Lucene text escapes it (QRY-7); the English path escapes nothing.
    """

    text: str
    escape: bool = True


@dataclass(frozen=True, slots=True)
class Phrase:
    """Tokens that follow one another, at most `slop` moves apart; in the Lucene text they are in quotes.

    Attributes:
        tokens: the tokens as they are matched against stored tokens, never escaped.
        slop: the total number of position moves that are allowed; 0 is the exact phrase.
        escape: whether the Lucene text escapes the tokens.
    """

    tokens: tuple[str, ...]
    slop: int = 0
    escape: bool = True


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Alternatives; a document matches if one of them does, and its score is their sum.

    An empty list matches nothing and renders as the empty text.
    """

    children: "tuple[Node, ...]"
    joiner: Joiner = " "


@dataclass(frozen=True, slots=True)
class Boost:
    """A child whose score counts `factor` times, written `child^factor`."""

    child: "Node"
    factor: float
    weight_format: WeightFormat = "shortest"


@dataclass(frozen=True, slots=True)
class Group:
    """A child in brackets; the same meaning as the child."""

    child: "Node"


Node = Term | Phrase | AnyOf | Boost | Group
