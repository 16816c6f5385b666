"""The Chinese path of a question (QRY-6)."""

import re

from hybrid_search.query_builder import clauses, words
from hybrid_search.query_builder.synonyms import Synonyms
from hybrid_search.query_builder.term_weight import TermWeight
from hybrid_search.query_builder.tree import AnyOf, Boost, Group, Node, Phrase
from hybrid_search.text.tokenizer import TokenizerLike

NO_PARTS = re.compile(r"[0-9a-z.+#_*-]+")
REMOVED_FROM_KEYWORDS = re.compile(r"[ \\\"']")

MOST_PIECES = 256
MOST_KEYWORDS = 32
SHORTEST_WITH_PARTS = 3
SHORTEST_PART = 2
SLOP = 2

ReadTerm = tuple[str, float, list[str], list[str]]
"""A term, its weight, its parts and its synonyms."""


class ChineseQuery:
    """Makes the query of a text that must be segmented.

    Args:
        tokenizer: makes tokens and their parts.
        term_weight: splits and weighs.
        synonyms: returns the synonyms of a piece and of a term.
    """

    def __init__(self, tokenizer: TokenizerLike, term_weight: TermWeight, synonyms: Synonyms) -> None:
        self._term_weight = term_weight
        self._tokenizer = tokenizer
        self._synonyms = synonyms
        self._punctuation = str.maketrans(dict.fromkeys(words.character_set("part_punctuation"), ""))

    def build(self, text: str, prepared: str) -> tuple[Node | None, list[str]]:
        """Return the query tree and the keywords of a text without question words.

        Args:
            text: the text.
            prepared: the query if no part of the text yields a clause.

        Returns:
            The tree, `None` if the text has no piece; and the keywords.
        """
        keywords: list[str] = []
        pieces = self._term_weight.split(text)[:MOST_PIECES]
        queries = [self._piece(piece, keywords) for piece in pieces]
        if not pieces:
            return None, keywords
        groups = tuple(Group(query) for query in queries if query is not None)
        return (AnyOf(groups, joiner=" OR ") if groups else clauses.any_of_pieces(prepared)), keywords

    def keywords(self, text: str) -> list[str]:
        """Return the keywords that `build` returns, without making the query."""
        keywords: list[str] = []
        for piece in self._term_weight.split(text)[:MOST_PIECES]:
            self._read(piece, keywords)
        return keywords

    def _read(self, piece: str, keywords: list[str]) -> tuple[int, list[str], list[ReadTerm]]:
        """Return the number of terms of a piece, its synonyms, and the terms of its clauses; extend the keywords."""
        keywords.append(piece)
        weighted = self._term_weight.weights([piece])
        synonyms = self._synonyms.lookup(piece)
        if len(keywords) < MOST_KEYWORDS:
            keywords.extend(synonyms)
        return len(weighted), synonyms, self._read_terms(sorted(weighted, key=lambda pair: -pair[1]), keywords)

    def _read_terms(self, weighted: list[tuple[str, float]], keywords: list[str]) -> list[ReadTerm]:
        """Return the terms of a piece with weights, parts and synonyms, until there are enough keywords (QRY-6.2)."""
        found: list[ReadTerm] = []
        for term, weight in weighted:
            parts = self._parts(term)
            if len(keywords) < MOST_KEYWORDS:
                keywords.append(REMOVED_FROM_KEYWORDS.sub("", term))
                keywords.extend(parts)
            synonyms = self._synonyms.lookup(term)
            if len(keywords) < MOST_KEYWORDS:
                keywords.extend(escaped for escaped in map(clauses.escape, synonyms) if escaped)
            if len(keywords) >= MOST_KEYWORDS:
                break
            found.append((term, weight, parts, synonyms))
        return found

    def _piece(self, piece: str, keywords: list[str]) -> Node | None:
        count, synonyms, terms = self._read(piece, keywords)
        children = self._clauses(terms)
        if count > 1:
            phrase = Phrase(tuple(self._tokenizer.tokenize(piece)), slop=SLOP, escape=False)
            children = [*(children or [AnyOf(())]), Boost(Group(phrase), 1.5)]
        if not children:
            return None
        query = AnyOf(tuple(children))
        phrases = self._synonym_phrases(synonyms)
        if not phrases:
            return query
        alternatives = Group(AnyOf(phrases, joiner=" OR "))
        return AnyOf((Boost(Group(query), 5.0, "integer"), Boost(alternatives, 0.7)), joiner=" OR ")

    def _clauses(self, terms: list[ReadTerm]) -> list[Node]:
        children: list[Node] = []
        for term, weight, parts, synonyms in terms:
            node = clauses.term_node(term)
            if node is not None:
                children.append(Boost(Group(self._clause(node, synonyms, parts)), weight))
        return children

    def _clause(self, node: Node, synonyms: list[str], parts: list[str]) -> Node:
        """Return `term OR "part part" OR ("part part"~2)^0.5`, where the term includes its synonyms."""
        term = clauses.with_synonyms(node, clauses.synonym_nodes(self._tokenizer, synonyms))
        if not parts:
            return term
        near = Boost(Group(Phrase(tuple(parts), slop=SLOP)), 0.5)
        return AnyOf((term, Phrase(tuple(parts)), near), joiner=" OR ")

    def _parts(self, term: str) -> list[str]:
        """Return the fine-grained parts of a term, without punctuation, of two characters or more."""
        if len(term) < SHORTEST_WITH_PARTS or NO_PARTS.fullmatch(term):
            return []
        parts = (part.translate(self._punctuation) for part in self._tokenizer.fine_grained(term))
        escaped = (clauses.escape(part) for part in parts if len(part) >= SHORTEST_PART)
        return [part for part in escaped if len(part) >= SHORTEST_PART]

    def _synonym_phrases(self, synonyms: list[str]) -> tuple[Phrase, ...]:
        found = (self._tokenizer.tokenize(clauses.escape(synonym)) for synonym in synonyms)
        return tuple(Phrase(tuple(tokens), escape=False) for tokens in found if tokens)
