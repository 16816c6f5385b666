"""Fast and plain kernels write the same rows into an index file."""

import random
import sqlite3

import pytest

from hybrid_search import SqliteDocStore
from hybrid_search.accelerated import fast_sqlite_blocks, fast_sqlite_postings
from hybrid_search.doc_store_adapter.tables import blobs
from hybrid_search.errors import IndexCorruptError
from python_ref.tests.doc_store_adapter import random_stores
from python_ref.tests.rounds import seeds

TABLES = ("documents", "texts", "free_numbers", "fields", "terms", "postings", "frequencies", "lengths", "vectors")
TABLES += ("sketches", "vector_models")
KERNELS = ("plain", "fast")
LENGTHS = [1e-200, 1e-31, 1e-20, 1.0, 1e20, 1e38, 4e38, 1e150]


def rows(path):
    """All rows except those with marks, which each transaction draws at random."""
    database = sqlite3.connect(path)
    found = {table: sorted(database.execute(f"SELECT * FROM {table}").fetchall(), key=repr) for table in TABLES}
    database.close()
    return found


def both(folder):
    return [SqliteDocStore(folder / f"{kernels}.hsx", kernels=kernels) for kernels in KERNELS]


def assert_same_rows(folder, stores):
    for store in stores:
        store.close()
    plain, fast = (rows(folder / f"{kernels}.hsx") for kernels in KERNELS)
    for table in TABLES:
        assert fast[table] == plain[table], table
    return fast


@pytest.mark.parametrize("seed", seeds(16, 60))
def test_random_batches_write_the_same_rows(seed, tmp_path, monkeypatch):
    source = random.Random(seed)
    monkeypatch.setattr(blobs, "PLACES_IN_CHUNK", source.choice([1, 3, 256]))
    monkeypatch.setattr(fast_sqlite_postings, "AT_ONCE", source.choice([1, 3, 200]))
    monkeypatch.setattr(fast_sqlite_postings, "PACKED", source.choice([1, 5, 2000]))
    monkeypatch.setattr(fast_sqlite_blocks, "VECTORS_IN_BLOCK", source.choice([1, 2, 256]))
    stores = both(tmp_path)
    stored = []
    for _ in range(12):
        method, argument = random_stores.change(source, stored)
        for store in stores:
            getattr(store, method)(argument)
        stored = [f"d{place}" for place in range(40) if stores[0].get(f"d{place}") is not None]
    assert_same_rows(tmp_path, stores)


def test_terms_with_more_places_than_a_chunk_write_the_same_rows(tmp_path):
    source = random.Random(7)
    stores = both(tmp_path)
    for batch in range(3):
        words = [" ".join(source.choices(["rule", "engine", "é"], [8, 2, 1], k=90)) for _ in range(20)]
        documents = [{"id": f"{batch}.{place}", "content_ltks": text} for place, text in enumerate(words)]
        for store in stores:
            store.insert(documents)
            store.delete([f"{batch}.{place}" for place in range(0, 20, 5)])
    found = assert_same_rows(tmp_path, stores)
    assert len(found["postings"]) > 10


def test_vectors_of_all_lengths_write_the_same_rows(tmp_path):
    source = random.Random(8)
    vectors = [[0.0, -0.0, 0.0], *([length * source.uniform(-1, 1) for _ in range(3)] for length in LENGTHS * 40)]
    stores = both(tmp_path)
    for store in stores:
        store.insert([{"id": str(place), "q_3_vec": vector} for place, vector in enumerate(vectors)])
    assert_same_rows(tmp_path, stores)


@pytest.mark.parametrize("kernels", KERNELS)
@pytest.mark.parametrize(
    "damage",
    ["documents = 2", "chunks = 1", "places = x'0001'", "places = 5", "checksum = checksum + 1", "documents = 'x'"],
)
def test_a_damaged_term_is_noticed_when_a_document_adds_to_it(kernels, damage, tmp_path):
    path = tmp_path / "index.hsx"
    with SqliteDocStore(path, kernels=kernels) as store:
        store.insert([{"id": "1", "content_ltks": "rule"}])
    database = sqlite3.connect(path)
    database.execute(f"UPDATE terms SET {damage} WHERE token = CAST('rule' AS BLOB)")
    database.commit()
    database.close()
    with SqliteDocStore(path, kernels=kernels) as store, pytest.raises(IndexCorruptError):
        store.insert([{"id": "2", "content_ltks": "rule"}])
