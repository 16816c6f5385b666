"""The query tree (QRY-8): what a text query means, apart from how an engine writes it.

`MatchTextExpr` holds a tree; `render` turns it into Lucene, PostgreSQL or SQLite text, and the embedded store
evaluates it as it is, so nothing parses a query text again.
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
    """Tokens that follow one another, at most `slop` moves apart; in quotes in the Lucene text.

    Attributes:
        tokens: the tokens as they are matched against stored tokens, never escaped.
        slop: the number of position moves that are allowed in all; 0 is the exact phrase.
        escape: whether the Lucene text escapes the tokens.
    """

    tokens: tuple[str, ...]
    slop: int = 0
    escape: bool = True


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Alternatives; a document matches when one of them does, and its score is their sum.

    An empty one matches nothing and renders as the empty text.
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
