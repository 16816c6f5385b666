"""What the hostile server can do, and what clients must make of each."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from conformance.hostile.acts import GAP, HEAD, Act, Echo, Forever, Good, Raw, Repeated, SlowReader, whole

MEGABYTE = 1 << 20
LATE = "did not answer before the deadline"
CUT = "cut the connection"
INVALID = "returned invalid HTTP"
JSON = "returned invalid JSON"
TOO_LARGE = "returned more than"
TOO_MUCH = "too much memory"
HANDSHAKE = "failed the TLS handshake"
REFUSED = "refused the connection"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
FIELDS = b"X-Filler: " + b"y" * 1000 + b"\r\n"
TEN_MILLION = 10_000_000


@dataclass(frozen=True)
class Behaviour:
    """One way to treat a connection.

    Attributes:
        name: unique.
        act: what is done with a connection that was taken; none: nobody takes it (`queue`).
        told: one of these stands in the error; none: the call succeeds.
        secure: which certificate is shown, for TLS; none: no TLS on the server's side.
        https: whether clients come with TLS.
        options: of the client, besides those all have.
        large: whether the request is of several megabytes.
        heavy: whether it costs so much work that calls are made one at a time.
        queue: `full`: a queue of connections that is full; `closed`: a port where nobody listens.
        old: whether the server speaks TLS 1.1 at the most.
    """

    name: str
    act: Callable[[Any], None] | None = None
    told: tuple[str, ...] = ()
    secure: str | None = None
    https: bool = False
    options: dict[str, Any] = field(default_factory=dict)
    large: bool = False
    heavy: bool = False
    queue: str = ""
    old: bool = False


def answering(name: str, sent: Iterable[bytes], *told: str, **more: Any) -> Behaviour:
    """The request is read, pieces are sent, the connection is closed."""
    return Behaviour(name, Act(sent), told, **more)


def json_body(name: str, beginning: bytes, piece: bytes, count: int, end: bytes, *told: str) -> Behaviour:
    """A large body of JSON, at the default bound of its size; a slow machine may not be through with it in time."""
    options = {"max_response_bytes": 32 * MEGABYTE, "deadline": 1.5}
    return Behaviour(name, Act(Repeated(beginning, piece, count, end)), (*told, LATE), options=options, heavy=True)


SILENCE = [
    Behaviour("good", Good()),
    Behaviour("good_chunked_by_one_byte", Good(chunked=True)),
    Behaviour("good_after_interim", Good(before=b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" * 5)),
    Behaviour("good_to_a_large_request", Good(), large=True, options={"deadline": 2.0}),
    Behaviour("slow_reader", SlowReader(), ("index 1 is missing", LATE)),
    Behaviour("silence", Act(then="hold"), (LATE,)),
    Behaviour("silence_before_reading", Act(then="hold", reads=-1), (LATE,), large=True),
    Behaviour("silence_short", Act(then="hold"), ("did not answer within 0.1 s",), options={"read_timeout": 0.1}),
    Behaviour("silence_in_head", Act([HEAD], then="hold"), (LATE,)),
    Behaviour("silence_in_body", Act([HEAD + b"Content-Length: 9\r\n\r\n{"], then="hold"), (LATE,)),
    Behaviour("drip_in_head", Act([b"%c" % byte for byte in HEAD + b"X: " + b"y" * 99], GAP), (LATE,)),
    Behaviour("drip_in_fields", Act(Forever(HEAD, b"X: y\r\n"), GAP), (LATE,)),
    Behaviour("drip_in_body", Act(Forever(HEAD + b"\r\n", b" "), GAP), (LATE,)),
    Behaviour("drip_in_chunks", Act(Forever(CHUNKED, b"1\r\n \r\n"), GAP), (LATE,)),
    Behaviour("drip_interim", Act(Forever(b"", b"HTTP/1.1 102 Processing\r\n\r\n"), 0.1), (LATE, INVALID)),
    Behaviour("full_queue", None, (LATE,), queue="full"),
    Behaviour("full_queue_tls", None, (LATE,), queue="full", https=True),
    Behaviour(
        "full_queue_short", None, ("could not be connected to within",), queue="full", options={"connect_timeout": 0.1}
    ),
    Behaviour("closed_port", None, (REFUSED,), queue="closed"),
]

CUTS = [
    Behaviour("close_at_once", Act(reads=-1), (CUT,)),
    Behaviour("reset_at_once", Act(reads=-1, then="reset"), (CUT,)),
    answering("close_after_request", [], CUT),
    Behaviour("reset_after_request", Act(then="reset"), (CUT,)),
    Behaviour("reset_in_large_request", Act(reads=1000, then="reset"), (CUT,), large=True),
    answering("close_in_head", [HEAD + b"X: "], CUT),
    Behaviour("reset_in_head", Act([HEAD + b"X: "], GAP, "reset"), (CUT,)),
    answering("close_in_body", [HEAD + b"Content-Length: 99\r\n\r\n{"], CUT),
    Behaviour("reset_in_body", Act([HEAD + b"Content-Length: 99\r\n\r\n{"], GAP, "reset"), (CUT,)),
    answering("close_in_chunk", [CHUNKED + b"9\r\n{"], CUT),
    Behaviour("reset_in_chunk", Act([CHUNKED + b"9\r\n{"], GAP, "reset"), (CUT,)),
    Behaviour("reset_in_trailers", Act([CHUNKED + b"0\r\nX: y"], GAP, "reset"), (CUT,)),
]

ENDLESS = [
    answering("endless_status_line", Forever(b"HTTP/1.1 200 ", b"y" * 1000), INVALID),
    answering("endless_field", Forever(HEAD + b"X: ", b"y" * 1000), INVALID),
    answering("endless_fields", Forever(HEAD, FIELDS), INVALID),
    answering("many_small_fields", Forever(HEAD, b"X: y\r\n" * 50), INVALID),
    answering("endless_interim", Forever(b"", b"HTTP/1.1 102 Processing\r\n\r\n"), INVALID),
    answering("endless_body", Forever(HEAD + b"\r\n", b" " * 65_536), TOO_LARGE),
    answering("endless_chunks", Forever(CHUNKED, b"1000\r\n" + b" " * 4096 + b"\r\n"), TOO_LARGE),
    answering("endless_chunks_of_one_byte", Forever(CHUNKED, b"1\r\n \r\n" * 5000), TOO_LARGE, LATE),
    answering("endless_chunk_line", Forever(CHUNKED + b"1;", b"x" * 1000), INVALID),
    answering("endless_trailer", Forever(CHUNKED + b"0\r\nX: ", b"y" * 1000), INVALID),
    answering("endless_trailers", Forever(CHUNKED + b"0\r\n", FIELDS), INVALID),
    answering("announced_too_long", [HEAD + b"Content-Length: 999999999999\r\n\r\n"], TOO_LARGE),
    answering("chunk_too_long", [CHUNKED + b"FFFFFFFFFFFF\r\n"], TOO_LARGE),
]

BODIES = [
    json_body("empty_arrays", b"[", b"[],", TEN_MILLION, b"[]]", TOO_MUCH),
    json_body("numbers", b"[", b"1,", TEN_MILLION, b"1]", TOO_MUCH),
    json_body("objects_of_one", b"[", b'{"a":1},', TEN_MILLION // 3, b"1]", TOO_MUCH),
    json_body("deep", b"", b"[", TEN_MILLION, b"", JSON),
    json_body("deep_in_ignored_field", b'{"results":[],"x":', b"[", 150, b"]" * 150 + b"}", JSON),
    json_body("huge_number", b"[", b"1", TEN_MILLION, b"]", JSON),
    json_body("huge_text", b'{"results": "', b"x", 20 * MEGABYTE, b'"}', "no list of results", TOO_MUCH),
    json_body("escapes", b'["', rb"\u4e2d", 4 * MEGABYTE, b'"]', "no list of results", TOO_MUCH),
    json_body("astral", b'["', "𠀀".encode(), 6 * MEGABYTE, b'"]', TOO_MUCH),
    json_body("one_key_again", b"{", b'"a":1,', TEN_MILLION // 2, b'"a":1}', TOO_MUCH),
    json_body("escaped_astral", rb'["\ud83e\udd8a', b"x", 30 * MEGABYTE, b'"]', TOO_MUCH),
    json_body("long_fraction", b"[0.", b"1", 31 * MEGABYTE, b"]", "no list of results"),
    json_body("long_key", b'{"', b"x", 21 * MEGABYTE, b'":1}', "no list of results"),
    json_body("texts_just_allowed", b"[", b'"%b",' % (b"x" * 1000), 27_000, b"1]", "no list of results"),
    json_body("lists_just_allowed", b"[", b"[1,1,1,1],", 163_000, b"1]", "no list of results"),
    json_body("objects_just_allowed", b"[", b'{"a":1},', 163_000, b"1]", "no list of results"),
    json_body("floats_just_allowed", b"[", b"-1.234567890123456e-300,", 760_000, b"1]", "no list of results"),
    json_body("long_numbers_just_allowed", b"[", b"1" * 4000 + b",", 8_000, b"1]", "no list of results"),
    json_body("blanks", b"[", b" ", 30 * MEGABYTE, b"]", "no list of results", TOO_MUCH),
    answering("no_json", [whole(b"<html>")], JSON),
    answering("lone_surrogate", [whole(rb'{"results":[],"x":"\ud800"}')], JSON),
    answering("comment", [whole(b'{"results":[/* */]}')], JSON),
]

LENGTHS = [
    answering("http_0_9", [b"<html>hello</html>"], INVALID),
    answering("http_2", [b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"], INVALID),
    answering("noise", [bytes(range(256)) * 40], INVALID),
    answering("status_000", [b"HTTP/1.1 000 X\r\n\r\n"], INVALID),
    answering("status_101", [b"HTTP/1.1 101 X\r\n\r\n"], INVALID),
    answering("length_negative", [HEAD + b"Content-Length: -5\r\n\r\n"], INVALID),
    answering("length_of_letters", [HEAD + b"Content-Length: abc\r\n\r\n"], INVALID),
    answering("two_lengths", [HEAD + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}"], INVALID),
    answering("length_and_chunks", [HEAD + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}"], INVALID),
    answering("length_too_short", [HEAD + b"Content-Length: 1\r\n\r\n{}"], JSON),
    answering("chunk_size_of_letters", [CHUNKED + b"xyz\r\n"], INVALID),
    answering("chunk_without_end", [CHUNKED + b"2\r\n{}{}\r\n0\r\n\r\n"], INVALID),
    answering("compressed", [whole(b"\x1f\x8b", fields=b"Content-Encoding: gzip\r\n")], "compressed"),
    answering("redirect", [whole(b"", b"302 Found", b"Location: http://127.0.0.1:1/\r\n")], "redirects are not"),
]

EARLY = [
    Behaviour("early_413", Act([whole(b"", b"413 X")], reads=0), ("status 413",), large=True),
    Behaviour("early_413_reset", Act([whole(b"", b"413 X")], GAP, "reset", 0), ("status 413", CUT), large=True),
    Behaviour("early_429", Act([whole(b"", b"429 X", b"Retry-After: 9\r\n")], reads=0), ("status 429, too late",),
              large=True, options={"max_retries": 1}),
    Behaviour("early_413_lingering", Act([whole(b"", b"413 X")], then="linger", reads=0), ("status 413",), large=True),
    Behaviour("early_413_unread", Act([whole(b"", b"413 X")], reads=-1), ("status 413",)),
]  # fmt: skip

ECHOES = [
    Behaviour("echo_in_words", Echo(b"401", '{"error": {"message": "bad key KEY of QUERY"}}'), ("status 401",)),
    Behaviour("echo_query_in_words", Echo(b"403", '{"detail": "bad key QUERY"}'), ("status 403",)),
    Behaviour("echo_in_500", Echo(b"500", '{"message": "KEY QUERY"}'), ("status 500",)),
    Behaviour("echo_in_no_json", Echo(b"200", "KEY QUERY"), (JSON,)),
    Behaviour(
        "echo_in_a_score", Echo(b"200", '{"results": [{"index": 0, "relevance_score": "KEY"}]}'), ("not usable",)
    ),
    Behaviour(
        "echo_query_in_a_score",
        Echo(b"200", '{"results": [{"index": 0, "relevance_score": "QUERY"}]}'),
        ("not usable",),
    ),
    Behaviour(
        "echo_in_an_index", Echo(b"200", '{"results": [{"index": "KEY", "relevance_score": 1}]}'), ("not usable",)
    ),
    Behaviour(
        "echo_in_a_name", Echo(b"200", '{"results": [{"index": 0, "KEY": 1}], "QUERY": 1}'), ("relevance_score",)
    ),
]

TLS = [
    Behaviour("tls_good", Good(), secure="good", https=True),
    Behaviour("tls_good_large", Good(), secure="good", https=True, large=True, options={"deadline": 2.0}),
    Behaviour("tls_silence", Act(then="hold"), (LATE,), secure="good", https=True),
    Behaviour("tls_drip", Act(Forever(HEAD + b"\r\n", b" "), GAP), (LATE,), secure="good", https=True),
    Behaviour("tls_reset_in_body", Act([HEAD + b"Content-Length: 99\r\n\r\n{"], GAP, "reset"), (CUT,), secure="good",
              https=True),
    Behaviour("tls_early_413", Act([whole(b"", b"413 X")], reads=0), ("status 413",), secure="good", https=True,
              large=True),
    Behaviour("tls_early_413_lingering", Act([whole(b"", b"413 X")], then="linger", reads=0), ("status 413",),
              secure="good", https=True, large=True),
    Behaviour("tls_early_429_lingering", Act([whole(b"", b"429 X", b"Retry-After: 9\r\n")], then="linger", reads=0),
              ("status 429, too late",), secure="good", https=True, large=True, options={"max_retries": 1}),
    Behaviour("tls_early_413_thrown_away", Act([whole(b"", b"413 X")], reads=0, held_back=True), ("status 413", CUT),
              secure="good", https=True, large=True),
    Behaviour("tls_endless_body", Act(Forever(HEAD + b"\r\n", b" " * 65_536)), (TOO_LARGE,), secure="good", https=True),
    Behaviour("tls_self_signed", Good(), ("not trusted",), secure="self_signed", https=True),
    Behaviour("tls_unknown_authority", Good(), ("not trusted",), secure="unknown_authority", https=True),
    Behaviour("tls_expired", Good(), ("expired",), secure="expired", https=True),
    Behaviour("tls_not_yet_valid", Good(), ("not yet valid",), secure="not_yet_valid", https=True),
    Behaviour("tls_other_host", Good(), ("another host",), secure="other_host", https=True),
    Behaviour("tls_old_protocol", Good(), (HANDSHAKE,), secure="good", https=True, old=True),
    Behaviour("tls_plain_text_instead", Raw(b"HTTP/1.1 400 Bad Request\r\n\r\n"), (HANDSHAKE,), https=True),
    Behaviour("tls_noise_instead", Raw(bytes(range(1, 256)) * 10), (HANDSHAKE,), https=True),
    Behaviour("tls_cut_in_handshake", Raw(), (HANDSHAKE, CUT), https=True),
    Behaviour("tls_reset_in_handshake", Raw(then="reset"), (HANDSHAKE, CUT), https=True),
    Behaviour("tls_cut_in_hello", Raw(b"\x16\x03\x03\x00\x50\x02"), (HANDSHAKE, CUT), https=True),
    Behaviour("tls_silence_in_handshake", Raw(then="hold"), (LATE,), https=True),
    Behaviour("tls_silence_in_hello", Raw(b"\x16\x03\x03\x00\x50\x02", then="hold"), (LATE,), https=True),
]  # fmt: skip

BEHAVIOURS = [*SILENCE, *CUTS, *ENDLESS, *BODIES, *LENGTHS, *EARLY, *ECHOES, *TLS]
