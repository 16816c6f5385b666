"""Faults inside the library: the reference with one part of it replaced, as a port may have misread it."""

import dataclasses
import math
import re
from collections.abc import Iterable
from typing import Any

from conformance.known_bad.fault import Fault, Message, fault


def replace(owner: Any, name: str, part: Any) -> None:
    """Put another part in the place of one of a module or a class."""
    setattr(owner, name, part)


@fault("ties_in_input_order")
class TiesInInputOrder(Fault):
    """Leaves equal scores in the order they came in."""

    def begin(self) -> None:
        """Sort by the score alone."""
        from hybrid_search.base import ordering

        def rank(scored: Iterable[tuple[str, float]]) -> list[tuple[str, float]]:
            return sorted(scored, key=lambda pair: -pair[1])

        replace(ordering, "rank", rank)


@fault("ties_by_turns")
class TiesByTurns(Fault):
    """Breaks ties this way the first time it is asked, that way the next: as a sort that is not stable may."""

    def __init__(self) -> None:
        self._is_first = True

    def read(self, message: Message) -> None:
        """Notes which pass this is: only the first wants traces."""
        self._is_first = message.get("want_trace", True)

    def begin(self) -> None:
        """Equal scores by id, up in the first pass, down in the second."""
        from hybrid_search.base import ordering

        right = ordering.rank

        def rank(scored: Iterable[tuple[str, float]]) -> list[tuple[str, float]]:
            ranked = right(scored)
            if not self._is_first:
                ranked.reverse()
                ranked.sort(key=lambda pair: -pair[1])
            return ranked

        replace(ordering, "rank", rank)


@fault("ids_by_utf16")
class IdsByUtf16(Fault):
    """Orders ids by halves of UTF-16, as JavaScript and Java compare strings."""

    def begin(self) -> None:
        """Compare big-endian UTF-16."""
        from hybrid_search.base import ordering

        def rank(scored: Iterable[tuple[str, float]]) -> list[tuple[str, float]]:
            return sorted(scored, key=lambda pair: (-pair[1], pair[0].encode("utf-16-be")))

        replace(ordering, "rank", rank)


@fault("window_64")
class Window64(Fault):
    """Clamps the rerank window to 64, whatever the page size: candidates at the edges of blocks are lost."""

    def begin(self) -> None:
        """A window of at most 64, in the retriever and in what the cases ask."""
        from hybrid_search.retriever.window import Window

        length = Window.length

        def clamped(page_size: int, top: int, with_model: bool) -> int:
            return min(64, length(page_size, top, with_model))

        replace(Window, "length", staticmethod(clamped))


@fault("off_by_one_page")
class OffByOnePage(Fault):
    """Counts pages from 0 where they are counted from 1."""

    def begin(self) -> None:
        """Every page is the one after it."""
        from hybrid_search.retriever.page_entries import WindowPages

        right = WindowPages.page

        def page(self: Any, window: Any) -> Any:
            return right(self, dataclasses.replace(window, page=window.page + 1))

        replace(WindowPages, "page", page)


@fault("overlapping_pages")
class OverlappingPages(Fault):
    """Takes one result too many into each page."""

    def begin(self) -> None:
        """The next result is at the end of the page, and again at the beginning of the next."""
        from hybrid_search.retriever.page_entries import WindowPages

        right = WindowPages.page

        def page(self: Any, window: Any) -> Any:
            made = right(self, window)
            return dataclasses.replace(made, shown=[*made.shown, *made.ranked.entries[window.end : window.end + 1]])

        replace(WindowPages, "page", page)


@fault("threshold_exclusive")
class ThresholdExclusive(Fault):
    """Drops candidates whose similarity is exactly the threshold."""

    def begin(self) -> None:
        """A threshold just above the one given."""
        from hybrid_search.retriever.ranker import Ranker

        right = Ranker.rank

        def rank(self: Any, request: Any, recalled: Any, first: int = 0) -> Any:
            above = math.nextafter(request.similarity_threshold, math.inf)
            return right(self, dataclasses.replace(request, similarity_threshold=above), recalled, first)

        replace(Ranker, "rank", rank)


@fault("word_split")
class WordSplit(Fault):
    r"""Splits texts at whatever is not `\w`."""

    def begin(self) -> None:
        """A regular expression in the place of the tokenizer."""
        from hybrid_search.text.tokenizer import Tokenizer

        def tokenize(_self: Tokenizer, text: str) -> str:
            return " ".join(re.findall(r"\w+", text.lower()))

        replace(Tokenizer, "tokenize", tokenize)


@fault("compensated_sum")
class CompensatedSum(Fault):
    """Sums more exactly than from left to right, as some languages do unasked."""

    def begin(self) -> None:
        """The exact sum, rounded once."""
        from hybrid_search.base import numeric

        def sum_left(values: Iterable[float]) -> float:
            return math.fsum(values)

        replace(numeric, "sum_left", sum_left)


@fault("equal_scores_are_zero")
class EqualScoresAreZero(Fault):
    """Normalises a list of equal scores to 0.0, not to 1.0."""

    def begin(self) -> None:
        """Another min_max."""
        from hybrid_search.fusion import normalizer

        right = normalizer.min_max

        def min_max(scores: Any) -> list[float]:
            return right(scores) if max(scores) != min(scores) else [0.0] * len(scores)

        replace(normalizer, "min_max", min_max)


@fault("one_character_unsimplified")
class OneCharacterUnsimplified(Fault):
    """Has no row for one character among the traditional ones."""

    def begin(self) -> None:
        """輸 stays what it is."""
        from hybrid_search.base import data_table

        right = data_table.read

        def read(name: str) -> dict[str, Any]:
            table = right(name)
            if name == "simplified.json":
                place = table["traditional"].index("輸")
                for key in ("traditional", "simplified"):
                    table[key] = table[key][:place] + table[key][place + 1 :]
            return table

        replace(data_table, "read", read)


@fault("one_emission_off")
class OneEmissionOff(Fault):
    """Has another probability for one character as the beginning of a word."""

    def begin(self) -> None:
        """One logarithm is 3 larger."""
        from jieba import finalseg

        finalseg.emit_P["B"]["的"] += 3.0
