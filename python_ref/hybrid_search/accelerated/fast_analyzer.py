"""Finds the tokens of a document's texts (TXT-4, TXT-5, TXT-10); each different ASCII word is cut and stemmed once."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache
from itertools import chain
from operator import add

from hybrid_search.base.characters import character_class
from hybrid_search.text.analyzer import Analyzer
from hybrid_search.text.identifiers import Identifiers, IdentifierTokens
from hybrid_search.text.tokenizer import Tokenizer, TokenizerLike

CACHE_SIZE = 65_536
"""The maximum number of remembered words; the next one clears the cache."""
CACHED_LENGTH = 40
"""Longer words are not remembered, so that the memory of a cache is bounded."""

_BLOCKS = {
    chr(point): chr(point).lower() if re.match("[a-zA-Z0-9+#&._%-]", chr(point)) else " " for point in range(128)
}
_BLOCK_TABLE = str.maketrans(_BLOCKS)
"""Lower case, with blanks for the characters between the blocks that the segmenter cuts: no letters, no numbers."""
_OTHER = re.compile(r"[^\0-\x7f]")
_LETTERS = re.compile(r"[a-z]+(?:[-._]+[a-z]+)*[-._]*")
_RUN = re.compile("[a-z]+")
_PROSE = re.compile(r"[(\[\"']*[A-Za-z]+(?:-[A-Za-z]+)+[.,;:?!)\]\"']*")
"""Words joined by hyphens, which do not count as identifiers, with punctuation that no identifier contains."""


class FastAnalyzer:
    """Remembers the tokens of words as long as the tokenizer is the library's own and its dictionary is the same.

    Args:
        tokenizer: cuts texts into tokens.
    """

    def __init__(self, tokenizer: TokenizerLike) -> None:
        self._tokenizer = tokenizer
        self._plain = Analyzer(tokenizer)
        self._identifiers, self._identifier_tokens = Identifiers(), IdentifierTokens(tokenizer)
        self._known: _Known | None = None

    def tokens(self, text: str) -> list[str]:
        """Return the tokens of a text, in order (TXT-4)."""
        known = self._current()
        if known is None or not isinstance(text, str):
            return self._plain.tokens(text)
        words = known.words.__getitem__
        if text.isascii():
            return list(chain.from_iterable(map(words, text.translate(_BLOCK_TABLE).split())))
        tokens: list[str] = []
        last = 0
        for start, end in _between_blanks(text, _OTHER):
            tokens += chain.from_iterable(map(words, text[last:start].translate(_BLOCK_TABLE).split()))
            tokens += words(text[start:end])
            last = end
        tokens += chain.from_iterable(map(words, text[last:].translate(_BLOCK_TABLE).split()))
        return tokens

    def fine_grained(self, tokens: Sequence[str]) -> list[str]:
        """Return the parts of each token, in order (TXT-5)."""
        known = self._current()
        if known is None:
            return self._plain.fine_grained(tokens)
        if known.parts.whole.issuperset(tokens):
            return list(tokens)
        return list(chain.from_iterable(map(known.parts.__getitem__, tokens)))

    def identifiers(self, text: str, known: Collection[str]) -> list[str]:
        """Return the identifiers of a text that are not among some tokens, in order, with repeats (TXT-10)."""
        remembered = self._current()
        if remembered is None or not isinstance(text, str):
            return self._plain.identifiers(text, known)
        prepared = self._prepared(text)
        found: list[str] = []
        for start, end in _between_blanks(prepared, _joint()):
            found += remembered.found[prepared[start:end]]
        return self._identifier_tokens.among(found, known)

    def _prepared(self, text: str) -> str:
        """Return the text in the form in which identifiers are found; only non-ASCII texts need a table."""
        if text.isascii():
            return self._tokenizer.normalize(text)
        pieces: list[str] = []
        last = 0
        for start, end in _between_blanks(text, _OTHER):
            other = self._identifiers.prepare(self._tokenizer.normalize(text[start:end]))
            pieces += (text[last:start].lower().replace("\0", " "), other)
            last = end
        return "".join([*pieces, text[last:].lower().replace("\0", " ")])

    def _current(self) -> "_Known | None":
        """Return the cache for the current state of the dictionary; `None` if the tokenizer's results may vary."""
        tokenizer = self._tokenizer
        if type(tokenizer) is not Tokenizer or not tokenizer.cuts_words_alone:
            return None
        known, version = self._known, tokenizer.version
        if known is None or known.version != version:
            self._known = known = _Known(tokenizer, version, self._identifier_tokens)
        return known


class _Known:
    """The results of a tokenizer for words and tokens, in one state of its dictionary, and the identifiers of words."""

    def __init__(self, tokenizer: Tokenizer, version: int, identifier_tokens: IdentifierTokens) -> None:
        self.version = version
        self._tokenizer = tokenizer
        self._identifiers, self._identifier_tokens = Identifiers(), identifier_tokens
        self.found = _CachedTokens(self._found)
        self.words = _CachedTokens(self._tokens)
        self.parts = _CachedTokens(tokenizer.fine_grained)

    def _found(self, word: str) -> list[str]:
        if _PROSE.fullmatch(word):
            return []
        return self._identifier_tokens.words(self._identifiers.found(word))

    def _tokens(self, word: str) -> list[str]:
        """Return the tokens of a word; if no dictionary word can begin in it, they are its runs of letters."""
        if len(word) > CACHED_LENGTH or not _LETTERS.fullmatch(word):
            return self._tokenizer.tokenize(word)
        known = self._tokenizer.dictionary.words_in(word)
        if any(map(known.__contains__, map(add, word, word[1:]))):
            return self._tokenizer.tokenize(word)
        tokens = self._tokenizer.stems(_RUN.findall(word))
        self.parts.note_whole(tokens)
        return tokens


class _CachedTokens(dict[str, tuple[str, ...]]):
    """Maps words to their results; a limited number of short ones is remembered. Safe to use from several threads.

    Attributes:
        whole: remembered words whose result is the word itself.
    """

    def __init__(self, make: Callable[[str], list[str]]) -> None:
        super().__init__()
        self._make = make
        self.whole: set[str] = set()

    def __missing__(self, word: str) -> tuple[str, ...]:
        made = tuple(self._make(word))
        if len(word) <= CACHED_LENGTH:
            if len(self) >= CACHE_SIZE:
                self.clear()
            self[word] = made
            if made == (word,):
                self.note_whole(made)
        return made

    def note_whole(self, words: Collection[str]) -> None:
        """Remember words whose result is the word itself."""
        if len(self.whole) >= CACHE_SIZE:
            self.whole = set()
        self.whole.update(words)


def _between_blanks(text: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Yield the limits of stretches between blanks that contain a match; no word or identifier contains a blank."""
    end = 0
    for match in pattern.finditer(text):
        place = match.start()
        if place >= end:
            start = text.rfind(" ", end, place) + 1
            end = text.find(" ", place)
            end = len(text) if end < 0 else end
            yield start, end


@cache
def _joint() -> re.Pattern[str]:
    """Return a pattern for a character between two runs of an identifier or a number, or after the last one."""
    run = f"[{character_class('ALPHABETIC').pattern}{character_class('DIGIT').pattern}]"
    return re.compile(f"[-_./&@:,+#%](?:(?<=[+#%])|(?=[^ ]))(?<={run}.)(?:(?<=[+#%])|(?={run}))")
