"""The documents, questions and vectors of whole calls: those of the collections, and pieces where they are too few."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from conformance.bench.context import Context
from conformance.bench.dense_vectors import DIMENSION, DenseVectors
from conformance.bench.texts import SEED, Collection
from conformance.errors import BrokenError

PIECE = 800
"""The length of a piece, in code points."""
SPREAD = 0.6
"""The length of the random vector that makes a piece's vector differ from that of its document, which has length 1."""

Record = dict[str, str]


@dataclass(frozen=True)
class WholeData:
    """What every contestant loads.

    Attributes:
        files: the parameters of `load`.
        questions: the questions, in order.
        how: how documents and vectors were made.
    """

    files: dict[str, Any]
    questions: tuple[str, ...]
    how: str


def made(context: Context, documents: int, questions: int) -> WholeData:
    """Write the files of a number of documents.

    The documents are those of the collections in one language with vectors of one model, the largest first. If they are
    too few, pieces at seeded offsets follow, whose vectors differ from the document's by a random one.
    """
    chosen = _alike(context.collections)
    records, sources = _records(chosen, documents)
    rows, asked_rows, how = _vectors(chosen, records, sources, questions)
    asked = _questions(chosen, questions)
    folder = context.folder / f"whole-{documents}"
    folder.mkdir(exist_ok=True)
    files = {
        "records": context.write(f"{folder.name}/records.jsonl", records),
        "vectors": _matrix(folder / "records.f32", rows),
        "questions": context.write(f"{folder.name}/questions.jsonl", asked),
        "question_vectors": _matrix(folder / "questions.f32", asked_rows),
        "dimension": int(rows.shape[1]),
        "folder": str(folder),
    }
    real = sum(len(collection.documents) for collection in chosen)
    names = ", ".join(collection.name for collection in chosen)
    how = (
        f"{documents:,} documents: {min(real, documents):,} of {names}"
        + (
            f", and {documents - real:,} pieces of {PIECE} characters of them at seeded offsets"
            if documents > real
            else ""
        )
        + f"; {how}"
    )
    return WholeData(files, tuple(asked), how)


def english(context: Context, documents: int) -> str | None:
    """Write documents of the collections that are not Chinese; gives the path, or `None` without such a collection."""
    chosen = _largest_first([one for one in context.collections if not one.is_chinese])
    return context.write("add-english.jsonl", _records(chosen, documents)[0]) if chosen else None


def mixed(context: Context, documents: int) -> str | None:
    """Write Chinese and other documents in turn; gives the path, or `None` without both kinds."""
    kinds = [
        _largest_first([one for one in context.collections if one.is_chinese is chinese]) for chinese in (True, False)
    ]
    if not all(kinds):
        return None
    halves = (_records(chosen, documents // 2)[0] for chosen in kinds)
    records = [record for record in chain(*zip_longest(*halves)) if record is not None]
    return context.write("add-mixed.jsonl", [{**one, "id": f"m{place:06}"} for place, one in enumerate(records)])


def _largest_first(collections: Sequence[Collection]) -> list[Collection]:
    return sorted(collections, key=lambda one: (-len(one.documents), one.name))


def _alike(collections: Sequence[Collection]) -> list[Collection]:
    """The collections in one language with vectors of one model, as many documents as possible.

    Raises:
        BrokenError: all collections are Chinese.
    """
    candidates = [one for one in collections if not one.is_chinese]
    if not candidates:
        raise BrokenError("whole: --data has no collection in English")
    groups: dict[str | None, list[Collection]] = {}
    for one in candidates:
        groups.setdefault(one.model, []).append(one)
    with_vectors = {model: group for model, group in groups.items() if model is not None}
    best = max((with_vectors or groups).values(), key=lambda group: sum(len(one.documents) for one in group))
    return _largest_first(best)


def _records(collections: Sequence[Collection], count: int) -> tuple[list[Record], list[int]]:
    """Records, and for each the number of its document among all documents of the collections."""
    documents = [document for collection in collections for document in collection.documents]
    generator = random.Random(SEED)
    texts = list(islice(documents, count))
    sources = list(range(len(texts)))
    while len(texts) < count:
        source = generator.randrange(len(documents))
        title, text = documents[source]
        start = generator.randint(0, max(0, len(text) - PIECE))
        texts.append((title, text[start : start + PIECE]))
        sources.append(source)
    records = [{"id": f"d{place:06}", "title": title, "content": text} for place, (title, text) in enumerate(texts)]
    return records, sources


def _taken(collection: Collection, count: int) -> Iterator[int]:
    """The places of a number of questions of a collection, evenly spread."""
    step = max(1, len(collection.queries) // count)
    return islice(range(0, len(collection.queries), step), count)


def _questions(collections: Sequence[Collection], count: int) -> list[str]:
    share = -(-count // len(collections))
    return [one.queries[place] for one in collections for place in _taken(one, share)][:count]


def _vectors(
    collections: Sequence[Collection], records: Sequence[Record], sources: Sequence[int], questions: int
) -> tuple[Any, Any, str]:
    """The vectors of records and questions, and how they were made."""
    asked = _questions(collections, questions)
    if collections[0].model is None:
        contents = [record["content"] for record in records]
        made = DenseVectors(contents)
        rows, asked_rows = (np.array([made.of(text) for text in group]) for group in (contents, asked))
        return _unit(rows), _unit(asked_rows), f"vectors of {DIMENSION} components made of the texts' words"
    share = -(-questions // len(collections))
    stored = np.concatenate([one.vectors("corpus") for one in collections])
    asked_rows = np.concatenate([one.vectors("queries")[list(_taken(one, share))] for one in collections])[: len(asked)]
    rows = stored[np.array(sources)]
    own = min(len(records), len(stored))
    noise = np.random.default_rng(SEED).standard_normal((len(records) - own, rows.shape[1]), dtype=np.float32)
    rows[own:] += SPREAD * _unit(noise)
    how = f"vectors of {rows.shape[1]} components by {collections[0].model}" + (
        f"; those of pieces are the document's plus a random one of length {SPREAD:g}" if own < len(records) else ""
    )
    return _unit(rows), _unit(asked_rows), how


def _unit(rows: Any) -> Any:
    if not len(rows):
        return rows
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype("<f4")


def _matrix(path: Path, rows: Any) -> str:
    rows.astype("<f4").tofile(path)
    return str(path)
