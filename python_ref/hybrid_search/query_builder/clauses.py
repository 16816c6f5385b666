"""Parts of a query that more than one path makes: escaping, terms, synonyms (QRY-6, QRY-7)."""

import re
from collections.abc import Sequence

from hybrid_search.query_builder.tree import AnyOf, Boost, Group, Node, Phrase, Term
from hybrid_search.text.tokenizer import TokenizerLike

REMOVED = re.compile(r"['\\]")
SPECIAL = re.compile(r'([:{}/\[\]\-*?"()|+~^])')


def clean(text: str) -> str:
    """Return the text without apostrophes and backslashes, and without blanks at both ends (U+0020)."""
    return REMOVED.sub("", text).strip(" ")


def escape(text: str) -> str:
    """Return the cleaned text with a backslash before each character that Lucene reads as syntax (QRY-7)."""
    return SPECIAL.sub(r"\\\1", clean(text))


def any_of_pieces(text: str) -> AnyOf:
    """Return the text itself as a query: its pieces between blanks, unescaped (QRY-5, QRY-6).

    An empty piece, which a blank at an end creates, becomes an empty any-of: the text is rendered unchanged.
    """
    return AnyOf(tuple(Term(piece, escape=False) if piece else AnyOf(()) for piece in text.split(" ")))


def term_node(text: str) -> Node | None:
    """Return a term, or a phrase if it contains a blank; `None` if nothing is left of it."""
    tokens = tuple(token for token in clean(text).split(" ") if token)
    if not tokens:
        return None
    return Term(tokens[0]) if len(tokens) == 1 else Phrase(tokens)


def synonym_nodes(tokenizer: TokenizerLike, synonyms: Sequence[str]) -> tuple[Node, ...]:
    """Return each synonym as its fine-grained parts, except synonyms of which nothing is left (QRY-6.2)."""
    nodes: list[Node] = []
    for synonym in synonyms:
        if not clean(synonym):
            continue
        parts = [clean(part) for part in tokenizer.fine_grained(synonym.replace("'", ""))]
        tokens = tuple(part for part in parts if part)
        if tokens:
            nodes.append(Term(tokens[0]) if len(tokens) == 1 else Phrase(tokens))
    return tuple(nodes)


def with_synonyms(node: Node, synonyms: tuple[Node, ...]) -> Node:
    """Return `node`, or with synonyms `(node OR (synonyms)^0.2)`."""
    if not synonyms:
        return node
    return Group(AnyOf((node, Boost(Group(AnyOf(synonyms)), 0.2)), joiner=" OR "))
