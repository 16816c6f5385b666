"""Events are reported to an observer, which cannot stop the work (OBS-1)."""

import logging
import re
from pathlib import Path

import pytest

from hybrid_search import HashingEmbedder, Index, InvalidInputError, RetrievalService, Retriever
from hybrid_search.base.observation import Observation

ROOT = Path(__file__).parents[3]
RECORDS = [{"id": "1", "content": "apples"}, {"id": "2", "content": "pears"}]


def observed(observer, **options):
    index = Index(embedding=HashingEmbedder(), observer=observer, **options)
    index.add(RECORDS)
    return index


def names(events):
    return [name.removesuffix(".hybrid_search") for name, _ in events]


def test_every_step_is_reported_in_the_order_of_completion():
    events = []
    index = observed(lambda name, data: events.append((name, data)))
    index.search("apples")
    assert names(events) == ["embed", "add", "embed", "recall", "rerank", "search"]
    assert all(data["duration"] >= 0.0 for _, data in events)
    durations = {name: data["duration"] for name, data in events}
    inner = durations["recall.hybrid_search"] + durations["rerank.hybrid_search"]
    assert durations["search.hybrid_search"] >= inner
    del events[:]
    assert len(list(index.each("apples"))) == 2
    assert names(events) == ["embed", "recall", "rerank"]


def test_a_failure_is_reported_by_the_name_of_its_class():
    events = []
    with pytest.raises(InvalidInputError):
        observed(lambda *event: events.append(event)).search("apples", limit=0)
    assert events[-1][0] == "search.hybrid_search"
    assert events[-1][1]["error"] == "InvalidInputError"


def test_an_observer_that_raises_stops_nothing_and_is_logged_once(caplog):
    caplog.set_level(logging.WARNING, "hybrid_search")

    def observer(name, data):
        raise ValueError("no disk")

    assert observed(observer).search("apples")[0].id == "1"
    lines = [record.getMessage() for record in caplog.records]
    assert lines == ["the observer failed, which is told once: ValueError: no disk"]


def test_without_an_observer_nothing_is_measured():
    observation = Observation()
    with observation.measure("search", page=1) as event:
        event.update(total=1)
    assert event is observation.measure("recall")
    assert not vars(event)


def test_a_value_that_is_not_an_observer_is_refused():
    async def observer(name, data):
        raise AssertionError

    with pytest.raises(InvalidInputError, match=r"^observer must be a callable, not 5$"):
        Index(observer=5)
    with pytest.raises(InvalidInputError, match=r"^observer is a coroutine function"):
        Index(observer=observer)
    index = Index()
    with pytest.raises(InvalidInputError, match=r"^observer must be a callable, not an object of 0$"):
        Retriever(index.store, None, observer={})


def test_the_clause_and_the_page_list_exactly_the_events_that_occur():
    tables = [
        [
            line
            for line in (ROOT / page).read_text("utf-8").splitlines()
            if line.startswith("| `") and ".hybrid_search`" in line
        ]
        for page in ("docs/spec/04-retrieval.md", "docs/observability.md")
    ]
    assert tables[0] == tables[1]
    listed = set(re.findall(r"`(\w+)\.hybrid_search`", "\n".join(tables[0])))
    events = []
    index = observed(lambda *event: events.append(event))
    index.update([{"id": "1", "title": "Fruit"}])
    index.upsert([{"id": "1", "content": "plums"}])
    index.search("apples")
    index.similar("1")
    RetrievalService(index.store, observer=lambda *event: events.append(event)).retrieve(
        "apples", search_method="full_text_search"
    )
    assert set(names(events)) == listed
