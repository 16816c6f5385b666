"""Operations of the live comparison: one loaded collection, and what each of its queries gives stage by stage.

Stages answer with digests, so that only differences travel; `collection.stage` gives one stage in full.
"""

import hashlib
import struct
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from conformance.implementations.python import codec, corpora
from conformance.implementations.python.registry import Trace, operation
from conformance.implementations.python.stores import Store
from hybrid_search.fusion.fusion import Fusion
from hybrid_search.fusion.fusion_expr import FusionExpr
from hybrid_search.query_builder import render
from hybrid_search.query_builder.builder import QueryBuilder
from hybrid_search.query_builder.expressions import MatchTextExpr
from hybrid_search.retriever.result import RetrievalResult
from hybrid_search.retriever.retriever import Retriever
from hybrid_search.retriever.window import Window

TOPK = 1024
PAGE_SIZES = (1, 5, 7, 10, 30, 50, 64)
METHODS = ("weighted_sum", "rrf")
SHALLOW = 128
DEEP_EVERY = 32
SMALL = 200
MIN_MATCH = 0.3

Stage = tuple[str, Callable[[], Any]]
"""A stage's name and what makes its value; a ranking is a list of (id, score, …)."""


class WalkPlan(NamedTuple):
    """How the pages of one query are walked.

    Attributes:
        size: entries on a page.
        method: how the legs of recall are fused.
        depth: how many candidates there are at the most.
    """

    size: int
    method: Any
    depth: int


def walk_plans(place: int, depth: int | None, documents: int) -> list[WalkPlan]:
    """The plans of a query by its place in the file: page sizes, fusions and depths take turns.

    A collection of at most `SMALL` documents is walked in every page size, any other in one.

    Args:
        place: from 0.
        depth: the same depth for every query; none: one in `DEEP_EVERY` is walked `TOPK` deep, the others `SHALLOW`.
        documents: how many there are.
    """
    mixed = place * 40503 // 16
    deep = TOPK if mixed // 14 % DEEP_EVERY == 0 else SHALLOW
    first = WalkPlan(PAGE_SIZES[mixed % 7], METHODS[mixed // 7 % 2], depth or deep)
    if documents > SMALL:
        return [first]
    return [first._replace(size=size) for size in PAGE_SIZES]


class RememberingBuilder(QueryBuilder):
    """A query builder that builds the query of the question at hand once; every block of its pages asks again."""

    def __init__(self) -> None:
        super().__init__()
        self._remembered: dict[tuple[str, float], tuple[MatchTextExpr | None, list[str]]] = {}

    def build_text_query(
        self, question: str, min_match: float = 0.3, **unknown: Any
    ) -> tuple[MatchTextExpr | None, list[str]]:
        """See `QueryBuilder.build_text_query`."""
        key = (question, min_match)
        if key not in self._remembered:
            self._remembered = {other: built for other, built in self._remembered.items() if other[0] == question}
            self._remembered[key] = super().build_text_query(question, min_match, **unknown)
        expression, keywords = self._remembered[key]
        return expression, list(keywords)


class Loaded:
    """A collection ready to be asked.

    Attributes:
        collection: its files.
        builder: makes the text queries.
        store: its documents; none when it has queries only.
        depth: how deep walks over all pages go; none: see `walk_plans`.
        walks: what the walks over all pages found, for the paging laws.
    """

    def __init__(self, folder: Path, model: str | None, depth: int | None) -> None:
        self.depth = depth
        self.collection = corpora.Collection(folder, model)
        self.builder = RememberingBuilder()
        self.store: Store | None = None
        self.walks: list[dict[str, int]] = []
        if (folder / "corpus.jsonl").is_file():
            self.store = self.collection.store()
            self._embedding = self.collection.embedding()
            self._retriever = Retriever(self.store, self.builder, self._embedding)

    def stages(self, place: int) -> list[Stage]:
        """The stages of one query, in order; each is computed when it is called, from what those before left.

        The walk over its pages fuses by one method, so of a shallow walk only the other is computed from the legs too.
        """
        question = self.collection.queries[place]["text"]
        text, keywords = self.builder.build_text_query(question, min_match=MIN_MATCH)
        stages: list[Stage] = [
            ("tokenise", lambda: keywords),
            ("query text", lambda: None if text is None else render.lucene(text.tree)),
        ]
        store = self.store
        if store is None:
            return stages
        plans = walk_plans(place, self.depth, store.count())
        legs: list[Any] = []

        def text_leg() -> Any:
            legs.append([] if text is None else store.text_leg(text.with_topn(TOPK)))
            return legs[0]

        stages.append(("text leg rank", text_leg))
        if self._embedding is not None:
            dense = self._embedding.match_dense(question, topk=TOPK, similarity=-1.0)

            def dense_leg() -> Any:
                legs.append(store.dense_leg(dense))
                return legs[1]

            stages.append(("dense leg rank", dense_leg))
            for method in (
                METHODS if plans[0].depth == TOPK else [other for other in METHODS if other != plans[0].method]
            ):
                fuse = partial(Fusion.fuse, FusionExpr(method, TOPK), legs, ["min_max", "none"])
                stages.append((f"fuse {method}", fuse))
        for plan in plans:
            name = f"pages of {plan.size}, {plan.method}, {plan.depth} deep"
            stages.append((name, partial(self._walk, question, plan)))
        return stages

    def _walk(self, question: str, plan: WalkPlan) -> list[Any]:
        """Every page: its hits with all their scores, and one line of what else it says."""
        size = plan.size
        window = Window.length(size, plan.depth, False)
        rows: list[Any] = []
        shown: list[str] = []
        passing, block = 0, -1
        for page in self._retriever.each_page(
            question, page_size=size, topk=plan.depth, fusion=plan.method, aggs=size >= 30
        ):
            if (page.page - 1) * size // window != block:
                block = (page.page - 1) * size // window
                passing += page.window_total
            shown += [chunk.chunk_id for chunk in page.chunks]
            rows += [
                (
                    chunk.chunk_id,
                    chunk.similarity,
                    chunk.term_similarity,
                    chunk.vector_similarity,
                    chunk.rank_feature,
                )
                for chunk in page.chunks
            ]
            rows.append((_page_line(page),))
        self.walks.append({"page_size": size, "shown": len(shown), "distinct": len(set(shown)), "passing": passing})
        return rows


def _page_line(page: RetrievalResult) -> str:
    counts = ", ".join(f"{entry['doc_name']} ({entry['doc_id']}) {entry['count']}" for entry in page.doc_aggs[:5])
    more = "more" if page.has_more else "last"
    return f"page {page.page} of {page.total} candidates, {page.window_total} pass in its block, {more}: {counts}"


_loaded: list[Loaded] = []
"""The one collection at hand."""


@operation("collection.load")
def load(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """Load a collection in the place of the one before; answers with its counts and a digest of its documents."""
    _loaded.clear()
    loaded = Loaded(Path(given["path"]), params.get("model"), params.get("depth"))
    _loaded.append(loaded)
    return {
        "name": loaded.collection.name,
        "model": loaded.collection.model,
        "documents": 0 if loaded.store is None else loaded.store.count(),
        "queries": len(loaded.collection.queries),
        "digest": digest_of_texts(_document_digests(loaded)),
    }


@operation("collection.documents")
def documents(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The digest of every stored document, in the order of the file."""
    return _document_digests(_loaded[0])


@operation("collection.document")
def document(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """One stored document without its vectors."""
    return _plain_document(_loaded[0], given["id"])


@operation("collection.query")
def query(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The digest of every stage of one query, and what its walks over all pages showed."""
    loaded = _loaded[0]
    loaded.walks.clear()
    stages = [[name, digest_of(make())] for name, make in loaded.stages(given["query"])]
    return {"stages": stages, "walks": list(loaded.walks)}


@operation("collection.stage")
def stage(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """One stage of one query in full."""
    for name, make in _loaded[0].stages(given["query"]):
        value = make()
        if name == given["stage"]:
            return value
    return None


def digest_of(value: Any) -> str:
    """The SHA-256 of a stage: a text, a list of texts, or rows of an id and scores (their 16 hex digits)."""
    if value is None or isinstance(value, str):
        return digest_of_texts([value or ""])
    if all(isinstance(item, str) for item in value):
        return digest_of_texts(value)
    return digest_of_rows(value)


def digest_of_texts(texts: Iterable[str]) -> str:
    """The SHA-256 of texts, each ended by a NUL."""
    return hashlib.sha256("".join(f"{text}\0" for text in texts).encode("utf-8")).hexdigest()


def digest_of_rows(rows: Sequence[Sequence[Any]]) -> str:
    """The SHA-256 of the ids, each ended by a NUL, and of all scores' hex digits, row by row."""
    scores = [score for row in rows for score in row[1:]]
    digits = struct.pack(f">{len(scores)}d", *scores).hex()
    return hashlib.sha256(("".join(f"{row[0]}\0" for row in rows) + digits).encode("utf-8")).hexdigest()


def _document_digests(loaded: Loaded) -> list[str]:
    if loaded.store is None:
        return []
    return [
        codec.digest(codec.encode(_plain_document(loaded, record["_id"]))) for record in loaded.collection.documents
    ]


def _plain_document(loaded: Loaded, identifier: str) -> dict[str, Any] | None:
    stored = loaded.store.get(identifier) if loaded.store is not None else None
    if stored is None:
        return None
    return {key: value for key, value in stored.items() if not key.endswith("_vec")}
