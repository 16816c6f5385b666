"""A page of a search that caches its fusion equals that of the whole ranking of a ranking cache (CUR-2, FUS-5)."""

import dataclasses

import pytest

from hybrid_search import Embedding, HashingEmbedder, Index, RankingCache

WORDS = ("carrier", "fee", "pallet", "return", "运费", "rule")
RECORDS = [
    {
        "id": f"d{number:04}",
        "content": " ".join([*(word for place, word in enumerate(WORDS) if number >> place & 1), "goods"]),
    }
    for number in range(260)
]
OPPOSITE = [{"id": f"o{number}", "content": "goods", "vector": [-1.0, number / 7.0, 0.0]} for number in range(130)]


class Fixed:
    """Embeds every text alike."""

    dimension = 3

    def encode(self, texts):
        return [[1.0, 0.0, 0.0] for _ in texts]


def pages(index, question, **options):
    found = [index.search(question, **options)]
    while found[-1].next_cursor is not None:
        found.append(index.search(question, cursor=found[-1].next_cursor, **options))
    return found


def both(records, embedding, kernels, **options):
    """Return an index that ranks only the shown places, and one that ranks all candidates."""
    indexes = [
        Index(embedding=embedding, kernels=kernels, ranking_cache=cache, **options) for cache in (None, RankingCache())
    ]
    for index in indexes:
        index.add(records)
    return indexes


@pytest.mark.parametrize("kernels", ["plain", "fast"])
@pytest.mark.parametrize("embedding", [None, HashingEmbedder()])
@pytest.mark.parametrize(
    "options", [{}, {"candidates": 130}, {"candidates": 100}, {"candidates": 7}, {"fusion": "rrf"}, {"profile": "dify"}]
)
def test_pages_equal_those_of_the_whole_ranking(kernels, embedding, options):
    shown, whole = both(RECORDS, embedding, kernels)
    for question in ("carrier fee", "pallet", "return goods", "nothing at all"):
        assert pages(shown, question, limit=33, **options) == pages(whole, question, limit=33, **options)
        for page in (2, 5, 9, 100):
            expected = whole.search(question, page=page, limit=30, highlight=True, **options)
            assert shown.search(question, page=page, limit=30, highlight=True, **options) == expected


@pytest.mark.parametrize("kernels", ["plain", "fast"])
def test_opposite_vectors_are_counted(kernels):
    """The cosine of opposite vectors may be rounded below -1; a dense leg without a limit still finds them."""
    shown, whole = both(OPPOSITE, Embedding(Fixed()), kernels, candidates=110)
    assert shown.search("x").total == 110
    assert pages(shown, "x") == pages(whole, "x")


@pytest.mark.parametrize("kernels", ["plain", "fast"])
def test_a_document_that_states_its_availability_changes_the_total(kernels):
    shown, whole = both(RECORDS, HashingEmbedder(), kernels, candidates=200)
    for index in (shown, whole):
        index.update([{"id": record["id"], "available": False} for record in RECORDS[:150]])
    assert shown.search("carrier").total == 110
    assert pages(shown, "carrier") == pages(whole, "carrier")


@pytest.mark.parametrize("embedding", [None, HashingEmbedder()])
def test_pages_over_a_file_equal_those_of_the_whole_ranking(tmp_path, embedding):
    """The cache of a file between searches follows its state: documents and vectors change between them."""
    shown = Index(path=tmp_path / "i.hsx", embedding=embedding)
    whole = Index(embedding=embedding, ranking_cache=RankingCache())
    for index in (shown, whole):
        index.add(RECORDS)
    for change in (
        lambda index: None,
        lambda index: index.delete([record["id"] for record in RECORDS[5:40:3]]),
        lambda index: index.update([{"id": record["id"], "content": "pallet rule"} for record in RECORDS[100:180:2]]),
        lambda index: index.update([{"id": record["id"], "available": False} for record in RECORDS[200:230]]),
    ):
        for index in (shown, whole):
            change(index)
        for question in ("carrier fee", "return goods"):
            for options in ({"candidates": 130}, {"candidates": 230}):
                assert pages(shown, question, limit=33, **options) == pages(whole, question, limit=33, **options)


def test_a_cursor_continues_after_the_index_has_changed():
    index = Index(embedding=HashingEmbedder())
    index.add(RECORDS)
    first = index.search("carrier fee")
    index.delete([first[0].id, first[9].id])
    following = index.search("carrier fee", cursor=first.next_cursor)
    assert following.index_changed
    assert {hit.id for hit in following}.isdisjoint(hit.id for hit in first)
    assert len(following) == 10


@pytest.mark.parametrize("embedding", [None, HashingEmbedder()])
@pytest.mark.parametrize("in_file", [False, True])
@pytest.mark.parametrize("kernels", ["plain", "fast"])
def test_a_page_is_one_read_of_the_store(tmp_path, monkeypatch, embedding, in_file, kernels):
    """Documents come from the state in which they were found; vectors that are shown are a second read (DOC-11)."""
    index = Index(path=tmp_path / "i.hsx" if in_file else None, embedding=embedding, kernels=kernels)
    index.add(RECORDS)
    expected = index.search("carrier fee", include=["vector"])
    read = []
    monkeypatch.setattr(index.store, "get_many", lambda *arguments: read.append(arguments))
    found = index.search("carrier fee")
    assert [dataclasses.replace(hit, vector=None) for hit in expected] == list(found)
    assert index.search("carrier fee", page=2, limit=50).hits[0].content
    assert read == []


def test_a_document_removed_during_a_search_is_replaced_by_the_next_one():
    index = Index()
    index.add(RECORDS)
    usual = [hit.id for hit in index.search("carrier fee", limit=11)]
    read = index.store.get_many
    removed = []

    def late(identifiers, vector_fields=None):
        if not removed:
            removed.append(index.delete([usual[3]]))
        return read(identifiers, vector_fields)

    index.store.get_many = late
    found = index.search("carrier fee", include=["vector"])  # of the first read there are no vectors
    assert [hit.id for hit in found] == [*usual[:3], *usual[4:]]
