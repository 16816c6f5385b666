"""Collections in the form of BEIR, from real folders (IDX-3)."""

import gzip
import json
import shutil

import pytest

from hybrid_search import BeirCollection, HashingEmbedder, Index, InvalidInputError


@pytest.fixture(params=["finance_faq", "rulebook"])
def folder(request, repository):
    return repository / "fixtures/corpora" / request.param


def test_all_documents_queries_and_judgements_are_read(folder):
    lines = [json.loads(line) for line in (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines()]
    index = Index.from_beir(folder, embedding=HashingEmbedder(dimension=16))
    assert index.count() == len(lines)
    for line in lines:
        record = index.get(line["_id"])
        assert (record["content"], record.get("title", "")) == (line["text"], line.get("title", ""))
    collection = BeirCollection(str(folder))
    queries, qrels = collection.queries(), collection.qrels()
    assert set(qrels) <= set(queries)
    assert all(index.exists(identifier) for judged in qrels.values() for identifier in judged)
    assert all(isinstance(score, int) for judged in qrels.values() for score in judged.values())


def test_compressed_files_are_read_alike(folder, tmp_path):
    for name in ("corpus.jsonl", "queries.jsonl", "qrels.tsv"):
        with gzip.open(tmp_path / f"{name}.gz", "wb") as stream:
            stream.write((folder / name).read_bytes())
    ours, compressed = BeirCollection(folder), BeirCollection(tmp_path)
    assert list(ours.records()) == list(compressed.records())
    assert (ours.queries(), ours.qrels()) == (compressed.queries(), compressed.qrels())


@pytest.mark.nightly
def test_the_scifact_collection_is_read(repository):
    folder = repository.parent / "shared/data/scifact"
    if not folder.is_dir():
        pytest.skip("there is no folder ../shared/data beside this checkout")
    collection = BeirCollection(folder)
    assert len(collection.queries()) == 300
    assert [len(judged) for judged in collection.qrels().values()].count(0) == 0
    index = Index.from_beir(folder)
    assert index.count() == 5183
    qrels = collection.qrels()
    asked = list(collection.queries().items())[:50]
    found = [any(hit.id in qrels[identifier] for hit in index.search(question)) for identifier, question in asked]
    assert found.count(True) > 35


def test_an_index_file_is_filled_again_without_duplicates_and_closed_on_errors(folder, tmp_path):
    path = tmp_path / "beir.hsx"
    for _ in range(2):
        with Index.from_beir(folder, path=path) as index:
            count = index.count()
    broken = tmp_path / "broken"
    shutil.copytree(folder, broken)
    (broken / "corpus.jsonl").write_text('{"_id": "new", "text": "one"}\n{"_id": "2", "text": 5}\n', encoding="utf-8")
    with pytest.raises(InvalidInputError, match=r"records\[1\].content must be a text"):
        Index.from_beir(broken, path=path)
    with Index.open(path) as index:
        assert (index.count(), index.exists("new")) == (count, False)


@pytest.mark.parametrize("folder", [5, None, "", "no such folder", "a\0b", b"fixtures"])
def test_a_path_that_is_not_a_folder_is_refused(folder):
    with pytest.raises(InvalidInputError, match=r"^folder must be the path of a folder, not "):
        BeirCollection(folder)
    with pytest.raises(InvalidInputError, match=r"^folder must be the path of a folder, not "):
        Index.from_beir(folder)


def test_options_of_an_index_are_checked_before_anything_is_read(folder):
    with pytest.raises(InvalidInputError, match=r"unknown option .titel_weight."):
        Index.from_beir(folder, titel_weight=1)


def test_a_collection_shows_its_folder(folder):
    assert repr(BeirCollection(folder)) == f"<BeirCollection {folder}>"
