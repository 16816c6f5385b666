"""A page of the command line costs what a search costs (CUR-5)."""

import io
import json

import pytest

from hybrid_search import Index
from hybrid_search.cli.console import Console
from hybrid_search.cli.main import main
from hybrid_search.search.hits import Hits
from hybrid_search.search.searcher import Searcher

FORMS = [["--format", "json"], ["--format", "table"], ["--stream", "jsonl"]]


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("cost") / "cost.hsx"
    with Index(path=path) as index:
        index.add([{"id": str(number), "content": f"red wine number {number}"} for number in range(700)])
    return str(path)


@pytest.fixture
def counted(monkeypatch):
    """The number of searches, and of created hits."""
    counts = {"searches": 0, "hits": 0}
    search, hit = Searcher.page, Hits._hit

    def counting_search(self, question, options):
        counts["searches"] += 1
        return search(self, question, options)

    def counting_hit(self, *given):
        counts["hits"] += 1
        return hit(self, *given)

    monkeypatch.setattr(Searcher, "page", counting_search)
    monkeypatch.setattr(Hits, "_hit", counting_hit)
    return counts


def asked(*arguments):
    stdout = io.BytesIO()
    assert main(["search", *arguments], Console(io.BytesIO(), stdout, io.BytesIO())) == 0
    return stdout.getvalue().decode("utf-8")


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form[1])
@pytest.mark.parametrize("place", [[], ["--page", "40"]], ids=["first", "40"])
def test_a_page_costs_one_search_and_creates_only_its_own_hits(path, counted, form, place):
    asked("red wine", "--index", path, "--limit", "7", *place, *form)
    assert counted == {"searches": 1, "hits": 7}


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form[1])
def test_a_page_of_all_documents_costs_one_search_too(path, counted, form):
    asked("--match-all", "--index", path, "--limit", "7", "--page", "3", *form)
    assert counted == {"searches": 1, "hits": 7}


def test_a_long_stream_of_all_documents_creates_each_hit_once(path, counted):
    lines = asked("--match-all", "--index", path, "--limit", "600", "--stream", "jsonl").splitlines()
    assert counted == {"searches": 3, "hits": 600}
    assert json.loads(lines[0])["pages"] == 2
