"""A deterministic embedder that needs no model and no network (EMB-2): signed feature hashing."""

import zlib
from collections.abc import Iterator, Sequence
from functools import cache
from re import Pattern
from re import compile as compile_pattern

from hybrid_search.base import numeric, validation
from hybrid_search.base.characters import character_class

LARGEST_DIMENSION = 65_536
WORD_WEIGHT = 3
PAIR_WEIGHT = 1
PIECE_WEIGHT = 1
PIECE_LENGTHS = (3, 4)
CHARACTER_WEIGHTS = ((1, 1), (2, 3), (3, 1))
MIX = 0x45D9F3B
UPPER_TO_LOWER = {point: point + 32 for point in range(ord("A"), ord("Z") + 1)}


class HashingEmbedder:
    """Signed feature hashing of words and character n-grams, L2-normalised.

    Features of a text, with A-Z as a-z: runs of Han, Kana and Hangul yield their characters, and their pairs and
    triples of characters. Other runs of letters, marks and numbers are words, which yield themselves, the pair with the
    previous word, and the pieces of three and four characters of `<word>`. A feature's CRC-32, mixed once, determines
    the component (`hash >> 1` modulo the dimension) and the sign (the last bit). Whole numbers are added up, so the
    order does not matter. A text without features is itself its only feature, so that no vector is zero.
    """

    @validation.known_options(("dimension",))
    def __init__(self, dimension: int = 256) -> None:
        """Make an embedder.

        Args:
            dimension: the number of components of a vector, 1 to 65,536.

        Raises:
            InvalidInputError: the dimension is out of range or an option is unknown.
        """
        self._dimension = validation.integer("dimension", dimension, 1, LARGEST_DIMENSION)

    @property
    def dimension(self) -> int:
        """Return the number of components of a vector."""
        return self._dimension

    @property
    def model(self) -> str:
        """The name of the model, for caches."""
        return f"hashing-{self._dimension}"

    @property
    def needs_model(self) -> bool:
        """False: vectors are made at once, so batches of records may be large (IDX-3)."""
        return False

    def encode_queries(self, text: str) -> list[float]:
        """Return the vector of one query; queries and passages are embedded alike.

        Raises:
            InvalidInputError: `text` is not a text of valid Unicode.
        """
        text = validation.text("text", text)
        counts = [0] * self._dimension
        for feature, weight in self.features(text):
            self._add(counts, feature, weight)
        if not any(counts):
            self._add(counts, f"text {text}", 1)
        return numeric.normalize([float(count) for count in counts])

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors of texts, in their order.

        Raises:
            InvalidInputError: `texts` is not a list of texts of valid Unicode.
        """
        return [self.encode_queries(text) for text in validation.texts("texts", texts)]

    def features(self, text: str) -> Iterator[tuple[str, int]]:
        """Yield the features of a text with their weights, in text order."""
        previous = None
        for match in _runs().finditer(text.translate(UPPER_TO_LOWER)):
            word = match.group(1)
            if word is None:
                yield from self._character_features(match.group())
                previous = None
                continue
            yield f"word {word}", WORD_WEIGHT
            if previous is not None:
                yield f"pair {previous} {word}", PAIR_WEIGHT
            previous = word
            yield from self._piece_features(f"<{word}>")

    def _piece_features(self, word: str) -> Iterator[tuple[str, int]]:
        for length in PIECE_LENGTHS:
            for start in range(len(word) - length + 1):
                yield f"piece {word[start : start + length]}", PIECE_WEIGHT

    def _character_features(self, run: str) -> Iterator[tuple[str, int]]:
        for length, weight in CHARACTER_WEIGHTS:
            for start in range(len(run) - length + 1):
                yield f"characters {run[start : start + length]}", weight

    def _add(self, counts: list[int], feature: str, weight: int) -> None:
        code = zlib.crc32(feature.encode("utf-8"))
        code = (((code >> 16) ^ code) * MIX) & 0xFFFF_FFFF
        code = (code >> 16) ^ code
        counts[(code >> 1) % self._dimension] += weight if code & 1 else -weight


@cache
def _runs() -> Pattern[str]:
    ideographic = "".join(character_class(name).pattern for name in ("HAN", "KANA", "HANGUL"))
    word = "".join(character_class(name).pattern for name in ("LETTER", "MARK", "NUMBER"))
    return compile_pattern(f"[{ideographic}]+|((?:(?![{ideographic}])[{word}])+)")
