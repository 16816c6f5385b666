import pytest

from hybrid_search import HashingEmbedder, Index, InvalidInputError, MemoryDocStore, Retriever
from hybrid_search.query_builder.builder import QueryBuilder

RECORDS = [
    {"id": "pears", "content": "green pears", "keywords": ["fruit"]},
    {"id": "fruit", "content": "red fruit and red wine"},
    {"id": "wine", "content": "Rotwein"},
]


class Inexact(MemoryDocStore):
    """A store that promises nothing about the scores of texts."""

    exact_text = False


def ranked(searched, **options):
    return [(hit.id, hit.score) for hit in searched("fruit wine", **options)]


def test_errors_name_a_record_by_its_position_in_a_stream():
    records = ({"id": f"{place}"} if place == 499 else {"id": f"{place}", "content": "x"} for place in range(600))
    index = Index()
    with pytest.raises(InvalidInputError, match=r"^records\[499\] has no content$"):
        index.add(records, batch_size=256)
    assert index.count() == 256
    with pytest.raises(InvalidInputError, match=r'^records\[1\]\.id "7" is already stored; use update or upsert$'):
        index.add(iter([{"id": "600", "content": "x"}, {"id": "7", "content": "x"}]), batch_size=1)


def test_the_default_profile_of_an_index_depends_on_its_store_and_that_of_a_retriever_is_ragflow():
    exact, inexact = (
        Index(store=make(), embedding=HashingEmbedder(dimension=32)) for make in (MemoryDocStore, Inexact)
    )
    exact.add(RECORDS)
    inexact.add(RECORDS)
    balanced, ragflow = (ranked(exact.search, profile=profile) for profile in ("balanced", "ragflow"))
    assert len(balanced) == 3
    assert balanced != ragflow
    assert ranked(exact.search) == balanced
    assert ranked(inexact.search) == ragflow
    retriever = Retriever(exact.store, QueryBuilder(), HashingEmbedder(dimension=32))
    chunks = retriever.retrieve("fruit wine").chunks
    assert [(chunk.chunk_id, chunk.similarity) for chunk in chunks] == ragflow
    told = '^text_leg "bm25f" needs a store that takes bags of tokens; take profile "ragflow" or "dify"$'
    with pytest.raises(InvalidInputError, match=told):
        Index(store=Inexact(), profile="balanced")


@pytest.mark.parametrize("profile", ["ragflow", "balanced", "dify"])
def test_a_file_stores_no_profile_so_its_reader_decides(tmp_path, profile):
    path = tmp_path / "made_before.hsx"
    with Index(path=path, profile=profile, embedding=HashingEmbedder(dimension=32)) as made:
        made.add(RECORDS)
        answered = {name: ranked(made.search, profile=name) for name in ("balanced", "ragflow")}
    with Index.open(path, embedding=HashingEmbedder(dimension=32)) as index:
        assert ranked(index.search) == answered["balanced"]
        assert ranked(index.search, profile="ragflow") == answered["ragflow"]
    with Index.open(path, embedding=HashingEmbedder(dimension=32), profile="ragflow") as index:
        assert ranked(index.search) == answered["ragflow"]


def test_an_index_prints_itself_in_one_line_even_when_it_is_closed(tmp_path):
    path = tmp_path / "a.hsx"
    with Index.open(path, embedding=HashingEmbedder(dimension=32)) as index:
        index.add(RECORDS)
        assert repr(index) == f"<Index {path}: 3 documents, hashing-32>"
    assert repr(index) == f"<Index {path}: documents that cannot be read, hashing-32>"


@pytest.mark.parametrize("path", [None, "", "a\0b"])
def test_a_path_that_is_not_set_is_refused(path):
    with pytest.raises(InvalidInputError, match=r"^path must be the path of a file, not "):
        Index.open(path)


@pytest.mark.parametrize(
    "options",
    [
        {"title_weight": 2},
        {"any_vectors": 1},
        {"max_results": 0},
        {"cursor_secret": 5},
        {"ranking_cache": 5},
        {"kernels": "slow"},
        {"candidates": 0},
        {"limit": 0},
        {"profile": "none"},
        {"observer": 5},
        {"max_question_length": 0},
    ],
)
def test_a_wrong_option_creates_no_file(tmp_path, options):
    with pytest.raises(InvalidInputError, match=next(iter(options))):
        Index(path=tmp_path / "new.hsx", **options)
    assert list(tmp_path.iterdir()) == []


def test_a_file_states_its_embedding(tmp_path):
    path = tmp_path / "a.hsx"
    with Index.open(path, embedding=HashingEmbedder(dimension=32)) as index:
        index.add(RECORDS)
    with Index.open(path) as index:
        found = index.search("red wine")
        assert (found.warnings, found[0].scores.vector > 0) == ((), True)
        index.add([{"id": "4", "content": "white wine"}])
    with Index.open(path, embedding=None) as index:
        found = index.search("red wine")
        assert found[0].scores.vector is None
        (warning,) = found.warnings
        assert warning == (
            "the text alone is searched, as there is no embedding: "
            '4 of 4 documents have a vector in q_32_vec by the model "hashing-32"'
        )
        index.add([{"id": "5", "content": "rosé"}])
    with Index.open(path) as index:
        assert index.search("wine").warnings == (
            "the text alone of 1 of 5 documents is searched: they have no vector in q_32_vec",
        )
        assert index.stats()["without_vectors"] == 1


def test_a_file_of_records_with_their_own_vectors_states_no_embedding(tmp_path):
    path = tmp_path / "own.hsx"
    with Index.open(path) as index:
        index.add([{"id": "1", "content": "red wine", "vector": [1, 0, 0]}])
    with Index.open(path) as index:
        (warning,) = index.search("wine").warnings
        assert warning.endswith("1 of 1 documents have a vector in q_3_vec")
        assert index.stats()["vectors"]["q_3_vec"]["origin"] == "records"
    with pytest.raises(InvalidInputError, match=r'3 components, not 256 by the model "hashing-256" as the embedding'):
        Index.open(path, embedding=HashingEmbedder())
