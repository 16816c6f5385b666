"""Every step of a call has only the remaining time: dialling, names, TLS, sending, reading."""

import os
import socket
import ssl
import subprocess
import threading
import time

import pytest

from hybrid_search.client.name_lookup import MOST
from hybrid_search.errors import RerankError
from hybrid_search.reranker.http_reranker import HttpReranker

from .raw_server import answer, raw_server, request, reset, silent, told, unread

GOOD = answer("200 OK", b'{"results":[{"index":0,"relevance_score":0.5}]}')
LARGE = ["x" * 8_000_000]
TOLERANCE = 10.0
"""The tolerance in seconds for a call on a busy machine; a call that is not ended takes minutes."""


def reranker(port, scheme="http", host="127.0.0.1", **options):
    return HttpReranker(f"{scheme}://{host}:{port}/rerank", "model", **{"max_retries": 0, "deadline": 60.0, **options})


def fails(model, texts=("a",)):
    """Return the message of the error, and the seconds until it was raised."""
    started = time.monotonic()
    with pytest.raises(RerankError) as problem:
        model.similarity("q", list(texts))
    return str(problem.value).split("/rerank ", 1)[1], time.monotonic() - started


@pytest.mark.parametrize("texts", [["a"], LARGE], ids=["small", "large"])
def test_a_response_sent_before_the_request_was_read_is_reported(texts):
    with raw_server(unread(answer("413 Too Large", b'{"error":{"message":"too long"}}'))) as port:
        for _ in range(5):
            assert fails(reranker(port), texts)[0] == 'returned status 413: "too long"'


def test_retry_after_of_an_early_response_is_honoured():
    early = unread(answer("429 Too Many", fields="Retry-After: 0\r\n"))
    with raw_server(early, early, told(GOOD)) as port:
        assert reranker(port, max_retries=2, backoff=30.0).similarity("q", LARGE) == [0.5]


def test_a_response_sent_while_the_request_is_not_read_is_reported():
    def act(connection):
        connection.recv(100)
        connection.sendall(answer("503 Busy"))
        time.sleep(0.5)

    with raw_server(act) as port:
        problem, seconds = fails(reranker(port), LARGE)
    assert problem == "returned status 503"
    assert seconds < 0.5 + TOLERANCE


def test_a_service_that_never_reads_exceeds_the_deadline():
    with raw_server(silent) as port:
        problem, seconds = fails(reranker(port, deadline=0.3), LARGE)
    assert problem == "did not answer before the deadline of 0.3 seconds"
    assert seconds < 0.3 + TOLERANCE


def test_a_reset_during_a_large_request_is_reported_as_a_cut_connection():
    with raw_server(reset) as port:
        assert fails(reranker(port), LARGE)[0] == "cut the connection"


def test_endless_header_lines_end_at_the_size_limit_not_at_the_deadline():
    sent = []

    def act(connection):
        request(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\nX: ")
        while True:
            sent.append(connection.send(b"y" * 65_536))

    with raw_server(act) as port:
        assert fails(reranker(port))[0] == "returned invalid HTTP"


def test_a_full_queue_of_connections_ends_at_the_deadline():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        port = listening.getsockname()[1]
        taken = [socket.socket() for _ in range(4)]
        for one in taken:
            one.setblocking(False)
            one.connect_ex(("127.0.0.1", port))
        problem, seconds = fails(reranker(port, deadline=0.3))
        assert problem == "did not answer before the deadline of 0.3 seconds"
        assert seconds < 0.3 + TOLERANCE
        problem, seconds = fails(reranker(port, connect_timeout=0.2))
        assert problem == "could not be connected to within 0.2 seconds"
        assert seconds < 0.2 + TOLERANCE
        for one in taken:
            one.close()


def test_the_addresses_of_a_host_are_tried_in_turn(monkeypatch):
    with raw_server(told(GOOD)) as port, socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        kind = (socket.AF_INET, socket.SOCK_STREAM, 6, "")

        def resolve(_host, _port, flags, **_options):
            if flags:
                raise socket.gaierror("not an address")
            return [(*kind, closed.getsockname()), (*kind, ("127.0.0.1", port))]

        monkeypatch.setattr("socket.getaddrinfo", resolve)
        assert reranker(port, host="several.test").similarity("q", ["a"]) == [0.5]


class SilentResolver:
    """Replaces a system's resolver that gets no response from its name servers."""

    def __init__(self, monkeypatch):
        self.gives_up = threading.Event()
        self.asked = []
        monkeypatch.setattr("socket.getaddrinfo", self._resolve)

    def _resolve(self, host, _port, flags, **_options):
        if flags == 0:
            self.asked.append(host)
            self.gives_up.wait(20)
        raise socket.gaierror("no answer")

    def threads(self):
        return [thread for thread in threading.enumerate() if thread.name == "look-up of a host"]

    def end(self):
        self.gives_up.set()
        for thread in self.threads():
            thread.join(5)


def test_a_silent_name_server_costs_no_more_than_the_deadline(monkeypatch):
    resolver = SilentResolver(monkeypatch)
    for _ in range(3):
        problem, seconds = fails(reranker(80, host="silent.test", deadline=0.1))
        assert problem == "did not answer before the deadline of 0.1 seconds"
        assert seconds < 0.1 + TOLERANCE
    assert resolver.asked == ["silent.test"]
    assert len(resolver.threads()) == 1
    resolver.end()
    assert resolver.threads() == []
    assert fails(reranker(80, host="silent.test"))[0] == "cannot be found: its host name has no address"


def test_the_number_of_hanging_look_ups_is_bounded(monkeypatch):
    resolver = SilentResolver(monkeypatch)
    for number in range(MOST):
        while len(resolver.threads()) == number:  # a deadline this short can pass before its look-up begins
            fails(reranker(80, host=f"silent{number}.test", deadline=0.05))
    assert len(resolver.threads()) == MOST
    problem, _ = fails(reranker(80, host="another.test"))
    assert problem == "cannot be found: too many look-ups of host names are under way"
    resolver.end()
    assert "another.test" not in resolver.asked


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    """Certificates that sign themselves, by the name they are for."""
    made = {}
    for name, alternative in (("here", "IP:127.0.0.1,DNS:localhost"), ("elsewhere", "DNS:elsewhere.test")):
        made[name] = tmp_path_factory.mktemp("certificates") / f"{name}.pem"
        kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=x", "-days", "2"]
        command = ["openssl", "req", "-x509", *kind]
        files = ["-keyout", str(made[name]), "-out", str(made[name]) + ".certificate"]
        subprocess.run([*command, *files, "-addext", f"subjectAltName={alternative}"], check=True, capture_output=True)
        with open(made[name], "a") as whole, open(str(made[name]) + ".certificate") as certificate:
            whole.write(certificate.read())
    return made


def secured(certificate, act):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    def shake_hands(connection):
        try:
            with context.wrap_socket(connection, server_side=True) as made:
                act(made)
        except ssl.SSLError:
            connection.close()

    return shake_hands


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_tls_trusts_the_authorities_of_the_environment(certificates, monkeypatch, host):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates["here"]))
    with raw_server(secured(certificates["here"], told(GOOD))) as port:
        assert reranker(port, "https", host).similarity("q", ["a"]) == [0.5]


@pytest.mark.parametrize(
    ("certificate", "trusted", "words"),
    [
        ("here", "elsewhere", "has a certificate that is not trusted"),
        ("elsewhere", "elsewhere", "has a certificate for another host name"),
    ],
)
def test_tls_errors_state_the_fault_of_the_certificate(certificates, monkeypatch, certificate, trusted, words):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates[trusted]))
    with raw_server(secured(certificates[certificate], told(GOOD))) as port:
        for host in ("127.0.0.1", "localhost"):
            assert fails(reranker(port, "https", host, max_retries=2))[0] == words


def test_an_early_response_to_a_large_request_over_tls_is_reported(certificates, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates["here"]))

    def act(connection):
        connection.recv(100)
        connection.sendall(answer("413 Too Large"))
        time.sleep(0.3)

    with raw_server(secured(certificates["here"], act)) as port:
        assert fails(reranker(port, "https"), LARGE)[0] == "returned status 413"


def test_a_response_over_tls_followed_by_a_reset_is_reported(certificates, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates["here"]))
    with raw_server(secured(certificates["here"], unread(answer("413 Too Large")))) as port:
        for _ in range(5):
            assert fails(reranker(port, "https"), LARGE)[0] == "returned status 413"


def test_silence_during_the_handshake_ends_at_the_deadline():
    with raw_server(silent) as port:
        problem, seconds = fails(reranker(port, "https", deadline=0.3))
    assert problem == "did not answer before the deadline of 0.3 seconds"
    assert seconds < 0.3 + TOLERANCE


def test_failing_calls_leave_nothing_behind(certificates, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates["here"]))
    other_name = secured(certificates["elsewhere"], told(GOOD))
    plain = [reset, silent, told(b"what?\r\n"), told(GOOD[:50]), told(answer("500 Broken")), other_name]
    before = len(os.listdir("/proc/self/fd")), threading.active_count()
    for act in plain:
        with raw_server(act) as port:
            for scheme in ("http", "https"):
                model = reranker(port, scheme, deadline=0.1, max_retries=1, backoff=0.0)
                for texts in (["a"], LARGE):
                    fails(model, texts)
    fails(reranker(9))
    assert (len(os.listdir("/proc/self/fd")), threading.active_count()) == before
