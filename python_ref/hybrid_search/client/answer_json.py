"""Parses the JSON of a response strictly, within bounds of memory and time."""

import re
from typing import Any

from hybrid_search.base import strict_json
from hybrid_search.base.json_scan import JsonScan, JsonTooLargeError
from hybrid_search.client.deadline import Deadline
from hybrid_search.client.exchange_error import ExchangeError

ALWAYS = 65_536
CONTINUATION = bytes(range(0x80, 0xC0))
OF_FOUR = re.compile(rb"[\xF0-\xFF]")
WIDEST = 4
BUILD_LOOKS = 6
"""Building values cannot be interrupted, but takes at most as long as this number of scans of the same text."""


class AnswerJson:
    """Parses the body of a response."""

    @staticmethod
    def most_memory(max_response_bytes: int) -> int:
        """Return the maximum memory in bytes of body and text together, and of text and values together."""
        return 2 * max_response_bytes + ALWAYS

    @staticmethod
    def parse(body: bytearray, max_response_bytes: int, deadline: Deadline | None = None) -> Any:
        """Return the value of a body, after checking that it is strict JSON that does not take too much memory.

        Body and text together, and text and values together, may take twice the largest body plus 64 KiB.

        Args:
            body: UTF-8; emptied before values are built.
            max_response_bytes: the largest body that was allowed.
            deadline: the time by which the value must be available; `None` sets no limit.

        Raises:
            ExchangeError: the body is not such JSON, or too little time is left.
        """
        began = 0.0 if deadline is None else deadline.left()
        try:
            _look(body, AnswerJson.most_memory(max_response_bytes), deadline)
            text = body.decode("utf-8")
            body.clear()
            if deadline is not None:
                deadline.demand(BUILD_LOOKS * (began - deadline.left()))
            return strict_json.build(text)
        except JsonTooLargeError:
            raise ExchangeError("returned JSON that would take too much memory", retryable=False) from None
        except ValueError:
            raise ExchangeError("returned invalid JSON", retryable=False) from None


def _look(body: bytearray, most_bytes: int, deadline: Deadline | None) -> None:
    width, characters = _text_memory(body)
    if deadline is not None:
        deadline.check()
    if len(body) + width * characters > most_bytes:
        raise JsonTooLargeError("too large")
    value_width = WIDEST if rb"\u" in body else width
    check = deadline.check if deadline is not None else None
    JsonScan(most_bytes - width * characters, value_width, check).scan(body)


def _text_memory(body: bytearray) -> tuple[int, int]:
    """Return the maximum number of bytes of a character of the text in memory, and the number of characters."""
    if body.isascii():
        return 1, len(body)
    return 4 if OF_FOUR.search(body) else 2, len(body.translate(None, CONTINUATION))
