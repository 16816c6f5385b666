"""A search has a short path: it enters a bounded number of files and calls, and passes parsed filters to our stores."""

import sys
from pathlib import Path

import pytest

import hybrid_search
from hybrid_search import HashingEmbedder, Index, MemoryDocStore

PACKAGE = str(Path(hybrid_search.__file__).parent)
RECORDS = [
    {
        "id": f"d{number}",
        "title": f"Rule 6-2-{number}",
        "content": f"The carrier pays the fee number {number} for return of goods 运费规则第{number}条, pallets.",
    }
    for number in range(30)
]


def entered(index, question, **options):
    """The names of the package's files that a search enters, once for each call of one of their functions."""
    files = []

    def note(frame, event, _argument):
        if event == "call" and frame.f_code.co_filename.startswith(PACKAGE):
            files.append(frame.f_code.co_filename)

    index.search(question, **options)  # the setup of the first search is not counted
    sys.setprofile(note)
    try:
        page = index.search(question, **options)
    finally:
        sys.setprofile(None)
    assert len(page) == 10
    return files


@pytest.mark.parametrize("question", ["rule 6-2-1", "carrier fee", "运费 carrier fee 规则"])
@pytest.mark.parametrize(("embedding", "most_files"), [(None, 35), (HashingEmbedder(), 39)])
def test_a_default_search_passes_through_few_files_and_calls(embedding, most_files, question):
    index = Index(kernels="plain", embedding=embedding)
    index.add(RECORDS)
    files = entered(index, question)
    assert len(set(files)) <= most_files
    assert len(files) <= (1120 if embedding is None else 1320)


def test_options_of_the_index_are_checked_once():
    index = Index(kernels="plain", filters={"metadata.lang": {"not": "zh"}}, order_by="-metadata.year")
    index.add(RECORDS)
    files = entered(index, "carrier fee", limit=10, page=1)
    checks = ("filter_parser.py", "field_words.py", "weights.py", "partial_rerank.py")
    assert [name for name in set(files) if name.endswith(checks)] == []


def test_options_of_a_call_do_not_affect_the_next_call():
    index = Index(kernels="plain", embedding=HashingEmbedder(), limit=7)
    index.add(RECORDS)
    usual = index.search("carrier fee")
    vector = index.get("d5", include=["vector"])["vector"]
    others = [{"limit": 3}, {"page": 2}, {"cursor": usual.next_cursor}, {"vector": vector}, {"min_score": 0.8}]
    for options in others:
        assert index.search("carrier fee", **options).hits != usual.hits
        assert index.search("carrier fee") == usual


def test_a_search_enters_no_file_of_an_unused_option():
    index = Index(kernels="plain", embedding=HashingEmbedder())
    index.add(RECORDS)
    for options in ({}, {"explain": True, "limit": 10}, {"filters": {"metadata.lang": None}}):
        files = entered(index, "carrier fee", **options)
        assert [name for name in set(files) if name.endswith(("rewriting.py", "rewritten.py", "tagger.py"))] == []


class Recording(MemoryDocStore):
    """A user's store with its own search method."""

    filters = None

    def search(self, select_fields=None, filters=None, *arguments, **options):
        self.filters = dict(filters)
        return super().search(select_fields, {**filters, "kb_id": "a"}, *arguments, **options)


def test_the_search_method_of_a_subclass_receives_filters_as_data():
    index = Index(store=Recording())
    index.add([{**record, "kb_id": "ab"[place % 2]} for place, record in enumerate(RECORDS)])
    page = index.search("carrier fee", filters={"metadata.lang": None}, limit=30)
    assert {hit.kb_id for hit in page} == {"a"}
    assert index.store.filters == {"available_int": 1, "metadata.lang": {"exists": False}}


class Thesaurus:
    """Synonyms with only the required method."""

    def lookup(self, term, limit=8):
        return ["freight"] if term == "carrier" else []


def test_synonyms_need_only_a_lookup_method():
    index = Index(synonyms=Thesaurus())
    index.add([{"id": "1", "content": "freight by sea"}])
    assert [hit.id for hit in index.search("carrier")] == ["1"]


def test_documents_without_availability_are_found_even_after_one_states_it():
    index = Index(kernels="plain")
    index.add(RECORDS)
    assert index.search("carrier fee").total == 30
    index.update([{"id": "d3", "available": False}])
    assert index.search("carrier fee").total == 29
    index.update([{"id": "d3", "available": True}])
    assert index.search("carrier fee").total == 30
