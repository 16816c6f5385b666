"""`bin/conformance chunk-sizes --data DIR`: what the size of chunks does to the ranking of a BEIR-style collection.

The documents of a collection are cut by the Python reference's chunker and searched with full text alone, in BM25F over
title and content, as an `Index` without an embedding searches. A document is where its best chunk is. Prints a row for
whole documents and one for each size, as a Markdown table.

Exit status: 0, or 2 where the data cannot be read.
"""

import argparse
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from conformance.command_line import CommandParser
from conformance.implementations.python.corpora import Collection
from conformance.live import folders
from conformance.live.session import FAILURES
from conformance.quality.comparisons import interval
from conformance.quality.metrics import ndcg
from hybrid_search import Chunker, Index
from hybrid_search.chunker.token_counter import TokenCounter

SIZES = (64, 128, 256, 512)
DEPTH = 10
RESULTS = 200
"""Chunks that are looked at for each query; their first documents count."""
HEAD = "| collection | documents | tokens of a document | queries | cut | chunks | nDCG@10 | against whole documents |"


class Setting(NamedTuple):
    """How documents are cut: whole, where there is no size."""

    size: int | None
    overlap: int | None

    @property
    def name(self) -> str:
        """What the table calls it."""
        if self.size is None:
            return "whole documents"
        return f"{self.size}" if self.overlap is None else f"{self.size}/{self.overlap}"


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    options = _parser().parse_args(arguments)
    settings = [Setting(None, None), *(options.size or [Setting(size, None) for size in SIZES])]
    try:
        found, skipped = folders.find(options.data, options.collection)
        for line in skipped:
            print(line, file=sys.stderr)
        print(HEAD)
        print("| --- | ---: | ---: | ---: | --- | ---: | ---: | --- |")
        for folder in found:
            _measure(Collection(folder.path), settings, options.sample)
    except FAILURES as problem:
        print(f"chunk-sizes: {problem}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = CommandParser("chunk-sizes", __doc__)
    parser.add_argument("--data", type=Path, required=True, help="a BEIR-style collection, or a folder of such")
    parser.add_argument("--collection", action="append", default=[], help="only this collection (may be repeated)")
    parser.add_argument(
        "--size",
        action="append",
        type=_setting,
        metavar="SIZE[/OVERLAP]",
        help=f"only this size of chunks (may be repeated; default: {', '.join(map(str, SIZES))}); an eighth overlaps",
    )
    parser.add_argument("--sample", type=int, metavar="K", help="only K queries of a collection, evenly spread")
    return parser


def _setting(text: str) -> Setting:
    size, _, overlap = text.partition("/")
    try:
        return Setting(int(size), int(overlap) if overlap else None)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} must be a size, or SIZE/OVERLAP") from None


def _measure(collection: Collection, settings: Sequence[Setting], sample: int | None) -> None:
    """Print the rows of one collection."""
    queries = [query for query in collection.queries if query["_id"] in collection.qrels]
    count = min(sample or len(queries), len(queries))
    asked = {queries[index * len(queries) // count]["_id"]: "" for index in range(count)}
    asked = {query["_id"]: query["text"] for query in queries if query["_id"] in asked}
    documents = [
        {"id": one["_id"], "title": one.get("title", ""), "content": one["text"]} for one in collection.documents
    ]
    counter = TokenCounter()
    tokens = sum(counter.count(one["content"]) for one in documents) // len(documents)
    whole: list[float] = []
    for setting in settings:
        records = _records(documents, setting)
        figures = _figures(records, asked, collection.qrels)
        whole = whole or figures
        mean = math.fsum(figures) / len(figures)
        found = interval([own - its for own, its in zip(figures, whole, strict=True)])
        against = "" if setting.size is None else f"{found.mean:+.4f} ({found.low:+.4f} … {found.high:+.4f})"
        cells = (collection.name, f"{len(documents):,}", tokens, len(asked), setting.name, f"{len(records):,}")
        print(f"| {' | '.join(map(str, cells))} | {mean:.4f} | {against} |", flush=True)


def _records(documents: Sequence[dict[str, str]], setting: Setting) -> list[dict[str, object]]:
    if setting.size is None:
        return [{**document} for document in documents]
    chunker = Chunker(size=setting.size, overlap=setting.overlap)
    return [record for document in documents for record in chunker.chunk_records(document)]


def _figures(
    records: Sequence[dict[str, object]], asked: Mapping[str, str], qrels: Mapping[str, Mapping[str, int]]
) -> list[float]:
    """nDCG@10 of each query, where a document stands at the place of its best chunk."""
    index = Index(embedding=None)
    index.add(records)
    document = {str(record["id"]): str(record.get("doc_id", record["id"])) for record in records}
    figures = []
    for query, text in asked.items():
        hits = index.search(text, limit=RESULTS)
        ranking = list(dict.fromkeys(document[hit.id] for hit in hits))
        figures.append(ndcg(ranking, qrels[query], DEPTH))
    return figures
