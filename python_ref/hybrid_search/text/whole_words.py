"""Finds a set of words in a text before any other step of tokenization (TXT-8)."""


class WholeWords:
    """A set of words; the leftmost match counts, and among matches at one place the longest.

    Several threads may match at once. Words should be added before the first call.
    """

    def __init__(self) -> None:
        self._words: set[str] = set()
        self._lengths: dict[str, list[int]] = {}

    def add(self, word: str) -> None:
        """Add a word, which is not empty."""
        self._words.add(word)
        self._measure(word[0])

    def remove(self, word: str) -> None:
        """Remove a word, if the set contains it."""
        self._words.discard(word)
        self._measure(word[0])

    def pieces(self, text: str) -> list[tuple[str, bool]]:
        """Split a text into the words and the text between them.

        Returns:
            Pairs of (piece, whether it is one of the words); joined, the pieces are the text again.
        """
        if not self._words:
            return [(text, False)] if text else []
        found = []
        start = place = 0
        while place < len(text):
            length = self._longest(text, place)
            if length:
                if place > start:
                    found.append((text[start:place], False))
                found.append((text[place : place + length], True))
                start = place + length
            place += length or 1
        if start < len(text):
            found.append((text[start:], False))
        return found

    def _longest(self, text: str, place: int) -> int:
        """Return the length of the longest word that begins at a place of the text, or 0."""
        lengths = self._lengths.get(text[place], ())
        return next((length for length in lengths if text[place : place + length] in self._words), 0)

    def _measure(self, first: str) -> None:
        """Store the lengths of the words with this first character, the longest first."""
        lengths = {len(word) for word in self._words if word[0] == first}
        self._lengths[first] = sorted(lengths, reverse=True)
