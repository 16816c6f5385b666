"""The JSON of an answer, read strictly and within bounds of memory and time."""

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
"""Nothing can interrupt the making of values; it takes no longer than so many looks through the same text."""


class AnswerJson:
    """Reads the body of an answer."""

    @staticmethod
    def most_memory(max_response_bytes: int) -> int:
        """How many bytes body and text, or text and values, may take together."""
        return 2 * max_response_bytes + ALWAYS

    @staticmethod
    def parse(body: bytearray, max_response_bytes: int, deadline: Deadline | None = None) -> Any:
        """The value that a body holds, once it is known to be strict JSON that does not take too much memory.

        Body and text together, and text and values together, may take twice the largest body, roughly, and 64 KiB in
        any case.

        Args:
            body: UTF-8; emptied before values are built.
            max_response_bytes: the largest body that was allowed.
            deadline: when the value must be there; none: any time.

        Raises:
            ExchangeError: it is no such, or there is not time enough left.
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
    """How many bytes a character of a text may take in memory, and how many characters it has."""
    if body.isascii():
        return 1, len(body)
    return 4 if OF_FOUR.search(body) else 2, len(body.translate(None, CONTINUATION))
