"""The JSON of an answer, read strictly and within bounds of memory and time."""

from collections.abc import Callable
from typing import Any

from hybrid_search import strict_json
from hybrid_search.json_scan import JsonScan, JsonTooLargeError
from hybrid_search.network.exchange_error import ExchangeError

ALWAYS = 65_536
CONTINUATION = bytes(range(0x80, 0xC0))
BELOW_FOUR = bytes(range(0xF0))


class AnswerJson:
    """Reads the body of an answer."""

    @staticmethod
    def parse(body: bytearray, max_response_bytes: int, check: Callable[[], object] = lambda: None) -> Any:
        """The value that a body holds, once it is known to be strict JSON that does not take too much memory.

        Text and values together may take twice the largest body, roughly, and 64 KiB in any case.

        Args:
            body: UTF-8; emptied before values are built.
            max_response_bytes: the largest body that was allowed.
            check: called now and then; may raise.

        Raises:
            ExchangeError: it is no such.
        """
        check()
        width, characters = _text_memory(body)
        try:
            JsonScan(2 * max_response_bytes + ALWAYS - width * characters, width, check).scan(body)
            text = body.decode("utf-8")
            body.clear()
            check()
            return strict_json.build(text)
        except JsonTooLargeError:
            raise ExchangeError("returned JSON that would take too much memory", retryable=False) from None
        except ValueError:
            raise ExchangeError("returned invalid JSON", retryable=False) from None


def _text_memory(body: bytearray) -> tuple[int, int]:
    """How many bytes a character of a text may take in memory, and how many characters it has."""
    if body.isascii():
        return 1, len(body)
    return 4 if body.translate(None, BELOW_FOUR) else 2, len(body.translate(None, CONTINUATION))
