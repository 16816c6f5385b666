"""Writes a query tree in the syntax of an engine: Lucene, PostgreSQL, SQLite (QRY-8)."""

from collections.abc import Sequence

from hybrid_search.base import numeric, validation
from hybrid_search.query_builder import clauses
from hybrid_search.query_builder.tree import AnyOf, Boost, Group, Node, Phrase, Term

MOST_DISTANCES = 256
"""The largest slop that is written as the distances it allows."""


def lucene(tree: Node) -> str:
    """Return the text of a Lucene `query_string`.

    Raises:
        InvalidInputError: `tree` is not a query tree.
    """
    if isinstance(tree, Term):
        return clauses.escape(tree.text) if tree.escape else tree.text
    if isinstance(tree, Phrase):
        tokens = (clauses.escape(token) if tree.escape else token for token in tree.tokens)
        quoted = f'"{" ".join(tokens)}"'
        return f"{quoted}~{tree.slop}" if tree.slop else quoted
    if isinstance(tree, AnyOf):
        return tree.joiner.join(lucene(child) for child in tree.children)
    if isinstance(tree, Boost):
        return f"{lucene(tree.child)}^{_factor(tree)}"
    if isinstance(tree, Group):
        return f"({lucene(tree.child)})"
    raise validation.fail("tree", tree, "a query tree")


def tsquery(tree: Node) -> str:
    """Return PostgreSQL `tsquery` text; the empty text for a tree that matches nothing.

    Such text has no boosts, so they are omitted. A phrase of two tokens with slop becomes the distances that it allows.
    With more tokens, or a slop above 256, the text requires all tokens at any positions. That finds more documents and
    never fewer.

    Raises:
        InvalidInputError: `tree` is not a query tree.
    """
    if isinstance(tree, Term):
        return _lexeme(tree.text)
    if isinstance(tree, Phrase):
        return _tsquery_phrase([_lexeme(token) for token in tree.tokens if _lexeme(token)], tree.slop)
    if isinstance(tree, AnyOf):
        return _alternatives([tsquery(child) for child in tree.children], " | ")
    if isinstance(tree, (Boost, Group)):
        return tsquery(tree.child)
    raise validation.fail("tree", tree, "a query tree")


def fts5(tree: Node) -> str:
    """Return SQLite FTS5 `MATCH` text; the empty text for a tree that matches nothing.

    Such text has no boosts, so they are omitted. `NEAR` accepts the tokens of a phrase with slop in any order.

    Raises:
        InvalidInputError: `tree` is not a query tree.
    """
    if isinstance(tree, Term):
        return _string([tree.text])
    if isinstance(tree, Phrase):
        tokens = [token for token in tree.tokens if _string([token])]
        if tree.slop == 0 or len(tokens) < 2:
            return _string(tokens)
        distance = tree.slop + len(tokens) - 2
        return f"NEAR({' '.join(_string([token]) for token in tokens)}, {distance})"
    if isinstance(tree, AnyOf):
        return _alternatives([fts5(child) for child in tree.children], " OR ")
    if isinstance(tree, (Boost, Group)):
        return fts5(tree.child)
    raise validation.fail("tree", tree, "a query tree")


def _factor(boost: Boost) -> str:
    if boost.weight_format == "fixed4":
        return numeric.fixed4(boost.factor)
    if boost.weight_format == "integer":
        return str(int(boost.factor))
    return numeric.shortest(boost.factor)


def _alternatives(texts: Sequence[str], joiner: str) -> str:
    """Return the texts that are not empty, joined; in brackets if there is more than one."""
    found = [text for text in texts if text]
    return f"({joiner.join(found)})" if len(found) > 1 else "".join(found)


def _lexeme(text: str) -> str:
    """Return a quoted lexeme; empty for the empty text. PostgreSQL text cannot contain U+0000."""
    plain = text.replace("\0", "")
    return "'" + plain.replace("\\", "\\\\").replace("'", "''") + "'" if plain else ""


def _tsquery_phrase(lexemes: Sequence[str], slop: int) -> str:
    if len(lexemes) < 2:
        return "".join(lexemes)
    if slop == 0:
        return f"({' <-> '.join(lexemes)})"
    if len(lexemes) > 2 or slop > MOST_DISTANCES:
        return f"({' & '.join(lexemes)})"
    first, second = lexemes
    forward = [f"{first} <{distance}> {second}" for distance in range(1, slop + 2)]
    backward = [f"{second} <{distance}> {first}" for distance in range(1, slop)]
    return f"({' | '.join(forward + backward)})"


def _string(tokens: Sequence[str]) -> str:
    """Return a quoted FTS5 string, or the empty text without tokens."""
    plain = " ".join(token.replace("\0", "") for token in tokens)
    return '"' + plain.replace('"', '""') + '"' if plain else ""
