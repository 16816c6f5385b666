"""A query tree as the list of what has to be looked up (QRY-8, DOC-3)."""

import math
from typing import Any, NamedTuple

from hybrid_search import validation
from hybrid_search.errors import InvalidInputError
from hybrid_search.query_builder.tree import AnyOf, Boost, Group, Phrase, Term

DEEPEST_NESTING = 200


class Clause(NamedTuple):
    """A token, or tokens that follow one another.

    Attributes:
        tokens: one or more.
        slop: how many moves apart they may be; 0 for one token.
        boost: what its score is multiplied with.
    """

    tokens: tuple[str, ...]
    slop: int
    boost: float


class QueryClauses:
    """The different clauses of a tree in the order of their first appearance, and its alternatives.

    A term whose text holds blanks is a phrase of its pieces, a phrase of one token is a term, and one without tokens
    is nothing. A clause that comes again adds its boost to the first (QRY-8); boosts multiply from the outside in.

    Args:
        tree: the query tree.
        minimum_should_match: an integer is a count of alternatives, a float a fraction of them, rounded down but at
            least 1 where it is above 0; none asks for any. The alternatives are those of the outermost any-of; groups,
            boosts and any-ofs with one alternative are looked through, and alternatives without tokens do not count.

    Attributes:
        clauses: the clauses.
        alternatives: for each alternative the places of its clauses in `clauses`, ascending.
        required: how many alternatives a document must match; at least 1.
    """

    def __init__(self, tree: Any, minimum_should_match: Any = None) -> None:
        self._boosts: dict[tuple[tuple[str, ...], int], float] = {}
        self._collect(tree, 1.0, 0)
        self.clauses = [Clause(tokens, slop, boost) for (tokens, slop), boost in self._boosts.items()]
        places = {key: place for place, key in enumerate(self._boosts)}
        self.alternatives = [
            sorted({places[key] for key in _leaves(alternative)}) for alternative in _alternatives(tree)
        ]
        self.required = self._required(minimum_should_match)

    def _required(self, wanted: Any) -> int:
        if wanted is None:
            return 1
        if isinstance(wanted, float):
            fraction = validation.number("minimum_should_match", wanted, 0, 1)
            return max(1, math.floor(fraction * len(self.alternatives)))
        return max(1, validation.integer("minimum_should_match", wanted, 0))

    def _collect(self, node: Any, boost: float, depth: int) -> None:
        if depth > DEEPEST_NESTING:
            raise InvalidInputError("the query tree is nested too deeply")
        if isinstance(node, AnyOf):
            if not isinstance(node.children, (list, tuple)):
                raise validation.fail("the children of an any-of", node.children, "a list of query tree nodes")
            for child in node.children:
                self._collect(child, boost, depth + 1)
        elif isinstance(node, Boost):
            factor = validation.number("a boost", node.factor, 0)
            self._collect(node.child, _finite(boost * factor), depth + 1)
        elif isinstance(node, Group):
            self._collect(node.child, boost, depth + 1)
        else:
            key = _key(node)
            if key is not None:
                self._boosts[key] = _finite(self._boosts[key] + boost) if key in self._boosts else boost


def _finite(boost: float) -> float:
    if not math.isfinite(boost):
        raise InvalidInputError("the boosts of the query tree multiply to more than a float can hold")
    return boost


def _key(node: Any) -> tuple[tuple[str, ...], int] | None:
    if isinstance(node, Term):
        texts = [validation.text("a term", node.text)]
        slop = 0
    elif isinstance(node, Phrase):
        given = list(node.tokens) if isinstance(node.tokens, tuple) else node.tokens
        texts = validation.texts("the tokens of a phrase", given)
        slop = validation.integer("the slop of a phrase", node.slop, 0)
    else:
        raise validation.fail("a node of the query tree", node, "a term, phrase, any-of, boost or group")
    tokens = tuple(token for text in texts for token in text.split(" ") if token)
    if not tokens:
        return None
    return tokens, slop if len(tokens) > 1 else 0


def _leaves(node: Any) -> list[tuple[tuple[str, ...], int]]:
    if isinstance(node, AnyOf):
        return [key for child in node.children for key in _leaves(child)]
    if isinstance(node, (Boost, Group)):
        return _leaves(node.child)
    key = _key(node)
    return [] if key is None else [key]


def _alternatives(tree: Any) -> list[Any]:
    node = tree
    while True:
        if isinstance(node, (Boost, Group)):
            node = node.child
        elif isinstance(node, AnyOf):
            children = [child for child in node.children if _leaves(child)]
            if len(children) != 1:
                return children
            node = children[0]
        else:
            return [node] if _leaves(node) else []
