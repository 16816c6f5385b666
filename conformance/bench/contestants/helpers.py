"""What contestants share: reading the files of a run, timing, digests."""

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from hybrid_search.base import numeric


def lines(path: str) -> list[Any]:
    """The items of a file of JSON lines."""
    with Path(path).open(encoding="utf-8") as source:
        return [json.loads(line) for line in source]


def each_timed(items: Sequence[Any], work: Callable[[Any], Any]) -> tuple[list[Any], dict[str, list[float]]]:
    """What `work` gives for each item, and how long each took."""
    values, cpu, wall = [], [], []
    for item in items:
        began, worked = perf_counter(), process_time()
        value = work(item)
        cpu.append(process_time() - worked)
        wall.append(perf_counter() - began)
        values.append(value)
    return values, {"cpu": cpu, "wall": wall}


def keywords_digest(found: Iterable[tuple[Sequence[str], Sequence[float], Sequence[str]]]) -> str:
    """One text for the words, weights and parts of many texts."""
    return digest("\x01".join([*words, *map(numeric.to_bits, weights), *parts]) for words, weights, parts in found)


def digest(texts: Iterable[str]) -> str:
    """One text for many."""
    sum_ = hashlib.sha256()
    for text in texts:
        sum_.update(text.encode("utf-8"))
        sum_.update(b"\x00")
    return sum_.hexdigest()
