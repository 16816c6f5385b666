"""Finds product and rule numbers such as `6-2-1`, `R1-750` and `MisraC++`, and their parts (TXT-7, TXT-10)."""

import re
from collections.abc import Collection, Iterable
from functools import cache, cached_property
from re import Pattern

from hybrid_search.base import validation
from hybrid_search.base.characters import character_class
from hybrid_search.text.normalizer import Normalizer
from hybrid_search.text.tokenizer import TokenizerLike

LONGEST_IDENTIFIER = 256
"""Maximum length of an identifier that is a token, in code points."""

_NUMBER = (
    r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?%?"
    r"|[0-9]+(?:\.[0-9]+)?%"
    r"|[0-9]+\.[0-9]+(?![0-9]|\.[0-9])"
)
_DASHES = str.maketrans("\u2010\u2011\u2212", "---")
_PIECE_SEPARATORS = re.compile("[/@:]")
# Each number and each tail has one of these: a digit, `+`, `#`, or another joint before what may be a run.
_HINT = re.compile(r"[0-9+#]|[-_./&@](?![\0-/:-@\[-`{-\x7f]|\Z)")


class Identifiers:
    """Finds numbers, identifiers and runs of letters outside ASCII in a text; stateless."""

    def prepare(self, text: str) -> str:
        """Return the text as the other methods read it: half-width, in its own case, with dashes as `-`.

        U+2010, U+2011 and U+2212 become `-`; U+2012 … U+2015 do so between digits.

        Raises:
            InvalidInputError: `text` is not a text, or contains a lone surrogate (UNI-2).
        """
        text = validation.text("text", text)
        if text.isascii():
            return text
        return _patterns().dash_between_digits.sub("-", Normalizer().half_width(text).translate(_DASHES))

    def pieces(self, text: str) -> list[tuple[str, bool]]:
        """Split a text into the tokens of TXT-7 and the text between them, which the segmenter will cut.

        Args:
            text: a text that `prepare` returned.

        Returns:
            Pairs of (piece, whether it is a token); joined, the pieces are the text again.
        """
        found: list[tuple[str, bool]] = []
        start = 0
        for match in _patterns().token.finditer(text):
            if match.group("number") or match.group("tail") or _is_foreign(match.group("run")):
                if match.start() > start:
                    found.append((text[start : match.start()], False))
                found.append((match.group(), True))
                start = match.end()
        if start < len(text):
            found.append((text[start:], False))
        return found

    def found(self, text: str) -> list[str]:
        """Return the numbers and identifiers of a text, in order, with repeats.

        Args:
            text: a text that `prepare` returned.
        """
        if not _HINT.search(text):
            return []
        matches = _patterns().token.finditer(text)
        return [match.group() for match in matches if match.group("number") or match.group("tail")]

    def enclosed(self, token: str) -> list[str]:
        """Return the numbers and identifiers between the `/`, `@` and `:` of an identifier, if it has any of these.

        Args:
            token: a token that `found` returned.
        """
        pieces = _PIECE_SEPARATORS.split(token)
        return [] if len(pieces) == 1 else [piece for piece in pieces if _patterns().run.fullmatch(piece) is None]

    def is_prose(self, token: str) -> bool:
        """Return whether a token is words of letters joined by hyphens (`sub-expressions`), or letters (`i.e`)."""
        return _patterns().prose.fullmatch(token) is not None

    def parts(self, token: str) -> list[str]:
        """Return the parts of a token, each part once, never the token itself.

        The parts of an identifier are the pieces between `/`, `@`, `:`, then each run of letters and digits followed by
        its own pieces. The parts of a mere run (`sha256`) are its pieces at changes of case, and its two sides if it
        changes exactly once between letters and digits. Numbers and all other tokens have no parts.

        Raises:
            InvalidInputError: `token` is not a text, or contains a lone surrogate (UNI-2).
        """
        patterns = _patterns()
        token = validation.text("token", token)
        match = None if patterns.number.fullmatch(token) else patterns.identifier.fullmatch(token)
        if match is None:
            return []
        found = _PIECE_SEPARATORS.split(token) if match.group("tail") else []
        for run in patterns.run.findall(token):
            found += [run, *_changes(run)]
        return [part for part in dict.fromkeys(found) if part != token]

    def is_lone(self, token: str) -> bool:
        """Return whether a token is a single capital letter or digit, which is not a keyword but a part."""
        return _patterns().lone.fullmatch(token) is not None


class IdentifierTokens:
    """Finds the identifiers that a tokenizer takes apart, such as `6-2-1` and `src/a/b.py`.

    Args:
        tokenizer: normalises texts; its own tokens need not be found again.
    """

    def __init__(self, tokenizer: TokenizerLike) -> None:
        self._tokenizer = tokenizer
        self._identifiers = Identifiers()

    def tokens(self, text: str, known: Collection[str]) -> list[str]:
        """Return the identifiers of a text that are not among its tokens, in order, with repeats.

        Each is followed by the identifiers between its `/`, `@` and `:`. Numbers have no commas. Words joined by
        hyphens do not count, nor do single letters joined by stops.

        Args:
            text: a text before normalisation.
            known: the tokens of the text by the tokenizer.
        """
        return self.among(self.words(self._found(text)), known)

    def words(self, found: Iterable[str]) -> list[str]:
        """Return the identifiers of a text, from the result of `Identifiers.found` for the prepared text."""
        return [word.replace(",", "") for word in self._written(found)]

    @staticmethod
    def among(words: list[str], known: Collection[str]) -> list[str]:
        """Return the identifiers of a text that are not among its tokens."""
        known = frozenset(known) if words else ()
        return [token for token in words if token not in known]

    def written(self, text: str) -> list[str]:
        """Return all identifiers, whether or not they are tokens, with numbers as they are written."""
        return self._written(self._found(text))

    def _found(self, text: str) -> list[str]:
        return self._identifiers.found(self._identifiers.prepare(self._tokenizer.normalize(text)))

    def _written(self, found: Iterable[str]) -> list[str]:
        short = (word for word in found if len(word) <= LONGEST_IDENTIFIER)
        words = (part for word in short for part in (word, *self._identifiers.enclosed(word)))
        return [word for word in words if not self._identifiers.is_prose(word)]


class _IdentifierPatterns:
    """Regular expressions over the classes of UNI-1; each is made when it is first used, since that takes long.

    The W of the clause is ALPHABETIC or DIGIT.
    """

    def __init__(self) -> None:
        names = ("ALPHABETIC", "DIGIT", "MARK", "UPPER", "LOWER")
        self._alphabetic, self._digit, self._mark, self._upper, self._lower = (
            character_class(name).pattern for name in names
        )
        self._run = f"[{self._alphabetic}{self._digit}]+"
        tail = rf"(?:(?:\+\+|#)?[-_./&@+#]{self._run}|:(?=[0-9]){self._run}|\+\+{self._run})*(?:\+\+|\+|#)?"
        self._identifier = f"(?P<run>{self._run})(?P<tail>{tail})"

    @cached_property
    def number(self) -> Pattern[str]:
        return re.compile(_NUMBER)

    @cached_property
    def identifier(self) -> Pattern[str]:
        return re.compile(self._identifier)

    @cached_property
    def token(self) -> Pattern[str]:
        return re.compile(f"(?P<number>{_NUMBER})|{self._identifier}")

    @cached_property
    def run(self) -> Pattern[str]:
        return re.compile(self._run)

    @cached_property
    def prose(self) -> Pattern[str]:
        letter = f"[{self._alphabetic}]"
        return re.compile(f"{letter}+(?:-{letter}+)+|{letter}(?:[-./]{letter})+")

    @cached_property
    def foreign(self) -> Pattern[str]:
        return re.compile(f"(?![\\0-\\x7f])[{self._alphabetic}]")

    @cached_property
    def lone(self) -> Pattern[str]:
        return re.compile(f"[{self._upper}{self._digit}]")

    @cached_property
    def case_change(self) -> Pattern[str]:
        return re.compile(f"[{self._lower}][{self._mark}]*(?=[{self._upper}])")

    @cached_property
    def two_sides(self) -> Pattern[str]:
        letters, digits = f"([{self._alphabetic}]+)", f"([{self._digit}]+)"
        return re.compile(f"{letters}{digits}|{digits}{letters}")

    @cached_property
    def dash_between_digits(self) -> Pattern[str]:
        return re.compile(f"(?<=[{self._digit}])[\u2012-\u2015](?=[{self._digit}])")


@cache
def _patterns() -> _IdentifierPatterns:
    return _IdentifierPatterns()


def _is_foreign(run: str) -> bool:
    """Return whether a run is one of TXT-4: it contains a letter or mark outside ASCII."""
    return not run.isascii() and _patterns().foreign.search(run) is not None


def _changes(run: str) -> list[str]:
    """Split a run of letters and digits at changes of case and at its change between letters and digits."""
    ends = [match.end() for match in _patterns().case_change.finditer(run)]
    found = [run[start:end] for start, end in zip([0, *ends], [*ends, len(run)], strict=True)] if ends else []
    sides = _patterns().two_sides.fullmatch(run)
    return found if sides is None else [*found, *(side for side in sides.groups() if side)]
