"""Whole tables as digests, block by block, so that one wrong row is noticed and its block named (TXT-1 … TXT-8)."""

import hashlib
import struct
from collections.abc import Iterable
from functools import cache
from typing import Any

from jieba import finalseg

from conformance.implementations.python.registry import Trace, operation
from hybrid_search.base import kernels
from hybrid_search.text import idf_table, normalizer
from hybrid_search.text import stop_words as _stop_words
from hybrid_search.text.segmenter import Segmenter

BLOCK = 256
"""Code points in a block."""
DIGITS = 16
"""Hex digits of a digest."""
SURROGATES = range(0xD800, 0xE000)
LABELS = "BMES"


@cache
def _segmenter() -> Segmenter:
    return Segmenter()


def digest(lines: Iterable[str]) -> str:
    """Of lines of text, each ended by a line feed."""
    return hashlib.sha256("".join(f"{line}\n" for line in lines).encode("utf-8")).hexdigest()[:DIGITS]


@operation("tables.normalized")
def normalized(params: dict[str, Any], _given: Any, _trace: Trace) -> Any:
    """What a step of the normalisation makes of every code point: a digest for each block that it changes."""
    step = getattr(normalizer.Normalizer(), params["step"])
    changed = {}
    for first in range(0, 0x110000, BLOCK):
        if first in SURROGATES:
            continue
        text = "".join(map(chr, range(first, first + BLOCK)))
        made = step(text)
        if made != text:
            changed[f"{first:06x}"] = digest([made])
    return changed


@operation("tables.stop_words")
def stop_words(params: dict[str, Any], _given: Any, _trace: Trace) -> Any:
    """A list of stop words in its order: how many, and a digest for each 64."""
    words = getattr(_stop_words, f"{params['list']}_words")()
    return {"count": len(words), "digests": [digest(words[at : at + 64]) for at in range(0, len(words), 64)]}


@operation("tables.dictionary")
def dictionary(_params: dict[str, Any], _given: Any, _trace: Trace) -> Any:
    """Frequency and part of speech of every word: a count and a digest for each block of first characters."""
    segmenter = _segmenter()
    words = [word for word, frequency in segmenter.dictionary.frequencies.items() if frequency > 0]
    return _blocks(words, lambda word: f"{word} {segmenter.frequency(word)} {segmenter.tag(word)}")


@operation("tables.idf")
def idf(_params: dict[str, Any], _given: Any, _trace: Trace) -> Any:
    """The inverse document frequency of every word that has one: a count and a digest for each block, and the median.

    Words whose value is the median cannot be told from words without one, so they are left out.
    """
    table = idf_table.IdfTable.shared()
    words = [word for word, value in dict(idf_table.entries()).items() if value != table.median]
    return {"median": table.median, "blocks": _blocks(words, lambda word: f"{word} {bits(table.idf(word))}")}


@operation("tables.hidden_markov_model")
def hidden_markov_model(_params: dict[str, Any], _given: Any, _trace: Trace) -> Any:
    """The logarithms of the model: of the first label, of one label after another, and of every character.

    What never happens is written `never`, since ports may have a number of their own for it.
    """
    start, steps, emissions, never = _model()

    def told(values: Iterable[float]) -> str:
        return " ".join("never" if value == never else bits(value) for value in values)

    points = range(0x4E00, 0x9FD6)
    blocks = {
        f"{first:06x}": digest(
            told(emissions.get(chr(point), (never,) * 4)) for point in range(first, first + BLOCK) if point in points
        )
        for first in range(points.start, points.stop, BLOCK)
    }
    return {"start": told(start), "steps": told(steps), "blocks": blocks}


@operation("tables.pairs", defaults={"hmm": True})
def pairs(params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """How every pair of some characters is cut: a digest for each first character."""
    characters = given["characters"]
    cut = _segmenter().cut
    return [[one, digest(" ".join(cut(one + other, hmm=params["hmm"])) for other in characters)] for one in characters]


def bits(value: float) -> str:
    """The 16 hex digits of a float."""
    return struct.pack(">d", value).hex()


def _blocks(words: list[str], told: Any) -> dict[str, list[Any]]:
    """By the block of their first character, how many words there are, and the digest of what is told of them."""
    blocks: dict[int, list[str]] = {}
    for word in sorted(words):
        blocks.setdefault(ord(word[0]) // BLOCK * BLOCK, []).append(word)
    return {f"{first:06x}": [len(own), digest(map(told, own))] for first, own in blocks.items()}


def _model() -> tuple[list[float], list[float], dict[str, tuple[float, ...]], float]:
    """The model as the chosen kernels have it: jieba's own, or what the fast way made of it."""
    from hybrid_search.accelerated import hidden_markov_model as fast

    model = finalseg
    if kernels.choice() != kernels.PLAIN:
        kept = fast._parameters()
        return list(kept.start), list(kept.steps), dict(kept.emissions), kept.never[0]
    never = model.MIN_FLOAT
    orders = ("EB", "SB", "BM", "MM", "BE", "ME", "ES", "SS")
    steps = [model.trans_P[order[0]].get(order[1], never) for order in orders]
    characters = set().union(*(model.emit_P[label] for label in LABELS))
    emissions = {one: tuple(model.emit_P[label].get(one, never) for label in LABELS) for one in characters}
    return [model.start_P["B"], model.start_P["S"]], steps, emissions, never
