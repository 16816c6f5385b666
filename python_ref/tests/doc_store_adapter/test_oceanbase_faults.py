"""Faults of an OceanBase server and its connections, in both languages: all are reported, none loses data (OB-4)."""

import signal
import subprocess
import time
import uuid
from urllib.parse import urlsplit

import pytest

from conformance.engines.account import account
from conformance.engines.errors import EngineError
from conformance.engines.folders import folders
from conformance.engines.oceanbase import OceanBase
from hybrid_search.adapter_kit import MatchTextExpr
from hybrid_search.doc_store_adapter.oceanbase.oceanbase_doc_store import OceanBaseDocStore
from hybrid_search.query_builder.tree import Term
from python_ref.tests.doc_store_adapter.oceanbase_between import Between, InPython, InRuby

pytestmark = [pytest.mark.engines, pytest.mark.nightly]

TIMEOUT = 2.0
LATE = "did not answer within 2.0 seconds"
DOCUMENTS = [{"id": f"d{place}", "content_ltks": "solar wind", "q_2_vec": [1.0, float(place)]} for place in range(20)]
MORE = [{"id": "more", "content_ltks": "moon"}]


@pytest.fixture(params=[InPython, InRuby], ids=["python", "ruby"])
def store(request):
    """A store of a language, still to be opened."""
    if request.param is InRuby and subprocess.run(["ruby", "-e", "require 'mysql2'"], capture_output=True).returncode:
        pytest.skip("the gem mysql2 is not installed")
    made = request.param()
    yield made
    made.close()


@pytest.fixture
def name(oceanbase_url):
    """The name of a collection that is removed at the end."""
    made = f"t{uuid.uuid4().hex}"
    yield made
    OceanBaseDocStore(oceanbase_url, made).drop()


@pytest.fixture
def between(oceanbase_url):
    """A proxy to the server."""
    parts = urlsplit(oceanbase_url)
    made = Between(parts.hostname, parts.port)
    yield made
    made.close()


def through(url, between):
    """The address of a proxy to the server."""
    return url.replace(f":{urlsplit(url).port}/", f":{between.port}/")


def error(outcome):
    """The class and the message of an error."""
    assert "error" in outcome, outcome
    return outcome["error"]


def in_time(do):
    """Return the result of a call that must end within a multiple of the timeout."""
    began = time.monotonic()
    outcome = do()
    assert time.monotonic() - began < 5 * TIMEOUT
    return outcome


def test_both_languages_read_and_write_the_collection(store, oceanbase_url, name):
    own = OceanBaseDocStore(oceanbase_url, name)
    given = [
        *DOCUMENTS,
        {"id": "é", "metadata": {"太阳": [1e16, -0.0, 0.1, 2**53 + 1, True]}, "important_kwd": ["6-2-1"]},
    ]
    assert own.insert(given) == len(given)
    assert store.open(oceanbase_url, collection=name) == {"gives": None}
    assert [store.call("get", one["id"])["gives"] for one in given] == given
    assert store.call("upsert", given) == {"gives": 0}
    assert store.call("upsert", MORE) == {"gives": 1}
    assert store.call("delete", ["d1"]) == {"gives": 1}
    assert own.get("more") == MORE[0]
    assert own.rank([MatchTextExpr((("content_ltks", 1.0),), Term("moon"))])[0][0] == "more"
    assert (own.get("d1"), own.count(), own.generation) == (None, len(given), 3)
    own.close()


def test_a_server_that_never_responds_is_abandoned(store):
    silent = Between()
    try:
        told = in_time(lambda: store.open(f"oceanbase://u:secret@127.0.0.1:{silent.port}/d", timeout=TIMEOUT))
    finally:
        silent.close()
    assert error(told)[0] == "DocStoreError"
    assert LATE in error(told)[1]
    assert "secret" not in error(told)[1]


def test_a_missing_server_is_reported(store):
    nobody = Between()
    nobody.close()
    told = store.open(f"oceanbase://u:secret@127.0.0.1:{nobody.port}/d", collection="c", timeout=TIMEOUT)
    what = 'the collection "c" cannot be reached: the server does not accept connections'
    assert error(told) == ["DocStoreError", what]


def test_a_refusal_of_the_server_is_reported_without_the_password(store, oceanbase_url):
    parts = urlsplit(oceanbase_url)
    own = f"{parts.username}:{parts.password}@"
    refused = "cannot be reached: the server refused the user or the password"
    tls = "cannot be reached: there is no TLS connection that the certificates prove"
    for url, options, expected in (
        (oceanbase_url.replace(own, f"{parts.username}:secret@"), {}, {refused}),
        (oceanbase_url.replace(parts.path, "/nowhere"), {}, {refused, "cannot be reached: there is no such database"}),
        (oceanbase_url, {"ca_file": "/etc/ssl/certs/ca-certificates.crt"}, {tls}),
    ):
        kind, message = error(store.open(url, collection="c", timeout=TIMEOUT, **options))
        assert kind == "DocStoreError"
        assert message.removeprefix('the collection "c" ') in expected


def test_a_server_that_stops_responding_is_abandoned_and_asked_again(store, oceanbase_url, name, between):
    assert store.open(through(oceanbase_url, between), collection=name, timeout=TIMEOUT) == {"gives": None}
    assert store.call("insert", DOCUMENTS) == {"gives": 20}
    between.is_silent = True
    for call in (("count",), ("insert", MORE), ("get", "d1")):
        kind, message = error(in_time(lambda call=call: store.call(*call)))
        assert (kind, LATE in message) == ("DocStoreError", True)
    between.is_silent = False
    assert store.call("count") == {"gives": 20}
    assert store.call("insert", MORE) == {"gives": 1}


def test_a_lost_response_to_a_commit_is_an_unknown_outcome(store, oceanbase_url, name, between):
    assert store.open(through(oceanbase_url, between), collection=name, timeout=TIMEOUT) == {"gives": None}
    between.loses_commits = True
    assert error(store.call("insert", MORE))[0] == "UnknownOutcomeError"
    between.loses_commits = False
    assert store.call("upsert", MORE)["gives"] in (0, 1)
    assert store.call("count") == {"gives": 1}


def test_a_locked_collection_is_waited_for_up_to_the_timeout(store, oceanbase_url, name):
    assert store.open(oceanbase_url, collection=name, timeout=TIMEOUT) == {"gives": None}
    other = OceanBaseDocStore(oceanbase_url, name)
    with other._writing():
        assert LATE in error(in_time(lambda: store.call("insert", MORE)))[1]
        assert store.call("count") == {"gives": 0}
    assert store.call("insert", MORE) == {"gives": 1}
    other.close()


@pytest.mark.parametrize("kind", [signal.SIGKILL, signal.SIGTERM], ids=["killed", "restarted"])
def test_a_server_that_stops_loses_nothing(store, kind):
    who = account()
    engine = OceanBase(folders(who), who, "oceanbase-faults")
    try:
        state = engine.start()
    except EngineError as problem:
        pytest.skip(str(problem))
    try:
        name = f"t{uuid.uuid4().hex}"
        assert store.open(state.url, collection=name, timeout=10.0) == {"gives": None}
        for place in range(5):
            batch = [{**one, "id": f"{place} {one['id']}"} for one in DOCUMENTS]
            assert store.call("insert", batch) == {"gives": 20}
        state.programs[0].tell(kind)
        assert state.programs[0].wait(30)
        assert error(store.call("count"))[0] == "DocStoreError"
        assert error(store.call("insert", MORE))[0] == "DocStoreError"
        assert engine.start().ports == state.ports
        assert store.call("count") == {"gives": 100}
        assert store.call("insert", MORE) == {"gives": 1}
        assert store.call("get", "4 d7")["gives"]["q_2_vec"] == [1.0, 7.0]
    finally:
        engine.clean()
