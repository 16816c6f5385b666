"""Cuts Chinese text into words (TXT-2): jieba, on a private tokenizer.

The functions that run are jieba's own. Where they would use a set that jieba keeps for the whole process (the words
that the hidden Markov model must not join), they get this segmenter's instead, so that segmenters do not disturb
each other nor anybody else who uses jieba.
"""

import os
import re
import types
from typing import Any

from hybrid_search import validation
from hybrid_search.errors import ConfigurationError
from hybrid_search.text.dictionary import MAXIMUM_FREQUENCY, Dictionary, jieba, user_word

SINGLE_LATIN = re.compile(r"[0-9A-Za-z]\Z")


class _PrivateTokenizer(jieba.Tokenizer):  # type: ignore[misc]
    """jieba's tokenizer over a `Dictionary`, without cache files, log lines or process-wide state."""

    def __init__(self, dictionary: Dictionary) -> None:
        super().__init__()
        finalseg = types.SimpleNamespace(
            cut=_rebound(jieba.finalseg.cut, {"Force_Split_Words": dictionary.force_split})
        )
        cut_with_model = _rebound(jieba.Tokenizer._Tokenizer__cut_DAG, {"finalseg": finalseg})
        self._Tokenizer__cut_DAG = types.MethodType(cut_with_model, self)
        self.initialized = True
        self.follow(dictionary)

    def follow(self, dictionary: Dictionary) -> None:
        """Take over what the dictionary holds now."""
        self.FREQ = dictionary.frequencies
        self.total = dictionary.total


class Segmenter:
    """Cuts text into words with jieba's dictionary, its most probable route, and its hidden Markov model.

    Cutting may run in several threads at once; words should be added before.

    Attributes:
        dictionary: the frequencies and parts of speech, user words among them.
    """

    def __init__(self, dictionary: Dictionary | None = None) -> None:
        """Make a segmenter with a dictionary of its own, or with the one given."""
        if dictionary is not None and not isinstance(dictionary, Dictionary):
            raise validation.fail("dictionary", dictionary, "a Dictionary")
        self.dictionary = dictionary if dictionary is not None else Dictionary()
        self._tokenizer = _PrivateTokenizer(self.dictionary)

    def cut(self, text: str, *, hmm: bool = True, **unknown: Any) -> list[str]:
        """The words of a text in their order; joined they are the text again.

        Args:
            text: any text.
            hmm: whether unknown words are guessed by the hidden Markov model.
            **unknown: refused.

        Raises:
            InvalidInputError: the text is no valid text, or an option is unknown.
        """
        validation.known("option", unknown, ["hmm"])
        return list(self._following().cut(validation.text("text", text), HMM=validation.boolean("hmm", hmm)))

    def cut_for_search(self, text: str, *, hmm: bool = True, **unknown: Any) -> list[str]:
        """The words of a text, each after the dictionary words of two and three characters inside it.

        Args and errors as for `cut`.
        """
        validation.known("option", unknown, ["hmm"])
        checked = validation.text("text", text)
        return list(self._following().cut_for_search(checked, HMM=validation.boolean("hmm", hmm)))

    def add_word(self, word: str, frequency: int | None = None, tag: str | None = None, **unknown: Any) -> None:
        """Add a word to this segmenter's dictionary.

        Args:
            word: the word, not empty.
            frequency: from 0 to `MAXIMUM_FREQUENCY`; `None` takes the one `suggest_frequency` gives; 0 makes the
                segmenter cut the word up.
            tag: its part of speech.
            **unknown: refused.

        Raises:
            InvalidInputError: an argument is not acceptable, or an option is unknown.
        """
        validation.known("option", unknown, ["frequency", "tag"])
        self.dictionary.add(word, self.suggest_frequency(word) if frequency is None else frequency, tag)

    def suggest_frequency(self, word: str) -> int:
        """The frequency that makes a word more probable than the words it is cut into without the model."""
        suggested: int = self._following().suggest_freq(user_word(word))
        return min(suggested, MAXIMUM_FREQUENCY)

    def frequency(self, term: str) -> int:
        """How often `term` occurs in the dictionary's corpus; 0 if it is no word (TXT-6)."""
        return self.dictionary.frequency(term)

    def tag(self, term: str) -> str:
        """The part of speech of `term`; "" if the dictionary has none (TXT-6)."""
        return self.dictionary.tag(term)

    def load_user_dict(self, path: str | os.PathLike[str]) -> None:
        """Add the words of a file in jieba's format: a line holds a word, and maybe a frequency and a tag.

        The file is UTF-8, with or without a byte order mark; empty lines are skipped. Nothing is added if a line
        is not acceptable.

        Raises:
            ConfigurationError: the file cannot be read, is not UTF-8, or has a frequency out of range.
            InvalidInputError: `path` is no text.
        """
        name = validation.text("path", os.fspath(path) if isinstance(path, os.PathLike) else path)
        try:
            with open(name, "rb") as source:
                lines = source.read().split(b"\n")
        except (OSError, ValueError):
            raise ConfigurationError(f"the user dictionary {validation.describe(name)} cannot be read") from None
        entries = [_user_entry(line, name, number) for number, line in enumerate(lines, start=1)]
        for entry in entries:
            if entry is not None:
                self.add_word(*entry)

    def best_route_without_whole(self, token: str) -> list[str]:
        """The most probable way to cut a token up, the token as a whole left out (TXT-5), without the model.

        A token of one character gives itself. Single letters and digits stay apart: see `rejoin_latin`.

        Raises:
            InvalidInputError: the token is no valid text.
        """
        token = validation.text("token", token)
        tokenizer = self._following()
        graph = tokenizer.get_DAG(token)
        last = len(token) - 1
        if last > 0:
            graph[0] = [end for end in graph[0] if end != last] or [0]
        route: dict[int, tuple[float, int]] = {}
        tokenizer.calc(token, graph, route)
        pieces = []
        start = 0
        while start <= last:
            end = route[start][1] + 1
            pieces.append(token[start:end])
            start = end
        return pieces

    @staticmethod
    def rejoin_latin(pieces: list[str]) -> list[str]:
        """The pieces with runs of single `[0-9A-Za-z]` joined again, as jieba does without the model."""
        joined: list[str] = []
        run = ""
        for piece in pieces:
            if SINGLE_LATIN.match(piece):
                run += piece
                continue
            if run:
                joined.append(run)
                run = ""
            joined.append(piece)
        if run:
            joined.append(run)
        return joined

    def _following(self) -> _PrivateTokenizer:
        self._tokenizer.follow(self.dictionary)
        return self._tokenizer


USER_ENTRY = re.compile(r"(.+?)(?: ([0-9]+))?(?: ([a-z]+))?\Z", re.DOTALL)


def _user_entry(line: bytes, name: str, number: int) -> tuple[str, int | None, str | None] | None:
    """Word, frequency and tag of a line; none if it is empty."""
    where = f"line {number} of the user dictionary {validation.describe(name)}"
    try:
        entry = line.strip(b" \t\n\r\x0b\x0c").decode("utf-8").lstrip("\ufeff")
    except UnicodeDecodeError:
        raise ConfigurationError(f"{where} is not valid UTF-8 text") from None
    matched = USER_ENTRY.match(entry)
    if matched is None:
        return None
    word, digits, tag = matched.groups()
    if digits is None:
        return word, None, tag
    digits = digits.lstrip("0") or "0"
    if len(digits) > len(str(MAXIMUM_FREQUENCY)) or int(digits) > MAXIMUM_FREQUENCY:
        raise ConfigurationError(f"{where} has a frequency above {MAXIMUM_FREQUENCY}")
    return word, int(digits), tag


def _rebound(function: Any, names: dict[str, Any]) -> Any:
    """The same function, with some of its module's names meaning something else."""
    return types.FunctionType(
        function.__code__, {**function.__globals__, **names}, function.__name__, function.__defaults__
    )
