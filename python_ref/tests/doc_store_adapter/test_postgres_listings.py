"""Listings of documents in PostgreSQL equal those of memory, and no page reads documents before it (PG-5)."""

import random

import psycopg
import pytest

from hybrid_search.doc_store_adapter.memory.memory_doc_store import MemoryDocStore
from hybrid_search.doc_store_adapter.postgres.postgres_connection import PostgresConnection
from hybrid_search.doc_store_adapter.postgres.postgres_statements import PostgresStatements, quoted
from hybrid_search.index import Index
from python_ref.tests.doc_store_adapter import random_stores

pytestmark = pytest.mark.engines

VALUES = (
    1, 1.0, -0.0, 0, 2.5, "x", "y", True, [3, "x"], ["x", "y"], [True], {"a": 1}, 1e16, 10**16, 10**16 + 1, -5e-324,
    10**400, [10**300, 2.5, "q"], [], "\U0001f600", "\uffff", "\0", "\1", "\0\0",
)  # fmt: skip
IDENTIFIERS = (
    "a", "\0", "é", "é" * 500, "é" * 501, "a" * 512, "\U0001f600", "\U0001f600" * 400, "b\0", "b", "ba",
    "\U0010ffff" * 250, *(f"d{number}" for number in range(30)),
)  # fmt: skip
FIELDS = ("v", "id", "metadata.x", "tag_feas.t.u", "kb_id", "q_2_vec", "metadata", "content_ltks", "no'\"$1 {order}")
PAGE = 20


@pytest.fixture
def asked(monkeypatch):
    """The statements since the last reset: the text, the values and the number of returned rows."""
    seen = []
    rows_of = PostgresConnection.rows_of

    def watched(self, text, values):
        rows = rows_of(self, text, values)
        seen.append((text, values, len(rows)))
        return rows

    monkeypatch.setattr(PostgresConnection, "rows_of", watched)
    return seen


def read(asked):
    """Return the number of returned rows, without those that describe the state of the collection."""
    return sum(rows for text, _, rows in asked if ".changes where" not in text)


def passed_over(asked):
    """Return the number of documents that the server skipped for a page in the order of ids."""
    return [values[0] for text, values, _ in asked if "offset $1" in text]


def filled(collections, count):
    """Return a store and one in memory with the same documents."""
    documents = [{"id": str(place), "page_int": place % 7, "kb_id": f"k{place % 2}"} for place in range(count)]
    store, memory = collections.make(), MemoryDocStore()
    for each in (store, memory):
        each.insert(documents)
    return store, memory


@pytest.mark.parametrize("has_unclear", [False, True])
def test_listings_equal_those_of_memory(collections, has_unclear):
    """Also if a document has no attributes because jsonb cannot represent one of its values."""
    source = random.Random(has_unclear)
    store, memory = collections.make(), MemoryDocStore()
    documents = [random_stores.document(source, identifier) for identifier in IDENTIFIERS]
    for document in documents:
        if source.random() < 0.8:
            document["v"] = source.choice(VALUES)
    if has_unclear:
        documents[3]["v"] = 10**4000
    for each in (store, memory):
        each.insert(documents)
    for _ in range(40):
        order = [[source.choice(FIELDS), source.choice(["asc", "desc"])] for _ in range(source.randrange(4))]
        filters = random_stores.filters(source)
        for offset in source.sample([0, 1, 3, 4, 6, 20, 41, 42, 10**30], 4):
            wanted = {"order_by": order, "filters": filters, "limit": 3, "offset": offset}
            assert random_stores.told(store.search(**wanted)) == random_stores.told(memory.search(**wanted)), wanted


@pytest.mark.parametrize("filters", [{}, {"kb_id": "k0"}])
def test_a_page_by_id_reads_nothing_before_it(collections, asked, filters):
    """The server does not either: it begins at the end of the previous page."""
    store, memory = filled(collections, 3000)
    store.search(filters=filters, limit=PAGE)
    for page in range(1, 60):
        asked.clear()
        wanted = {"filters": filters, "limit": PAGE, "offset": page * PAGE}
        assert store.search(**wanted).ids == memory.search(**wanted).ids
        assert read(asked) == 2 * PAGE  # numbers with ids, and documents
        assert passed_over(asked) == [0]
    asked.clear()
    wanted = {"filters": filters, "limit": PAGE, "offset": 700}
    assert collections.beside(store).search(**wanted).ids == memory.search(**wanted).ids
    assert passed_over(asked) == [700]  # before the first listing, entries of the index are skipped


def test_the_server_scans_its_index(collections):
    store, _ = filled(collections, 3000)
    statement = PostgresStatements(store.collection).text("listed", among="")
    with psycopg.connect(collections.url, autocommit=True) as connection:
        connection.execute(f"analyze {quoted(store.collection)}.documents")
        cursor = psycopg.RawCursor(connection)
        explained = cursor.execute(f"explain (analyze, format json) {statement}", [0, PAGE, b"27"]).fetchone()[0]
    nodes = [explained[0]["Plan"]]
    for node in nodes:
        nodes += node.get("Plans", [])
    scans = [node for node in nodes if node["Node Type"] in ("Seq Scan", "Index Scan", "Bitmap Heap Scan")]
    assert sum(node["Actual Rows"] + node.get("Rows Removed by Filter", 0) for node in scans) == PAGE


def test_a_page_ordered_by_fields_reads_only_its_documents(collections, asked):
    store, memory = filled(collections, 1100)
    order = [["page_int", "desc"], ["kb_id", "asc"]]
    for offset in (0, 500, 1000):
        asked.clear()
        wanted = {"order_by": order, "limit": 100, "offset": offset}
        found = store.search(**wanted)
        assert random_stores.told(found) == random_stores.told(memory.search(**wanted))
        shown = len(found.ids)
        assert read(asked) == (1 if offset == 0 else 0) + 2 * shown  # their order, ids and documents
    for each in (store, memory):
        each.update([{"id": "0", "page_int": 9}])
    assert store.search(order_by=order, limit=1).ids == ("0",)
    told = [random_stores.told(each.search(order_by=order, agg_fields=["page_int"])) for each in (store, memory)]
    assert told[0] == told[1]


def test_a_cursor_reads_pages(collections, asked):
    index = Index(store=collections.make())
    index.add([{"id": f"{place:04}", "content": "solar"} for place in range(900)])
    cursor, pages = None, []
    for _ in range(20):
        asked.clear()
        page = index.search(match_all=True, limit=PAGE, cursor=cursor)
        pages += [hit.id for hit in page]
        cursor = page.next_cursor
        if len(pages) > PAGE:  # with the first page, the numbers of all documents that are available
            assert read(asked) == (PAGE + 2) + PAGE  # the listing; then the documents of the ids
    assert pages == [f"{place:04}" for place in range(20 * PAGE)]
