"""Checks the media types that a request accepts, and the declared type and length of its body (CUR-6)."""

import re
from collections.abc import Mapping

from hybrid_search.server.http_message import HttpHead
from hybrid_search.server.http_problem import HttpProblem

NOTHING = re.compile(r"0(?:\.0{0,3})?")
DIGITS = re.compile(r"[0-9]{1,18}")


def check_accept(head: HttpHead, gives: str) -> None:
    """Refuse a request that accepts only other media types; the most specific matching range decides.

    Raises:
        HttpProblem: the request accepts only other media types.
    """
    if not head.header("accept"):
        return
    ranges = [_media(one) for one in head.header("accept").split(",")]
    for name in (gives, gives.partition("/")[0] + "/*", "*/*"):
        weights = [parameters.get("q", "1") for media, parameters in ranges if media == name]
        if weights:
            if all(NOTHING.fullmatch(weight) for weight in weights):
                break
            return
    raise HttpProblem("not_acceptable", gives)


def check_body(head: HttpHead, most: int) -> None:
    """Refuse a body of another type, or one whose declared length exceeds the limit.

    Raises:
        HttpProblem: the length is missing or too large, or the media type or encoding is not supported.
    """
    length = head.header("content-length")
    if not length and not head.header("transfer-encoding"):
        raise HttpProblem("length_required")
    wrong = _wrong_content(head)
    if wrong:
        raise HttpProblem("unsupported_media_type", wrong, {"accept": "application/json"})
    if length and not (DIGITS.fullmatch(length) and int(length) <= most):
        raise HttpProblem("payload_too_large", str(most))


def _wrong_content(head: HttpHead) -> str:
    """Return the problem with the declared type of the body, "" without a problem."""
    media, parameters = _media(head.header("content-type"))
    charset = parameters.get("charset", "utf-8").strip('"')
    if not media:
        return "no Content-Type"
    if media != "application/json":
        return "another Content-Type"
    if charset not in ("utf-8", "utf8"):
        return "another charset"
    return "" if head.header("content-encoding").lower() in ("", "identity") else "a Content-Encoding"


def _media(text: str) -> tuple[str, Mapping[str, str]]:
    """Return a media type, or a range of them, and its parameters, all in lower case."""
    parts = [part.strip(" \t") for part in text.lower().split(";")]
    pairs = [part.partition("=") for part in parts[1:]]
    return parts[0], {name.strip(" \t"): value.strip(" \t") for name, _, value in pairs}
