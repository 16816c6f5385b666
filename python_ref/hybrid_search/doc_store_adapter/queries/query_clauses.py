"""A query tree as the list of the clauses to look up (QRY-8, DOC-3)."""

import math
from functools import cached_property
from typing import Any, NamedTuple

from hybrid_search.base import validation
from hybrid_search.errors import InvalidInputError
from hybrid_search.query_builder.tree import AnyOf, Boost, Group, Phrase, Term

DEEPEST_NESTING = 200

Key = tuple[tuple[str, ...], int]
"""The tokens and the slop of a clause."""


class Clause(NamedTuple):
    """A token, or a phrase of tokens.

    Attributes:
        tokens: one or more.
        slop: the number of moves by which the tokens may be apart; 0 for one token.
        boost: the factor of the clause's score.
    """

    tokens: tuple[str, ...]
    slop: int
    boost: float


class QueryClauses:
    """The different clauses of a tree in the order of their first appearance, and the tree's alternatives.

    A term whose text contains blanks is a phrase of its pieces. A phrase of one token is a term, and one without tokens
    is ignored. A repeated clause adds its boost to the first one (QRY-8). Boosts are multiplied from the outside in.

    Args:
        tree: the query tree.
        minimum_should_match: an integer is a number of alternatives. A float is a fraction of them, rounded down, but
            to at least 1 if it is above 0. `None` requires one. The alternatives are those of the outermost any-of;
            groups, boosts and any-ofs with one alternative are skipped, and alternatives without tokens do not count.

    Attributes:
        clauses: the clauses.
        required: the number of alternatives that a document must match; at least 1.
    """

    def __init__(self, tree: Any, minimum_should_match: Any = None) -> None:
        self._boosts: dict[Key, float] = {}
        self._keys: dict[int, list[Key]] = {}
        self._collect(tree, 1.0, 0)
        self.clauses = [Clause(tokens, slop, boost) for (tokens, slop), boost in self._boosts.items()]
        self._tree = tree
        self.required = self._required(minimum_should_match)

    @cached_property
    def alternatives(self) -> list[list[int]]:
        """For each alternative, the positions of its clauses in `clauses`, ascending."""
        places = {key: place for place, key in enumerate(self._boosts)}
        return [sorted({places[key] for key in keys}) for keys in self._alternatives(self._tree)]

    def _required(self, wanted: Any) -> int:
        if wanted is None:
            return 1
        if isinstance(wanted, float):
            fraction = validation.number("minimum_should_match", wanted, 0, 1)
            return max(1, math.floor(fraction * len(self.alternatives)))
        return max(1, validation.integer("minimum_should_match", wanted, 0))

    def _collect(self, node: Any, boost: float, depth: int) -> list[Key]:
        """Collect the clauses of a node and return their keys, which `_keys` stores by the identity of the node."""
        if depth > DEEPEST_NESTING:
            raise InvalidInputError("the query tree is nested too deeply")
        if isinstance(node, (Term, Phrase)):
            keys = _key(node)
            for key in keys:
                self._boosts[key] = _finite(self._boosts[key] + boost) if key in self._boosts else boost
        elif isinstance(node, AnyOf):
            if not isinstance(node.children, (list, tuple)):
                raise validation.fail("the children of an any-of", node.children, "a list of query tree nodes")
            keys = []
            for child in node.children:
                keys += self._collect(child, boost, depth + 1)
        elif isinstance(node, Boost):
            factor = validation.number("a boost", node.factor, 0)
            keys = self._collect(node.child, _finite(boost * factor), depth + 1)
        elif isinstance(node, Group):
            keys = self._collect(node.child, boost, depth + 1)
        else:
            raise validation.fail("a node of the query tree", node, "a term, phrase, any-of, boost or group")
        self._keys[id(node)] = keys
        return keys

    def _alternatives(self, tree: Any) -> list[list[Key]]:
        node = tree
        while True:
            if isinstance(node, (Boost, Group)):
                node = node.child
            elif isinstance(node, AnyOf):
                children = [child for child in node.children if self._keys[id(child)]]
                if len(children) != 1:
                    return [self._keys[id(child)] for child in children]
                node = children[0]
            else:
                return [self._keys[id(node)]] if self._keys[id(node)] else []


def _finite(boost: float) -> float:
    if not math.isfinite(boost):
        raise InvalidInputError("the boosts of the query tree multiply to more than a float can hold")
    return boost


def _key(node: Term | Phrase) -> list[Key]:
    """Return a list with the key of a term or phrase; an empty list without tokens."""
    if isinstance(node, Term):
        texts = [validation.text("a term", node.text)]
        slop = 0
    else:
        given = list(node.tokens) if isinstance(node.tokens, tuple) else node.tokens
        texts = validation.texts("the tokens of a phrase", given)
        slop = validation.integer("the slop of a phrase", node.slop, 0)
    tokens = tuple(token for text in texts for token in text.split(" ") if token)
    if not tokens:
        return []
    return [(tokens, slop if len(tokens) > 1 else 0)]
