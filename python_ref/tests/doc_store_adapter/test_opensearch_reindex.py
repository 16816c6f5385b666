"""An index is rebuilt without an interruption, and no failure loses a document."""

import json
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from hybrid_search.adapter_kit import MatchTextExpr
from hybrid_search.errors import DocStoreError, HybridSearchError, UnknownOutcomeError
from hybrid_search.query_builder.tree import Term
from python_ref.tests.doc_store_adapter.opensearch_fake import CUT, OWN, bodies, description, error, hits

ROOT = Path(__file__).parents[3]
PROGRAMS = {
    "python": [sys.executable, "-m", "hybrid_search.cli"],
    "ruby": ["ruby", "-I", str(ROOT / "ruby/lib"), str(ROOT / "ruby/exe/hybrid-search")],
}
REINDEX = [["reindex"]]
STANDS = {"settings": {"index": {"number_of_shards": "1", "number_of_replicas": "0", "uuid": "u2"}}}
TAKEN = {"i-000002": {**STANDS, "mappings": {"_meta": OWN, "properties": {}}}}
LAST = {**hits(), "aggregations": {"last": {"value": 0}}}
DONE = {"acknowledged": True, "shards_acknowledged": True}
GONE = error(404, "index_not_found_exception", "no such index [i-000001]")
DENIED = error(403, "security_exception", "no permissions")
COPIES = {
    "/i-000002": [(200, DONE)],
    "/i-000002/_mapping": [(200, DONE)],
    "/i-000001/_mapping": [(200, description())],
    "/_refresh": [(200, {})],
    "/_search": [(200, LAST)],
    "/_search/point_in_time": [(200, {"pit_id": "p"})],
    "/i-000001/_block/write": [(200, DONE)],
    "/i-000001/_settings": [(200, DONE)],
}


SWAP = {"actions": [{"add": {"index": "i-000002", "alias": "i"}}, {"remove_index": {"index": "i-000001"}}]}
UNDO = {"actions": [{"add": {"index": "i-000001", "alias": "i"}}, {"remove_index": {"index": "i-000002"}}]}


def actions(asked):
    """Return the requested actions of aliases; nothing else removes an index."""
    assert {target.split("?")[0] for method, target, _ in asked if method == "DELETE"} <= {"/_search/point_in_time"}
    return [one for (one,) in bodies(asked, "/_aliases")]


def test_a_new_index_takes_over_once_writers_are_blocked(both):
    outcome, asked = both({**COPIES, "/_aliases": [(200, DONE)]}, REINDEX)
    assert outcome["results"] == ["i-000002"]
    targets = [target for _, target, _ in asked]
    copied = [place for place, target in enumerate(targets) if "point_in_time" in target]
    assert copied[0] < targets.index("/i-000001/_block/write") < copied[-1] < targets.index("/_aliases")
    assert actions(asked) == [SWAP]


@pytest.mark.parametrize("answer", [CUT, (503, error(503, "unavailable", "no manager"))])
def test_a_new_index_stays_in_use_if_the_response_to_the_swap_was_lost(both, answer):
    named = [(200, description()), (200, description()), (200, TAKEN)]
    outcome, asked = both({**COPIES, "/i": named, "/_aliases": [answer, (404, GONE)]}, REINDEX)
    assert outcome["results"] == ["i-000002"]
    assert actions(asked) == [SWAP, UNDO]
    assert bodies(asked, "/i-000001/_settings") == []


def test_both_indexes_are_reported_if_the_target_of_the_alias_is_unknown(both):
    outcome, asked = both({**COPIES, "/_aliases": [CUT, (403, DENIED)]}, REINDEX)
    unknown = "the outcome is unknown: what was to be written may be stored, or some of it"
    assert outcome["error"] == [
        "UnknownOutcomeError",
        f"OpenSearch at URL cannot be reached, or cut the connection; {unknown}; this could not be undone: OpenSearch "
        'at URL returned status 403: security_exception: no permissions; "i" names the index "i-000001", which may '
        'refuse writers, or "i-000002"',
    ]
    assert actions(asked) == [SWAP, UNDO]


@pytest.mark.parametrize("lost", [False, True])
def test_an_index_that_did_not_take_over_is_removed_and_the_previous_one_is_writable_again(both, lost):
    outcome, asked = both({**COPIES, "/_aliases": [CUT if lost else (403, DENIED), (200, DONE)]}, REINDEX)
    assert outcome["error"][0] == ("UnknownOutcomeError" if lost else "DocStoreError")
    assert actions(asked) == [SWAP, UNDO]
    assert bodies(asked, "/i-000001/_settings") == [[{"index.blocks.write": None}]]


def test_an_index_does_not_take_over_unless_all_writers_are_blocked(both):
    held = {"acknowledged": True, "shards_acknowledged": False}
    replies = {**COPIES, "/i-000001/_block/write": [(200, held)], "/_aliases": [(200, DONE)]}
    outcome, asked = both(replies, REINDEX)
    told = 'OpenSearch at URL did not hold up all who write into "i-000001"'
    assert outcome["error"] == ["DocStoreError", told]
    assert actions(asked) == [UNDO]


def test_an_index_that_another_reindex_is_filling_is_left_alone(both):
    there = error(400, "resource_already_exists_exception", "index [i-000002] already exists")
    outcome, asked = both({**COPIES, "/i-000002": [(400, there)]}, REINDEX)
    assert outcome["error"] == [
        "DocStoreError",
        'the index "i-000002" is there already: another reindex is at work, or was broken off; then run hybrid-search '
        "opensearch clean --index i",
    ]
    assert actions(asked) == []
    named = [(200, description()), (200, description()), (200, TAKEN)]
    outcome, asked = both({**COPIES, "/i": named, "/i-000002": [(400, there)]}, REINDEX)
    assert outcome["error"] == ["DocStoreError", 'another reindex was at work: "i" names "i-000002" now']
    assert actions(asked) == []


@pytest.mark.engines
def test_an_index_is_rebuilt_while_others_read_and_write(indexes):
    store, writer = indexes.make(), None
    store.keep_vector_model("q_2_vec", "small")
    store.insert([document(place) for place in range(300)])
    writer = indexes.beside(store)
    writing, problems, found = threading.Event(), [], []

    def write():
        place = 300
        while not writing.is_set() and place < 2_000:
            try:
                writer.insert([document(place)])
                writer.delete([f"d{place - 300}"])
                writer.update([{"id": f"d{place - 1}", "kb_id": "changed"}])
            except HybridSearchError as problem:
                problems.append(problem)
            place += 1
        found.append(place)

    def read():
        while not writing.is_set():
            if len(writer.search(match_exprs=[MatchTextExpr((("content_ltks", 1.0),), Term("solar"))]).ids) != 10:
                problems.append("a short answer")

    threads = [threading.Thread(target=write), threading.Thread(target=read)]
    for thread in threads:
        thread.start()
    before = store.generation
    try:
        name = store.reindex(shards=2)
    finally:
        writing.set()
        for thread in threads:
            thread.join()
    assert problems == []
    assert name.endswith("-000002")
    assert store.generation != before
    assert (store.vector_fields() or {})["q_2_vec"]["model"] == "small"
    last = found[0]
    assert sorted(store.search(limit=3_000).ids) == sorted(f"d{place}" for place in range(last - 300, last))
    assert store.get(f"d{last - 2}")["kb_id"] == "changed"
    assert len(indexes.ask("GET", f"/{store._index.name}*")) == 1


@pytest.mark.engines
@pytest.mark.parametrize("swap", ["carried out", "not carried out"])
def test_no_document_is_lost_when_the_response_to_the_swap_is_lost(indexes, swap):
    store = indexes.make()
    store.insert([document(place) for place in range(20)])
    store.faulty.swap = swap
    if swap == "carried out":
        assert store.reindex().endswith("-000002")
    else:
        with pytest.raises(UnknownOutcomeError, match="the outcome is unknown"):
            store.reindex()
    assert store.insert([document(20)]) == 1
    assert store.count() == 21
    assert len(indexes.ask("GET", f"/{store._index.name}*")) == 1


@pytest.mark.engines
def test_two_concurrent_rebuilds_lose_nothing(indexes):
    stores = [indexes.make()]
    stores.append(indexes.beside(stores[0]))
    stores[0].insert([document(place) for place in range(500)])
    outcomes = []

    def make_anew(store):
        try:
            outcomes.append(store.reindex()[-7:])
        except DocStoreError as problem:
            outcomes.append(str(problem))

    threads = [threading.Thread(target=make_anew, args=(store,)) for store in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert "-000002" in outcomes
    assert outcomes.count("-000002") == 1
    assert stores[0].insert([document(500)]) == 1
    assert stores[0].count() == 501
    assert len(indexes.ask("GET", f"/{stores[0]._index.name}*")) == 1


def document(place):
    """Return a document with a number."""
    return {"id": f"d{place}", "content_ltks": "solar power", "q_2_vec": [1.0, float(place)]}


# --- remains of an interrupted rebuild -------------------------------------------------------------------------------


LEFT = {
    "i-000001": description()["i-000001"],
    "i-000002": {"aliases": {}, "mappings": {"_meta": OWN}},
    "i-000003": {"aliases": {}, "mappings": {"_meta": OWN}},
    "i-000004": {"aliases": {"mine": {}}, "mappings": {"_meta": OWN}},
    "i-000005": {"aliases": {}, "mappings": {}},
    "i-old": {"aliases": {}, "mappings": {"_meta": OWN}},
    "i-0000006": {"aliases": {}, "mappings": {"_meta": OWN}},
    "i-other-000001": {"aliases": {}, "mappings": {"_meta": OWN}},
}
CLEAN = {"/i-*": [(200, LEFT)], "/_aliases": [(200, DONE)], "/i-000001/_settings": [(200, DONE)]}


def test_only_numbered_indexes_of_this_library_without_an_alias_are_removed(both):
    outcome, asked = both(CLEAN, [["clean"]])
    assert outcome["results"] == [["i-000002", "i-000003"]]
    removed = [{"remove_index": {"index": name}} for name in ("i-000002", "i-000003")]
    assert actions(asked) == [{"actions": [UNDO["actions"][0], *removed]}]
    assert bodies(asked, "/i-000001/_settings") == [[{"index.blocks.write": None}]]


@pytest.mark.parametrize("given", [{"found": {}}, {"option": {"dry_run": True}}])
def test_nothing_is_removed_without_such_an_index_or_in_a_dry_run(both, given):
    found = given.get("found", LEFT)
    outcome, asked = both({**CLEAN, "/i-*": [(200, found)]}, [["clean", given.get("option", {})]])
    assert outcome["results"] == [["i-000002", "i-000003"] if found else []]
    assert {method for method, _, _ in asked} == {"GET"}


def test_nothing_is_removed_if_a_rebuild_has_ended_meanwhile(both):
    gone = error(404, "index_not_found_exception", "no such index [i-000001]")
    gone["error"]["root_cause"][0]["index"] = "i-000001"
    outcome, asked = both({**CLEAN, "/_aliases": [(404, gone)]}, [["clean"]])
    assert outcome["error"] == ["DocStoreError", 'OpenSearch at URL has no index "i-000001"']
    assert bodies(asked, "/i-000001/_settings") == []


def test_an_index_made_by_ragflow_is_not_cleaned(both):
    outcome, _ = both({}, [["clean"]], ragflow=True)
    assert outcome["error"] == ["DocStoreError", "an index that RAGFlow made can only be read"]


@pytest.mark.parametrize("create", [True, False])
def test_an_index_is_created_only_on_request(both, create):
    outcome, asked = both({"/i": [(404, {})], "/i-000001": [(200, DONE)]}, [], create=create)
    assert outcome["error"] == ["DocStoreError", 'there is no index "i"']
    assert [target for method, target, _ in asked if method == "PUT"] == (["/i-000001"] if create else [])


KILLED = """
import os, signal, sys
from hybrid_search import OpenSearchDocStore
from hybrid_search.doc_store_adapter.opensearch.opensearch_transport import OpenSearchTransport

class Killed(OpenSearchTransport):
    def request(self, method, path, body, timeout):
        if path.endswith(sys.argv[3]):
            os.kill(os.getpid(), signal.SIGKILL)
        return super().request(method, path, body, timeout)

urls = sys.argv[1].split(",")
OpenSearchDocStore(urls, sys.argv[2], transport=Killed(urls)).reindex()
"""


@pytest.mark.engines
@pytest.mark.parametrize("when", ["_block/write", "/_aliases"])
@pytest.mark.parametrize("program", ["python", "ruby"])
def test_indexes_left_by_a_killed_rebuild_are_removed(indexes, program, when):
    store = indexes.make()
    name = store._index.name
    other = indexes.make(f"{name}-other")
    store.insert([document(place) for place in range(20)])
    killed = subprocess.run([sys.executable, "-c", KILLED, ",".join(indexes.urls), name, when], check=False)
    assert killed.returncode == -signal.SIGKILL
    with pytest.raises(DocStoreError, match=f"then run hybrid-search opensearch clean --index {name}"):
        store.reindex()
    command = [*PROGRAMS[program], "opensearch", "clean", "--url", indexes.urls[0], "--index", name]
    for extra in (["--dry-run"], [], []):
        done = subprocess.run([*command, *extra], check=True, capture_output=True, text=True)
        told = json.loads(done.stdout)
        left = [] if told["removed"] == 0 and not extra else [f"{name}-000002"]
        assert told["found"] == left
    assert told == {"index": name, "found": [], "removed": 0}
    assert sorted(indexes.ask("GET", f"/{name}*")) == [f"{name}-000001", f"{name}-other-000001"]
    assert store.insert([document(20)]) == 1
    assert (store.count(), other.count()) == (21, 0)
    assert store.reindex() == f"{name}-000002"
