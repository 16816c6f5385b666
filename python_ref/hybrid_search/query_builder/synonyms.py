"""Looks up synonyms in a dictionary and in WordNet (SYN-1)."""

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from hybrid_search.base import characters, validation
from hybrid_search.errors import ConfigurationError, InvalidInputError
from hybrid_search.query_builder import term_files
from hybrid_search.query_builder.word_net import WordNet
from hybrid_search.text.normalizer import Normalizer

BLANKS = re.compile(r"[ \t]+")
LETTERS = re.compile(r"[a-z]+")


class Synonyms:
    """Looks up synonyms of a term.

    Args:
        dictionary: a mapping term → synonym or list of synonyms, or the path of a JSON file with such an object.
        word_net: a folder with WordNet's files, or a `WordNet`; used for words of a–z that are not in the dictionary.
        unknown: nothing; names given here are refused with the nearest option.

    Raises:
        ConfigurationError: the dictionary or a file is missing or malformed.
        InvalidInputError: an option is unknown.
    """

    @validation.known_options(("dictionary", "word_net"))
    def __init__(
        self,
        dictionary: Mapping[str, str | Sequence[str]] | str | os.PathLike[str] | None = None,
        word_net: WordNet | str | os.PathLike[str] | None = None,
    ) -> None:
        self._dictionary = {} if dictionary is None else _entries(dictionary)
        self._word_net = word_net if word_net is None or isinstance(word_net, WordNet) else WordNet(word_net)

    def is_empty(self) -> bool:
        """Return whether no term has synonyms."""
        return not self._dictionary and self._word_net is None

    @validation.known_options(("limit",))
    def lookup(self, term: str, limit: int = 8) -> list[str]:
        """Return the synonyms of a term, in the order of their source.

        Args:
            term: any text; blanks at its ends are removed, runs of blanks count as one, letter case matters.
            limit: the maximum number of synonyms, 0 or more.

        Raises:
            InvalidInputError: `term` is not a text, `limit` is not an integer of at least 0, or an option is unknown.
        """
        given = validation.text("term", term)
        limit = validation.integer("limit", limit, 0)
        if self.is_empty():
            return []
        key = BLANKS.sub(" ", characters.strip(given))
        found = self._dictionary.get(key)
        if found:
            return list(found[:limit])
        if self._word_net is not None and LETTERS.fullmatch(key):
            lemmas = dict.fromkeys(self._word_net.head_lemmas(key))
            return [lemma for lemma in lemmas if lemma != key][:limit]
        return []


def _entries(source: Any) -> Mapping[str, tuple[str, ...]]:
    name, table = term_files.json_object("synonyms", source)
    normalizer = Normalizer()
    entries: dict[str, tuple[str, ...]] = {}
    for term, value in table.items():
        where = f"{name}[{validation.describe(term)}]"
        try:
            if isinstance(value, str):
                synonyms = [validation.text(where, value)]
            elif isinstance(value, (list, tuple)):
                synonyms = validation.texts(where, value)
            else:
                raise validation.fail(where, value, "a text or a list of texts")
        except InvalidInputError as problem:
            raise ConfigurationError(str(problem)) from None
        entries[normalizer.lower(term)] = tuple(synonyms)
    return entries
