"""Reads the standard WordNet files `index.*`, `data.*` and `*.exc` (SYN-1)."""

import os
import re
from collections.abc import Mapping
from typing import Any

from hybrid_search.base import validation
from hybrid_search.base.system_path import system_path
from hybrid_search.errors import ConfigurationError
from hybrid_search.query_builder import term_files

PARTS_OF_SPEECH = ("noun", "verb", "adj", "adv")

ENDINGS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "noun": (
        ("s", ""), ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z"),
        ("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y"),
    ),
    "verb": (
        ("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", ""),
    ),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}  # fmt: skip
"""Inflected endings and their replacements, in the order in which they are tried."""

SYNTACTIC_MARKER = re.compile(r"\([a-z]+\)\Z")


class WordNet:
    """Synsets of English words.

    The index files are read when the object is made; synsets are read from the data files when they are needed.

    Args:
        directory: a folder with `index.noun`, `data.noun` and the same for verb, adj and adv; the lists of irregular
            forms, `noun.exc` and so on, are used if they exist.

    Raises:
        ConfigurationError: `directory` is not a path, or a file is missing or not a WordNet file.
    """

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        self.directory = term_files.file_path("word_net", directory)
        self._indexes = {part: self._read(f"index.{part}") for part in PARTS_OF_SPEECH}
        self._exceptions = {part: self._exception_list(part) for part in PARTS_OF_SPEECH}
        for part in PARTS_OF_SPEECH:
            if not os.path.isfile(system_path(self._path(f"data.{part}"))):
                raise ConfigurationError(f"word_net file {term_files.shown(self._path(f'data.{part}'))} is missing")

    def head_lemmas(self, word: str) -> list[str]:
        """Return the first word of each synset of `word`, with repeats.

        The order is nouns, verbs, adjectives, adverbs; within each, the word itself and then its base forms; and within
        these, the synsets in the order of the index line. Words are in lower case, with blanks for `_`.

        Raises:
            ConfigurationError: a WordNet file is damaged.
        """
        form = validation.text("word", word)
        lemmas: list[str] = []
        for part in PARTS_OF_SPEECH:
            offsets = [offset for base in self.base_forms(form, part) for offset in self._offsets(base, part)]
            if offsets:
                lemmas.extend(self._heads(part, offsets))
        return lemmas

    def base_forms(self, form: str, part: str) -> list[str]:
        """Return the word and its possible base forms that are in the index, without repeats.

        Args:
            form: a word.
            part: noun, verb, adj or adv.
        """
        irregular = self._exceptions[part].get(form)
        if irregular is None:
            candidates = [form.removesuffix(old) + new for old, new in ENDINGS[part] if form.endswith(old)]
        else:
            candidates = irregular
        return [base for base in dict.fromkeys([form, *candidates]) if self._index_line(base, part) is not None]

    def _offsets(self, word: str, part: str) -> list[int]:
        fields = (self._index_line(word, part) or b"").split()
        try:
            count = int(fields[2])
            first = 6 + int(fields[3])
            offsets = [int(field) for field in fields[first : first + count]]
        except (IndexError, ValueError):
            raise self._damaged(f"index.{part}") from None
        if len(offsets) != count:
            raise self._damaged(f"index.{part}")
        return offsets

    def _index_line(self, word: str, part: str) -> bytes | None:
        """Return the line of a word, found by bisection: the lines are sorted by their first field."""
        wanted = word.encode("utf-8")
        index = self._indexes[part]
        low, high = 0, len(index)
        while low < high:
            middle = (low + high) // 2
            start = index.rfind(b"\n", 0, middle) + 1
            end = index.find(b"\n", middle)
            line = index[start:] if end < 0 else index[start:end]
            found = line.split(b" ", 1)[0]
            if found == wanted and wanted:
                return line
            if found < wanted:
                low = start + len(line) + 1
            else:
                high = start
        return None

    def _heads(self, part: str, offsets: list[int]) -> list[str]:
        path = self._path(f"data.{part}")
        try:
            with open(system_path(path), "rb") as file:
                return [self._head(part, offset, self._line_at(file, offset)) for offset in offsets]
        except OSError:
            raise ConfigurationError(f"word_net file {term_files.shown(path)} cannot be read") from None

    @staticmethod
    def _line_at(file: Any, offset: int) -> bytes:
        file.seek(offset)
        line: bytes = file.readline()
        return line

    def _head(self, part: str, offset: int, line: bytes) -> str:
        fields = line.split(b" ", 5)
        if len(fields) < 6 or fields[0] != b"%08d" % offset or not fields[4].isascii():
            raise self._damaged(f"data.{part}")
        return SYNTACTIC_MARKER.sub("", fields[4].decode("ascii")).replace("_", " ").lower()

    def _exception_list(self, part: str) -> dict[str, list[str]]:
        if not os.path.isfile(system_path(self._path(f"{part}.exc"))):
            return {}
        table: dict[str, list[str]] = {}
        for line in self._read(f"{part}.exc").split(b"\n"):
            forms = line.decode("utf-8", "replace").split()
            if forms:
                table[forms[0]] = forms[1:]
        return table

    def _read(self, name: str) -> bytes:
        path = self._path(name)
        try:
            with open(system_path(path), "rb") as file:
                return file.read()
        except (OSError, ValueError):
            raise ConfigurationError(f"word_net file {term_files.shown(path)} cannot be read") from None

    def _path(self, name: str) -> str:
        return f"{self.directory}/{name}"

    def _damaged(self, name: str) -> ConfigurationError:
        return ConfigurationError(f"word_net file {term_files.shown(self._path(name))} is damaged")
