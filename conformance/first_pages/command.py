"""Asks whole collections through OpenSearch or OceanBase in both languages, and compares first pages with memory's.

Documents, questions and vectors are the same; nothing is set but what the options say. A page is the same if ids, order
and all similarities are, bit for bit. Where it is not, the engine has put other candidates into the block that is
reranked, as its text scores are its own: then, of the candidates that both blocks have, both pages must show the best.
The documents of a page that the other's block lacks are its strangers.

The server is the one that HYBRID_SEARCH_OPENSEARCH_URL or HYBRID_SEARCH_OCEANBASE_URL names (bin/engines run opensearch
-- bin/conformance first-pages --data DIR). Prints a table, or JSON where the output is no terminal.

Exit status: 0 every difference is explained; 1 one is not, a similarity has other bits, or the languages differ; 2 no
server, no collection, or the harness is broken.
"""

import json
import os
import signal
import sys
import uuid
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from conformance.command_line import CommandParser
from conformance.errors import BrokenError
from conformance.first_pages.engines import ENGINES, Noting
from conformance.first_pages.pages import Page, Verdict, compare, row
from conformance.implementations.python.corpora import BATCH, Collection
from conformance.live import folders
from conformance.live.folders import Folder
from conformance.paths import CONFORMANCE
from conformance.reports.terminal import new_console, new_table
from conformance.wire.worker import WorkerProcess
from hybrid_search.doc_store_adapter.memory.memory_doc_store import MemoryDocStore
from hybrid_search.query_builder.builder import QueryBuilder
from hybrid_search.records.document_builder import DocumentBuilder
from hybrid_search.retriever.retriever import Retriever

WEIGHTS = "0.05,0.95"
RUBY = ["ruby", str(CONFORMANCE / "first_pages" / "worker.rb")]
HEADINGS = (
    "collection", "documents", "questions", "same pages", "others", "explained", "strangers", "first place of one",
    "shared documents", "with other bits", "Ruby differs",
)  # fmt: skip


class _Memory(Noting, MemoryDocStore):
    pass


@dataclass
class Counts:
    """What was counted of one collection.

    Attributes:
        collection: its name.
        documents: how many it has.
        questions: how many were asked.
        same: how many first pages are the same.
        others: how many are not.
        explained: how many of these differ only because the blocks do.
        strangers: how many documents of either page are not in the other's block.
        first_place: the first place of one of them in its block, none where there is none.
        block: how long that block is.
        shared: how many documents both pages show.
        other_bits: how many of them have other similarities.
        ruby_differs: how many pages are another one in Ruby, none where it was not asked.
    """

    collection: str
    documents: int = 0
    questions: int = 0
    same: int = 0
    others: int = 0
    explained: int = 0
    strangers: int = 0
    first_place: int | None = None
    block: int | None = None
    shared: int = 0
    other_bits: int = 0
    ruby_differs: int | None = None

    def add(self, verdict: Verdict) -> None:
        """Count a comparison."""
        self.questions += 1
        self.same += verdict.same
        self.others += not verdict.same
        self.explained += not verdict.same and verdict.explained
        self.strangers += len(verdict.strangers)
        self.shared += verdict.shared
        self.other_bits += len(verdict.other_bits)
        for _, place, length in verdict.strangers:
            if self.first_place is None or place < self.first_place:
                self.first_place, self.block = place, length

    @property
    def is_well(self) -> bool:
        """Whether every difference is explained."""
        return self.others == self.explained and not self.other_bits and not self.ruby_differs


def parser() -> CommandParser:
    """The command line."""
    result = CommandParser("first-pages", __doc__)
    engines = list(ENGINES)
    result.add_argument("--engine", choices=engines, default=engines[0], help=f"whose store (default {engines[0]})")
    result.add_argument("--data", type=Path, metavar="DIR", required=True, help="a collection, or a folder of such")
    result.add_argument("--collection", action="append", default=[], metavar="NAME", help="only these collections")
    result.add_argument("--sample", type=int, default=1, metavar="K", help="only every K-th question")
    result.add_argument("--weights", default=WEIGHTS, metavar="T,D", help=f"of text and vectors (default {WEIGHTS})")
    result.add_argument("--dense", choices=("approximate", "exact", "hnsw"), help="the option of the store")
    result.add_argument("--only-python", action="store_true", help="do not ask Ruby too")
    result.add_argument("--format", choices=("table", "json"), help="how the result is printed")
    return result


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    options = parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))  # the index is removed then, too
    engine = ENGINES[options.engine]
    url = os.environ.get(engine.variable)
    if not url:
        raise BrokenError(
            f"{engine.variable} is not set: bin/engines run {options.engine} -- bin/conformance first-pages --data DIR"
        )
    found, skipped = folders.find(options.data, options.collection)
    for line in skipped:
        print(f"first-pages: {line}", file=sys.stderr)
    counted = []
    for folder in found:
        if not (folder.path / "corpus.jsonl").is_file():
            print(f"first-pages: {folder.name}: skipped, it has no corpus.jsonl", file=sys.stderr)
            continue
        counted.append(_asked(folder, url, options))
        print(f"first-pages: {json.dumps(asdict(counted[-1]))}", file=sys.stderr, flush=True)
    if (options.format or ("table" if sys.stdout.isatty() else "json")) == "json":
        print(json.dumps([asdict(counts) for counts in counted], indent=2))
    else:
        show(counted)
    return 0 if all(counts.is_well for counts in counted) else 1


def show(counted: list[Counts]) -> None:
    """The table."""
    table = new_table(console := new_console())
    for heading in HEADINGS:
        table.add_column(heading)
    for counts in counted:
        values = asdict(counts)
        place, length = values.pop("first_place"), values.pop("block")
        cells = [str(value) for value in values.values()]
        cells.insert(7, "" if place is None else f"{place} of {length}")
        table.add_row(*cells)
    console.print(table)


def _asked(folder: Folder, url: str, options: Any) -> Counts:
    """Ask a collection's questions."""
    engine = ENGINES[options.engine]
    collection = Collection(folder.path, folder.model)
    dense = options.dense or engine.dense
    with engine.made(url, f"first_pages_{uuid.uuid4().hex[:20]}", dense) as (store, opening):
        memory = _Memory(bm25=engine.formula)
        counts = Counts(folder.name)
        for batch in _batches(collection):
            memory.insert(batch)
            store.insert(batch)
        counts.documents = memory.count()
        embedding = collection.embedding()
        if embedding is not None:
            engine.index(store, dense, embedding.match_dense(folder.name, topk=1, similarity=0.0).field)
        retrievers = [Retriever(each, QueryBuilder(), embedding) for each in (memory, store)]
        pages: list[tuple[str, list[Any]]] = []
        for query in collection.queries[:: options.sample]:
            rows = [
                [row(chunk) for chunk in retriever.retrieve(query["text"], weights=options.weights).chunks]
                for retriever in retrievers
            ]
            counts.add(compare(Page(rows[0], memory.block), Page(rows[1], store.block)))
            pages.append((query["text"], rows[1]))
        if not options.only_python:
            given = {**opening, "kind": options.engine, "embeds": embedding is not None}
            counts.ruby_differs = _in_ruby(given, pages, embedding, options.weights)
        return counts


def _batches(collection: Collection) -> Iterator[list[dict[str, Any]]]:
    builder, records = DocumentBuilder(), collection.records()
    for first in range(0, len(records), BATCH):
        yield builder.build_many(records[first : first + BATCH])


def _in_ruby(opening: dict[str, Any], pages: list[tuple[str, list[Any]]], embedding: Any, weights: str) -> int:
    """How many pages are not the same in Ruby."""
    differ = 0
    with WorkerProcess(RUBY, "ruby") as worker:
        worker.exchange(opening, "opening the store")
        for question, rows in pages:
            vector = None if embedding is None else embedding.match_dense(question, topk=1, similarity=0.0).vector
            asked = {"question": question, "vector": vector, "weights": weights}
            differ += [list(one) for one in rows] != worker.exchange(asked, question)
    return differ
