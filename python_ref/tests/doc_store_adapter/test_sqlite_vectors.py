"""Vectors of an index file are screened by sketches, which never miss a vector that belongs to the result."""

import functools
import random
import sqlite3

import numpy as np
import pytest

from hybrid_search.accelerated import kept_vectors
from hybrid_search.base import numeric
from hybrid_search.doc_store_adapter.memory.memory_doc_store import MemoryDocStore
from hybrid_search.doc_store_adapter.sqlite import sqlite_schema as schema
from hybrid_search.doc_store_adapter.sqlite.sqlite_connection import SqliteConnection
from hybrid_search.doc_store_adapter.sqlite.sqlite_doc_store import SqliteDocStore
from hybrid_search.doc_store_adapter.sqlite.sqlite_tables import SqliteTables
from hybrid_search.doc_store_adapter.tables import vector_sketch
from hybrid_search.errors import IndexCorruptError
from hybrid_search.query_builder.expressions import MatchDenseExpr

COUNT = 600
DIMENSION = 12


def vector(source, dimension=DIMENSION):
    """Return a vector of any size, often with few components, or as near to others as possible."""
    kind = source.randrange(8)
    size = {0: 1e-200, 1: 1e150, 2: 0.0, 3: 1e-33}.get(kind, 1.0)
    components = [source.gauss(0.0, 1.0) * size for _ in range(dimension)]
    if kind == 4:
        components = [0.0] * dimension
        components[source.randrange(dimension)] = -3.0
    if kind == 5:
        components = [0.5 + source.choice([0.0, 2.0**-50]) for _ in range(dimension)]
    return components


def documents(source, first=0, count=COUNT):
    return [
        {"id": f"{place:04}", "available_int": place % 3, f"q_{DIMENSION}_vec": vector(source)}
        for place in range(first, first + count)
    ]


def test_vectors_may_take_half_of_the_memory_and_sketches_all_of_it():
    entries = [(0, 1), (1, 1)]
    vectors, floats, steps = (kept_vectors.bytes_needed(DIMENSION, entries, size) for size in (12, 4, 1))
    for memory, size in ((2 * vectors, 12), (2 * vectors - 1, 4), (floats, 4), (floats - 1, 1), (steps, 1)):
        assert kept_vectors.fitting(DIMENSION, entries, memory) == size
    assert kept_vectors.fitting(DIMENSION, entries, steps - 1) is None


@pytest.mark.parametrize(
    ("memory", "component", "sketch"),
    [(0, 12, 4), (1, 12, 4), (1, 1 << 40, 4), (1, 24, 4), (1, 1 << 40, 1 << 40), (1, 1 << 40, 48)],
)
def test_no_near_vector_is_missed(tmp_path, monkeypatch, memory, component, sketch):
    """With larger components, vectors or sketches of floats do not fit: never, or the last batch exceeds the memory."""
    monkeypatch.setattr(kept_vectors, "BYTES_OF_COMPONENT", component)
    monkeypatch.setattr(kept_vectors, "BYTES_OF_SKETCH", sketch)
    monkeypatch.setattr(kept_vectors, "VECTORS_AT_ONCE", 100)
    source = random.Random(7)
    plain = MemoryDocStore(kernels="plain")
    with SqliteDocStore(tmp_path / "v.hsx", memory=memory, synchronous="normal") as store:
        for step in range(3):
            batch = documents(source, step * COUNT)
            for one in (store, plain):
                one.insert(batch)
                one.delete([document["id"] for document in batch[step::7]])
            for _ in range(12):
                query = MatchDenseExpr(
                    f"q_{DIMENSION}_vec",
                    tuple(vector(source)),
                    topn=source.choice([1, 7, 64, 512, 5000]),
                    extra_options=source.choice([{}, {"similarity": 0.3}, {"similarity": -1.0}]),
                )
                filters = source.choice([None, {"available_int": 1}, {"id": {"lt": "0100"}}])
                assert store.rank([query], filters) == plain.rank([query], filters)


def test_a_search_reads_only_a_few_exact_vectors(tmp_path, monkeypatch):
    """Reads are counted: hardly more than the requested number."""
    source = random.Random(3)
    rows = [[source.gauss(0.0, 1.0) for _ in range(64)] for _ in range(2000)]
    with SqliteDocStore(tmp_path / "v.hsx", synchronous="normal") as store:
        store.insert([{"id": f"{place:04}", "q_64_vec": row} for place, row in enumerate(rows)])
    read = []
    vectors = SqliteTables.packed_vectors
    monkeypatch.setattr(SqliteTables, "packed_vectors", lambda *given: read.append(len(given[2])) or vectors(*given))
    with SqliteDocStore(tmp_path / "v.hsx") as store:
        assert len(store.rank([MatchDenseExpr("q_64_vec", tuple(rows[0]), topn=20)])) == 20
    assert 20 <= sum(read) < 60


@pytest.mark.parametrize("draws", [vector, lambda source: [source.randrange(-64, 65) / 8 for _ in range(DIMENSION)]])
@pytest.mark.parametrize("ahead", [70, 1000])
def test_vectors_that_have_all_been_read_need_no_sketches(tmp_path, monkeypatch, ahead, draws):
    """Documents change before all have been read, and afterwards."""
    monkeypatch.setattr(kept_vectors, "READ_AHEAD", ahead)
    estimated = []
    estimates = kept_vectors.KeptVectors.estimates
    monkeypatch.setattr(kept_vectors.KeptVectors, "estimates", lambda *given: estimated.append(1) or estimates(*given))
    source = random.Random(ahead)
    name = f"q_{DIMENSION}_vec"
    plain = MemoryDocStore(kernels="plain")
    with SqliteDocStore(tmp_path / "v.hsx", synchronous="normal") as store:
        for one, given in ((store, random.Random(2)), (plain, random.Random(2))):
            one.insert(
                [{"id": f"{place:04}", "available_int": place % 3, name: draws(given)} for place in range(COUNT)]
            )
        for step in range(24):
            estimated.clear()
            query = MatchDenseExpr(name, (1.0, *draws(source)[1:]), topn=source.choice([1, 7, 64]))
            filters = source.choice([None, {"available_int": 1}])
            assert store.rank([query], filters) == plain.rank([query], filters)
            if step % 3 == 2:
                gone, changed = f"{step * 9:04}", {"id": f"{500 - step:04}", name: draws(source)}
                for one in (store, plain):
                    one.delete([gone])
                    one.update([changed])
        assert estimated == []


def test_cached_vectors_are_read_once(tmp_path, monkeypatch):
    source = random.Random(5)
    statements = []
    row = SqliteConnection.row
    monkeypatch.setattr(
        SqliteConnection,
        "row",
        lambda self, statement, *values: statements.append(statement) or row(self, statement, *values),
    )
    query = MatchDenseExpr(f"q_{DIMENSION}_vec", (1.0,) * DIMENSION, topn=5)
    for memory, blocks in ((1, [3, 0, 0]), (0, [3, 3, 3])):
        path = tmp_path / f"{memory}.hsx"
        with SqliteDocStore(path, memory=memory, synchronous="normal") as store:
            store.insert(documents(source))
            for step, expected in enumerate(blocks):
                if step == 2:
                    store.delete(["0005"])
                statements.clear()
                store.rank([query])
                assert sum("steps" in statement for statement in statements) == expected


def test_vectors_read_later_by_an_earlier_state_do_not_count_as_read(tmp_path):
    source = random.Random(5)
    path = tmp_path / "v.hsx"
    given = [[float(source.randrange(1, 9)) for _ in range(DIMENSION)] for _ in range(20)]
    with SqliteDocStore(path) as store:
        store.insert([{"id": f"{place:02}", f"q_{DIMENSION}_vec": row} for place, row in enumerate(given)])
        with store._file.reading() as connection:
            tables = SqliteTables(str(path), connection)
            row = tables.field(schema.ATTRIBUTES, f"q_{DIMENSION}_vec")
            entries = tables.sketch_generations(row.field)
            make = functools.partial(kept_vectors.KeptVectors, row.field, DIMENSION, tables, entries)
            first = make(None, kept_vectors.BYTES_OF_COMPONENT)
            later = first.after(frozenset([3]), tables)
            assert later.whole(tables) is not None
            place = np.array([3])
            expected = first.exact(place, tables, None).best(given[3], 1, None, None)
            rebuilt = make(later, kept_vectors.BYTES_OF_COMPONENT)
            again = rebuilt.exact(place, tables, None).best(given[3], 1, None, None)
            assert [found.tolist() for found in again] == [found.tolist() for found in expected]
            assert again[1].tolist() == [numeric.cosine(given[3], given[3])]


@pytest.mark.parametrize("dimension", [1, 2, 33, 384])
def test_a_sketch_bounds_every_cosine(dimension):
    source = random.Random(dimension)
    for _ in range(300):
        stored, query = vector(source, dimension), vector(source, dimension)
        norm, query_norm = numeric.norm(stored), numeric.norm(query)
        sketch = vector_sketch.of(stored, norm)
        if not vector_sketch.is_sound(norm):
            assert sketch == (0.0, float("inf"), bytes(dimension))
            continue
        if not vector_sketch.is_sound(query_norm):
            continue
        steps = np.frombuffer(sketch.steps, dtype=np.int8)
        assert steps.min() >= -vector_sketch.MOST_STEPS
        assert 1.0 * dimension**0.5 / 254 * 1.1 >= sketch.error
        for kind, roundoff in ((np.float32, 2.0**-24), (np.float64, 2.0**-53)):
            unit = (np.array(query) / query_norm).astype(kind)
            estimate = float(unit @ steps.astype(kind)) * sketch.ratio
            slack = (1.0 + sketch.error) * vector_sketch.slack(dimension, roundoff)
            assert abs(estimate - numeric.cosine(stored, query)) <= sketch.error + slack


def test_a_damaged_sketch_is_reported(tmp_path):
    path = tmp_path / "v.hsx"
    with SqliteDocStore(path) as store:
        store.insert(documents(random.Random(1)))
    for change in ("zeroblob(length(steps))", "zeroblob(length(steps) - 1)"):
        with sqlite3.connect(path) as database:
            database.execute(f"UPDATE sketches SET steps = {change}")
        database.close()
        with SqliteDocStore(path) as store, pytest.raises(IndexCorruptError, match="is damaged"):
            store.rank([MatchDenseExpr(f"q_{DIMENSION}_vec", (1.0,) * DIMENSION, topn=5)])
