"""Cuts source files into blocks (CNV-6)."""

from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Protocol

from hybrid_search.code_index.code_definition import CodeDefinition
from hybrid_search.code_index.grammars import GRAMMARS
from hybrid_search.code_index.python_definitions import PythonDefinitions
from hybrid_search.code_index.source_blocks import SourceBlocks
from hybrid_search.code_index.syntax_definitions import LIBRARY, SyntaxDefinitions
from hybrid_search.errors import ConfigurationError

AUTO, PARSED, LINES = "auto", "parsed", "lines"
WAYS = (AUTO, PARSED, LINES)
PYTHON = "python"
LANGUAGES: Mapping[str, str] = {
    **dict.fromkeys((".py", ".pyi"), PYTHON),
    **{suffix: language for language, grammar in GRAMMARS.items() for suffix in grammar.suffixes},
}
"""The suffix of a file → its language, for languages that can be parsed."""


class _Finder(Protocol):
    """Finds the functions and classes of a file; returns an empty list for a file that cannot be parsed."""

    name: str

    def __call__(self, text: str) -> list[CodeDefinition]: ...


class BlockCutter:
    """Cuts files at functions and classes if their language can be parsed, otherwise into windows of lines.

    Args:
        way: "auto" parses if the necessary packages are installed; "parsed" requires these packages; "lines" always
            cuts into windows.
    """

    def __init__(self, way: str = AUTO) -> None:
        self._way = way
        self._loaded: dict[str, _Finder | None] = {}

    def parsers(self, paths: Iterable[str]) -> dict[str, str]:
        """Return the parsers of files by language; files of other languages are cut into windows.

        Raises:
            ConfigurationError: a required package is not installed.
        """
        languages = sorted({self.language(path) for path in paths} - {""})
        return {language: finder.name for language in languages if (finder := self._finder(language)) is not None}

    def language(self, path: str) -> str:
        """Return the language of a file; "" if it cannot be parsed."""
        return LANGUAGES.get(PurePosixPath(path).suffix.lower(), "")

    def cut(self, path: str, content: bytes) -> SourceBlocks:
        """Return the blocks of a file.

        Raises:
            ConfigurationError: a required package is not installed.
        """
        text = content.decode("utf-8", "replace")
        finder = self._finder(self.language(path))
        return SourceBlocks(path, text, [] if finder is None else finder(text))

    def _finder(self, language: str) -> _Finder | None:
        if language == "" or self._way == LINES:
            return None
        if language not in self._loaded:
            self._loaded[language] = self._load(language)
        return self._loaded[language]

    def _load(self, language: str) -> _Finder | None:
        if language == PYTHON:
            return PythonDefinitions()
        finder = SyntaxDefinitions.load(GRAMMARS[language])
        if finder is None and self._way == PARSED:
            raise ConfigurationError(
                f"to cut {language} at its functions needs {LIBRARY} and {GRAMMARS[language].package}: "
                "pip install 'hybrid-search[code]'"
            )
        return finder
