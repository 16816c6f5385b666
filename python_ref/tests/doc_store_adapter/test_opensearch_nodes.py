"""Nodes that hang, recreated indexes and wrong addresses; both languages behave alike."""

import socket
import ssl
import subprocess
import threading
import time
from contextlib import contextmanager

import opensearchpy
import pytest

from hybrid_search import OpenSearchDocStore
from hybrid_search.doc_store_adapter.opensearch.opensearch_addresses import PAUSE, OpenSearchAddresses
from hybrid_search.doc_store_adapter.opensearch.opensearch_transport import OpenSearchTransport, TransportError
from python_ref.tests.doc_store_adapter.opensearch_fake import Fake, bodies, description, error, hits, serving
from python_ref.tests.doc_store_adapter.opensearch_steps import play

NEAR = {"field": "q_2_vec", "vector": [1.0, 0.0], "topn": 9}
INSERT = [["insert", [{"id": "a", "q_2_vec": [1.0, 0.0]}]]]
MISSING = {"docs": [{"_id": "a", "found": False}]}
UNMAPPED = {
    "status": 400,
    "error": {"type": "strict_dynamic_mapping_exception", "reason": "introduction of [v_2] is not allowed"},
}
CREATED = {"status": 201, "result": "created"}
COUNTED = {**hits((1.0, "a")), "aggregations": {"last": {"value": 3.0}}}


def items(item):
    return 200, {"items": [{"create": item}]}


# --- an index that was removed and created again ---------------------------------------------------------------------


def test_a_field_unknown_to_a_new_index_is_added_and_the_document_is_sent_again(both):
    replies = {"/_mget": [(200, MISSING)], "/_bulk": [items(UNMAPPED), items(CREATED)]}
    outcome, asked = both(replies, INSERT)
    assert outcome["results"] == [1]
    assert outcome["log"][0].startswith("OpenSearch at URL did not take 1 documents: strict_dynamic_mapping_exception")
    first, second = (body[0] for body in bodies(asked, "/_mapping"))
    assert first == second
    assert first["dynamic"] == "strict"
    assert set(first["properties"]) == {"body", "packed", "ranked", "v_2"}


def test_a_field_that_no_index_accepts_is_an_error(both):
    outcome, _ = both({"/_mget": [(200, MISSING)], "/_bulk": [items(UNMAPPED)]}, INSERT)
    assert outcome["error"][0] == "DocStoreError"
    assert "refused the document" in outcome["error"][1]


def test_a_dense_leg_over_a_field_unknown_to_a_new_index_is_empty(both):
    refused = error(400, "query_shard_exception", "Field 'v_2' is not knn_vector type.")
    other = description()
    other["i-000001"]["mappings"]["properties"] = {}
    replies = {"/_search": [(200, hits((1.0, "a"))), (400, refused)], "/_mapping": [(200, description()), (200, other)]}
    outcome, _ = both(replies, [["rank", [NEAR]], ["rank", [NEAR]]])
    assert outcome["results"] == [[["a", 1.0]], []]


def test_a_dense_leg_that_is_refused_for_another_reason_is_an_error(both):
    refused = error(400, "query_shard_exception", "too many clauses")
    outcome, _ = both({"/_search": [(400, refused)]}, [["rank", [NEAR]]])
    assert outcome["error"] == [
        "DocStoreError",
        "OpenSearch at URL returned status 400: query_shard_exception: too many clauses",
    ]


@pytest.mark.parametrize("name", ["generation", "health"])
def test_reading_never_creates_an_index(both, name):
    replies = {"/i": [(200, description()), (404, {})]}
    outcome, asked = both(replies, [[name]])
    assert outcome["error"] == ["DocStoreError", 'there is no index "i"']
    assert [method for method, _, _ in asked if method == "PUT"] == []


# --- an index that is missing or closed ------------------------------------------------------------------------------

SEARCH = [["search", {"match_exprs": [NEAR]}]]
CALLS = {"get": [["get", "a"]], "search": SEARCH, "count": [["count"]], "add": INSERT, "delete": [["delete", ["a"]]]}
GONE = {
    "missing": ("i", 404, "index_not_found_exception", "has no index"),
    "closed": ("i-000001", 400, "index_closed_exception", "has closed the index"),
}


@pytest.mark.parametrize("state", list(GONE))
@pytest.mark.parametrize("call", list(CALLS))
def test_a_missing_or_closed_index_is_reported_at_once(both, state, call):
    index, status, kind, words = GONE[state]
    told = error(status, kind, "closed")
    told["error"]["root_cause"][0]["index"] = index
    several = {"responses": [told, told]}
    each = {"docs": [{"_id": "a", "error": told["error"]}]}
    outcome, _ = both(
        {"/_search": [(status, told)], "/_msearch": [(200, several)], "/_mget": [(200, each)]}, CALLS[call]
    )
    assert outcome["error"] == ["DocStoreError", f'OpenSearch at URL {words} "{index}"']
    assert outcome["log"] == []


def test_a_read_is_retried_after_the_alias_moved_to_another_index(both):
    told = error(404, "index_not_found_exception", "no such index [i-000001]")
    told["error"]["root_cause"][0]["index"] = "i-000001"
    each = {"docs": [{"_id": "a", "error": told["error"]}]}
    outcome, _ = both({"/_mget": [(200, each), (200, MISSING)]}, CALLS["get"])
    assert outcome["results"] == [None]
    assert len(outcome["log"]) == 1


@pytest.mark.engines
@pytest.mark.parametrize("state", list(GONE))
def test_a_removed_or_closed_index_is_reported_at_once(indexes, play_in, state):
    name = indexes.name()
    index, _, _, words = GONE[state]
    shown = index.replace("i", name, 1)
    change = ["close", f"/{name}-000001/_close"] if state == "closed" else ["remove", f"/{name}-000001"]
    for call in CALLS.values():
        outcome = play_in(indexes.urls[0], [*INSERT, change, *call], {"index": name, "replicas": 0})
        kind, told = outcome["error"]
        assert (kind, told.split(" at URL ")[1]) == ("DocStoreError", f'{words} "{shown}"')
        assert outcome["log"] == []
        indexes.ask("DELETE", f"/{name}*")


# --- nodes that do not respond ---------------------------------------------------------------------------------------


@contextmanager
def hung():
    """The address of a program that accepts connections and never responds, like a stopped one."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


@pytest.fixture(params=["python", "ruby"])
def play_in(request):
    return play if request.param == "python" else request.getfixturevalue("opensearch_in_ruby")


def test_a_hung_node_is_abandoned_for_another_one_and_then_skipped(play_in):
    fake = Fake({"/_search": [(200, hits((1.0, "a")))]})
    begun = time.monotonic()
    with hung() as first, serving(fake) as second:
        outcome = play_in([first, second], [["rank", [NEAR]]] * 9, {"timeout": 3.0})
    assert outcome["error"] is None
    assert outcome["results"] == [[["a", 1.0]]] * 9
    late = [line for line in outcome["log"] if "did not answer within 1.5 seconds" in line]
    assert len(late) == 1
    assert time.monotonic() - begun < 60


def test_a_read_tries_one_address_after_the_other_until_its_time_is_up(play_in):
    with hung() as first, hung() as second:
        outcome = play_in([first, second], [], {"timeout": 0.4})
    assert outcome["error"][0] == "DocStoreError"
    assert "did not answer within" in outcome["error"][1]
    assert len(outcome["log"]) == 1


def test_addresses_take_turns_and_those_that_fail_are_skipped_for_a_while():
    now = [0.0]
    addresses = OpenSearchAddresses(3, lambda: now[0])
    assert [addresses.choose() for _ in range(4)] == [1, 2, 0, 1]
    addresses.fail(2)
    assert {addresses.choose() for _ in range(6)} == {0, 1}
    now[0] = 1.0
    addresses.fail(0)
    addresses.fail(1)
    assert {addresses.choose() for _ in range(6)} == {2}
    addresses.succeed(0)
    assert {addresses.choose() for _ in range(6)} == {0}
    now[0] = PAUSE + 1.0
    assert {addresses.choose() for _ in range(6)} == {0, 1, 2}


# --- insecure connections --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A file with a key and the certificate of another host."""
    folder = tmp_path_factory.mktemp("certificates")
    key, made, whole = folder / "key.pem", folder / "certificate.pem", folder / "whole.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    command += ["-days", "2", "-subj", "/CN=elsewhere", "-addext", "subjectAltName=DNS:elsewhere"]
    subprocess.run([*command, "-keyout", str(key), "-out", str(made)], check=True, capture_output=True)
    whole.write_text(key.read_text() + made.read_text())
    return made, whole


@contextmanager
def secured(certificate):
    """The address of a server that speaks TLS and nothing else."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def accept():
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                try:
                    context.wrap_socket(connection, server_side=True).close()
                except OSError:
                    connection.close()

        threading.Thread(target=accept, daemon=True).start()
        yield f"https://127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)


@pytest.mark.parametrize(("trusted", "told"), [(False, "that is not trusted"), (True, "for another host name")])
def test_an_untrusted_certificate_is_reported_at_once(play_in, certificate, trusted, told):
    made, whole = certificate
    options = {"ca_file": str(made)} if trusted else {}
    with secured(whole) as url:
        outcome = play_in(url, [], options)
    kind, message = outcome["error"]
    assert kind == "DocStoreError"
    assert message.endswith(f"has a certificate {told}")
    assert outcome["log"] == []


def test_an_https_address_that_responds_without_tls_is_reported_at_once(play_in):
    with serving(Fake({})) as url:
        outcome = play_in(url.replace("http:", "https:"), [], {})
    assert outcome["error"][1].endswith("answers without TLS: its address begins with http, not https")
    assert outcome["log"] == []


def test_a_tls_connection_cut_after_a_request_leaves_its_outcome_unknown(monkeypatch):
    transport = OpenSearchTransport(["https://127.0.0.1:9"])

    def cut(*arguments, **options):
        raise opensearchpy.exceptions.SSLError("N/A", "EOF occurred in violation of protocol", OSError())

    monkeypatch.setattr(transport._client(0).transport, "perform_request", cut)
    with pytest.raises(TransportError) as raised:
        transport.request("POST", "/i/_bulk", "", 5.0)
    assert (raised.value.sent, raised.value.lasting) == (True, False)


def test_the_file_of_certificate_authorities_must_exist(play_in, tmp_path):
    outcome = play_in("https://127.0.0.1:9", [], {"ca_file": str(tmp_path / "missing.pem")})
    assert outcome["error"][0] == "InvalidInputError"
    assert outcome["error"][1].startswith("ca_file must be ")


# --- passwords -------------------------------------------------------------------------------------------------------


def test_a_password_is_requested_again_after_it_was_refused():
    given = iter(["old", "new", "newer"])
    fake = Fake({"/i": [(401, {}), (200, description())]})
    with serving(fake) as url:
        OpenSearchDocStore(url, "i", user="one", password=lambda: next(given))
    assert next(given) == "newer"
