"""Real text: the collections of a folder, cut into what the workloads need."""

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from conformance.errors import BrokenError
from conformance.live import folders
from hybrid_search.text.tokenizer import Tokenizer

SEED = 20260101
CHINESE_SHARE = 0.3


@dataclass(frozen=True)
class Collection:
    """Documents and queries of one folder.

    Attributes:
        name: the folder's.
        path: the folder.
        model: the folder of its vectors inside, or none.
        documents: (title, text), in file order.
        queries: texts, in file order.
    """

    name: str
    path: Path
    model: str | None
    documents: tuple[tuple[str, str], ...]
    queries: tuple[str, ...]

    @cached_property
    def is_chinese(self) -> bool:
        """Whether a good part of the first documents is Han."""
        text = "".join(text for _, text in self.documents[:50])
        return sum("\u4e00" <= character <= "\u9fff" for character in text) > CHINESE_SHARE * len(text) > 0

    def vectors(self, kind: str) -> Any:
        """The stored vectors of the "corpus" or the "queries", a row each."""
        return np.load(self.path / str(self.model) / f"{kind}.npy", mmap_mode="r")


def load(root: Path) -> list[Collection]:
    """The collections under a folder that have documents and queries.

    Raises:
        BrokenError: there is none.
    """
    found: dict[Path, str | None] = {}
    for folder in folders.find(root, [])[0]:
        if (folder.path / "corpus.jsonl").is_file():
            found.setdefault(folder.path, folder.model)
    result = [_collection(path, model) for path, model in found.items()]
    if not result:
        raise BrokenError(f"--data {root}: no collection with a corpus.jsonl")
    return result


def _collection(path: Path, model: str | None) -> Collection:
    documents = tuple((line.get("title") or "", line["text"]) for line in _lines(path / "corpus.jsonl"))
    queries = tuple(line["text"] for line in _lines(path / "queries.jsonl"))
    return Collection(path.name, path, model, documents, tuple(query for query in queries if query.strip()))


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as source:
        for line in source:
            if line.strip():
                yield json.loads(line)


def queries(collections: Sequence[Collection], count: int) -> list[str]:
    """Queries taken evenly from all collections, the same ones every time."""
    chosen: list[str] = []
    share = -(-count // len(collections))
    for collection in collections:
        step = max(1, len(collection.queries) // share)
        chosen += collection.queries[::step][:share]
    random.Random(SEED).shuffle(chosen)
    return chosen[:count]


def streams(collections: Sequence[Collection], characters: int, tokenizer: Tokenizer) -> list[list[str]]:
    """The tokens of each collection's first texts, about so many characters in all, in the order of the texts."""
    share = characters // len(collections)
    found = []
    for collection in collections:
        tokens: list[str] = []
        left = share
        for title, text in collection.documents:
            whole = f"{title}\n{text}"[:left]
            tokens += tokenizer.tokenize(whole)
            left -= len(whole)
            if left <= 0:
                break
        found.append(tokens)
    return found


def windows(stream: Sequence[str], size: int, count: int, seed: int) -> Iterator[list[str]]:
    """Runs of `size` tokens at seeded offsets of a stream, which may be shorter."""
    generator = random.Random(seed)
    last = max(0, len(stream) - size)
    for _ in range(count):
        start = generator.randint(0, last)
        yield list(stream[start : start + size])


def passages(collections: Sequence[Collection], longest: int, count: int) -> tuple[list[dict[str, str]], str]:
    """Pieces of the documents, in turn from every collection, and how they came about.

    Where the documents do not give so many, further pieces are cut out at seeded offsets.
    """
    pieces = [_pieces(collection, longest) for collection in collections]
    chosen: list[dict[str, str]] = []
    while pieces and len(chosen) < count:
        for source in list(pieces):
            piece = next(source, None)
            if piece is None:
                pieces.remove(source)
            else:
                chosen.append(piece)
    how = f"passages of at most {longest} characters of the documents"
    whole = len(chosen)
    generator = random.Random(SEED)
    while len(chosen) < count:
        title, text = generator.choice(generator.choice(collections).documents)
        start = generator.randint(0, max(0, len(text) - longest // 2))
        chosen.append({"title": title, "content": text[start : start + longest]})
    if whole < count:
        how += f", {count - whole} of them at seeded offsets, overlapping, because the documents give only {whole}"
    return [{"id": f"p{place:06}", **piece} for place, piece in enumerate(chosen[:count])], how


def _pieces(collection: Collection, longest: int) -> Iterator[dict[str, str]]:
    for title, text in collection.documents:
        for start in range(0, len(text), longest):
            yield {"title": title, "content": text[start : start + longest]}
