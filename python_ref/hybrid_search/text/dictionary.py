"""Word frequencies and parts of speech for a segmenter: jieba's, with the user's words on top (TXT-2, TXT-6)."""

from hybrid_search.base import validation
from hybrid_search.base.kernels import kernel
from hybrid_search.base.process_lock import ProcessLock

MAXIMUM_FREQUENCY = 1_000_000_000_000
"""The largest frequency a user word may have."""


class Dictionary:
    """Frequencies and parts of speech. User words belong to the one `Dictionary` they were added to.

    Args:
        kernels: "plain" reads the whole of jieba's file; "fast" reads only the needed part; see `kernels.choice`.

    Attributes:
        total: the sum of the frequencies, as jieba counts it.
        force_split: the user's words of frequency 0, which the hidden Markov model may not join either.
        version: the number of words that were added; while it is unchanged, so are all answers of the dictionary.
        added: the words that were added, in order, each with its frequency and its part of speech.
    """

    def __init__(self, kernels: str | None = None) -> None:
        self._table = kernel("dictionary_table", kernels).shared()
        self._own: dict[str, int] | None = None
        self.total: int = self._table.total
        self.force_split: set[str] = set()
        self.version = 0
        self.added: list[tuple[str, int, str | None]] = []
        self._user_tags: dict[str, str] = {}
        self._lock = ProcessLock()

    @property
    def frequencies(self) -> dict[str, int]:
        """Word → frequency, and every prefix of a word → 0 unless it is a word itself.

        For reading only: this is the shared table until the first user word is added.
        """
        own = self._own
        return self._table.frequencies if own is None else own

    def words_in(self, text: str) -> dict[str, int]:
        """Return the frequencies of all words that begin with a character of the text, or of more. For reading only."""
        own = self._own
        return self._table.words_in(text) if own is None else own

    def frequency(self, term: str) -> int:
        """Return the number of times `term` occurs in the dictionary's corpus; 0 if it is not a word (TXT-6)."""
        term = validation.text("term", term)
        return self.words_in(term[:1]).get(term, 0)

    def tag(self, term: str) -> str:
        """Return the part of speech of `term`, such as `n` or `v`; "" if the dictionary has none (TXT-6)."""
        term = validation.text("term", term)
        return self._user_tags.get(term) or self._table.tag(term)

    def add(self, word: str, frequency: int, tag: str | None = None) -> None:
        """Add a user word, or change the frequency of a word; 0 removes the word.

        As in jieba, the total grows by `frequency` even if the word exists already, and an earlier part of speech stays
        unless another is given.

        Args:
            word: the word, not empty.
            frequency: from 0 to `MAXIMUM_FREQUENCY`.
            tag: its part of speech; `None` and "" mean no tag.

        Raises:
            InvalidInputError: an argument is not acceptable.
        """
        word = user_word(word)
        frequency = validation.integer("frequency", frequency, 0, MAXIMUM_FREQUENCY)
        tag = None if tag is None else validation.text("tag", tag)
        with self._lock.mutex:
            own = dict(self._table.frequencies) if self._own is None else self._own
            own[word] = frequency
            self.total += frequency
            if tag:
                self._user_tags[word] = tag
            for end in range(1, len(word)):
                own.setdefault(word[:end], 0)
            self._own = own
            if frequency == 0:
                self.force_split.add(word)
            self.added.append((word, frequency, tag))
            self.version += 1


def user_word(word: str) -> str:
    """Return the word if it is a text that is not empty."""
    if not validation.text("word", word):
        raise validation.fail("word", word, "a text that is not empty")
    return word
