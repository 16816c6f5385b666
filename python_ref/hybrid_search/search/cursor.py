"""Writes and reads cursors, and checks those that come from users (CUR-3)."""

import base64
import binascii
import dataclasses
import hashlib
import hmac
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from hybrid_search.base import canonical_json, numeric, strict_json, validation
from hybrid_search.errors import InvalidCursorError, InvalidInputError
from hybrid_search.search.ranking_key import RankingKey

VERSION = 1
LONGEST = 245_760
LONGEST_TEXT = 1024
MOST_BITS = 200
DIGITS = 16
"""The number of hexadecimal digits of a digest."""
DIGITS_WITH_SECRET = 32
"""The number of hexadecimal digits of a check value that is signed with a secret."""
ALPHABET = re.compile(r"[A-Za-z0-9_-]+")
BITS = re.compile(r"[0-9a-f]{16}")
FIELDS = ("c", "f", "g", "i", "n", "r", "s", "t", "v")
OTHER_FIELDS = ("o", "q")
"""The parts that only some cursors have."""

MALFORMED = "cursor is malformed: it must be a next_cursor, whole and unchanged"
FORGED = "cursor has a wrong check value: it was changed, or made with another cursor_secret"
OTHER_REQUEST = "cursor belongs to another request: question, filters and options must be those of the first page"
CHANGED = 'cursor is of an index that has changed since its first page, and on_index_change is "error"'


@dataclasses.dataclass(frozen=True)
class Cursor:
    """The position of a walk.

    Attributes:
        key: the place of the last hit that was shown.
        position: the number of hits that have been shown.
        fingerprint: the fingerprint of the request (`fingerprint`).
        generation: the generation of the index when the first page was made.
        rewritten: the result of the user's callable for the question of the first page (RWR-1), `None` if nothing
            changed.
    """

    key: RankingKey
    position: int
    fingerprint: str
    generation: int | str
    rewritten: str | None = None


class CursorCodec:
    """Writes and reads cursors, with the same texts in both languages.

    Args:
        secret: the key that signs cursors: bytes or a text, not empty. With `None` they have a check value that anybody
            can compute.

    Raises:
        InvalidInputError: the secret is something else; the message never shows it.
    """

    def __init__(self, secret: bytes | str | None = None) -> None:
        self._secret = None if secret is None else _secret(secret)

    def encode(self, cursor: Cursor) -> str:
        """Return the text of a cursor.

        Raises:
            InvalidInputError: a value to order by is too long for a cursor.
        """
        key = cursor.key
        parts: dict[str, Any] = {
            "v": VERSION,
            "t": key.tier,
            "s": numeric.to_bits(key.score),
            "r": numeric.to_bits(key.stage1_score),
            "i": key.id,
            "n": cursor.position,
            "f": cursor.fingerprint,
            "g": cursor.generation,
        }
        if key.values:
            parts["o"] = [_written(value, place, key.id) for place, value in enumerate(key.values)]
        if cursor.rewritten is not None:
            parts["q"] = cursor.rewritten
        written = canonical_json.write(parts)
        text = f'{{"c":"{self._check_value(written)}",{written[1:]}'  # no name comes before "c"
        return base64.urlsafe_b64encode(text.encode("utf-8")).decode("ascii").rstrip("=")

    def decode(self, text: Any) -> Cursor:
        """Return the cursor of a text.

        Raises:
            InvalidCursorError: the text is malformed, of another version, or its check value is wrong; checked in this
                order.
        """
        parts = _parts(text)
        if type(parts.get("v")) is not int:
            raise InvalidCursorError(MALFORMED)
        if parts["v"] != VERSION:
            shown = validation.describe(parts["v"])
            raise InvalidCursorError(f"cursor is of version {shown}, which is not known here; known is {VERSION}")
        cursor = _cursor(parts)
        unchecked = {name: value for name, value in parts.items() if name != "c"}
        right = self._check_value(canonical_json.write(unchecked))
        if not hmac.compare_digest(parts["c"].encode("utf-8"), right.encode("utf-8")):
            raise InvalidCursorError(FORGED)
        return cursor

    def _check_value(self, written: str) -> str:
        """Return 16 hex digits of SHA-256 over the parts as canonical JSON; with a secret, 32 of HMAC-SHA256."""
        data = written.encode("utf-8")
        if self._secret is None:
            return hashlib.sha256(data).hexdigest()[:DIGITS]
        return hmac.new(self._secret, data, hashlib.sha256).hexdigest()[:DIGITS_WITH_SECRET]


def fingerprint(parts: Mapping[str, str]) -> str:
    """Return 16 hex digits of the SHA-256 of a request's parts, each as canonical JSON, which distinguish requests."""
    text = "{" + ",".join([f'"{name}":{parts[name]}' for name in sorted(parts)]) + "}"
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:DIGITS]


def canonical(value: Any) -> str:
    """Return a part of a request as canonical JSON, floats as their 16 hex digits."""
    return canonical_json.write(_without_floats(value))


def _without_floats(value: Any) -> Any:
    if isinstance(value, float):
        return numeric.to_bits(value)
    if isinstance(value, Mapping):
        return {name: _without_floats(item) for name, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_without_floats(item) for item in value]
    return value


def _secret(secret: Any) -> bytes:
    if isinstance(secret, str):
        secret = secret.encode("utf-8", "surrogatepass")
    if not isinstance(secret, bytes) or not secret:
        raise InvalidInputError("cursor_secret must be bytes or a text, not empty")
    return secret


def _parts(text: Any) -> dict[str, Any]:
    """Return the object in a text of base64url, which must be canonical to the last bit."""
    if not isinstance(text, str) or len(text) > LONGEST or not ALPHABET.fullmatch(text):
        raise InvalidCursorError(MALFORMED)
    try:
        data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        parts = strict_json.parse_object(data.decode("utf-8"))
        again = canonical_json.write(parts).encode("utf-8")
    except (binascii.Error, ValueError):
        raise InvalidCursorError(MALFORMED) from None
    if parts is None or base64.urlsafe_b64encode(again).decode("ascii").rstrip("=") != text:
        raise InvalidCursorError(MALFORMED)
    return parts


def _cursor(parts: Mapping[str, Any]) -> Cursor:
    """Return the cursor of the parts of version 1.

    Raises:
        InvalidCursorError: a part is missing, unknown, or invalid.
    """
    values = parts.get("o")
    score, stage1_score = _double(parts.get("s")), _double(parts.get("r"))
    sound = (
        tuple(sorted(name for name in parts if name not in OTHER_FIELDS)) == FIELDS
        and parts["t"] in (0, 1)
        and type(parts["t"]) is int
        and isinstance(parts["i"], str)
        and parts["i"] != ""
        and type(parts["n"]) is int
        and parts["n"] >= 1
        and isinstance(parts["f"], str)
        and type(parts["g"]) in (int, str)
        and isinstance(parts["c"], str)
        and ("o" not in parts or (isinstance(values, list) and values != []))
        and ("q" not in parts or (isinstance(parts["q"], str) and parts["q"] != ""))
    )
    if not sound or score is None or stage1_score is None:
        raise InvalidCursorError(MALFORMED)
    order = tuple(_read(value) for value in values or ())
    key = RankingKey(order, parts["t"], score, stage1_score, parts["i"])
    return Cursor(key, parts["n"], parts["f"], parts["g"], parts.get("q"))


def _double(bits: Any) -> float | None:
    """Return the finite double of 16 hex digits; `None` for any other text."""
    if not isinstance(bits, str) or not BITS.fullmatch(bits):
        return None
    value = numeric.from_bits(bits)
    return value if math.isfinite(value) else None


def _written(value: Any, place: int, identifier: str) -> Any:
    """Return a value in the form of a cursor: null, a text, an integer, or a double as an object of its bits."""
    if isinstance(value, float):
        return {"d": numeric.to_bits(value)}
    too_long = len(value) > LONGEST_TEXT if isinstance(value, str) else value is not None
    if too_long and not (isinstance(value, int) and value.bit_length() <= MOST_BITS):
        raise InvalidInputError(
            f"order_by[{place}] must not be a field whose values are too long for a cursor, as that of "
            f"{validation.describe(identifier)} is: a text has at most {LONGEST_TEXT} code points, an integer "
            f"{MOST_BITS} bits"
        )
    return value


def _read(value: Any) -> int | float | str | None:
    """Return the value of a form that `_written` has made.

    Raises:
        InvalidCursorError: no cursor contains such a form.
    """
    if value is None or type(value) in (int, str):
        return value  # type: ignore[no-any-return]
    double = _double(value["d"]) if isinstance(value, dict) and set(value) == {"d"} else None
    if double is None:
        raise InvalidCursorError(MALFORMED)
    return double
