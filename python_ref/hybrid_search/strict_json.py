"""JSON out of texts and files that others wrote (RNK-5, SYN-1): strict, and never more than data."""

import json
import re
from typing import Any, NoReturn

DEEPEST = 100
MOST_DIGITS = 4000
ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|.)", re.DOTALL)


class StrictJson:
    """Reads JSON as RFC 8259 has it: no comments, no NaN, no lone surrogates, at most 100 levels deep.

    Whole numbers have at most 4,000 digits. Of equal keys the last value counts, in the place of the first.
    """

    @staticmethod
    def parse(text: str) -> Any:
        """The value a text holds.

        Raises:
            ValueError: the text is not strict JSON.
        """
        if StrictJson._lone_surrogate(text):
            raise ValueError("half a surrogate pair")
        try:
            value = json.loads(text, parse_constant=_refuse, parse_int=_integer)
        except RecursionError:
            raise ValueError("nested too deeply") from None
        if StrictJson._depth(value) > DEEPEST:
            raise ValueError("nested too deeply")
        return value

    @staticmethod
    def parse_object(text: str) -> dict[str, Any] | None:
        """The object a text holds, or none if it is not strict JSON of an object."""
        try:
            value = StrictJson.parse(text)
        except ValueError:
            return None
        return value if isinstance(value, dict) else None

    @staticmethod
    def _lone_surrogate(text: str) -> bool:
        """Whether an escape is half a surrogate pair without the other half."""
        waiting_at = -1
        for match in ESCAPE.finditer(text):
            point = int(match.group(1), 16) if match.group(1) else 0
            low = 0xDC00 <= point <= 0xDFFF
            if low != (waiting_at == match.start()):
                return True
            if waiting_at >= 0 and not low:
                return True
            waiting_at = match.end() if 0xD800 <= point <= 0xDBFF else -1
        return waiting_at >= 0

    @staticmethod
    def _depth(value: Any) -> int:
        depth = 0
        level = [value]
        while level:
            containers = [item for item in level if isinstance(item, (dict, list))]
            depth += 1 if containers else 0
            level = [child for item in containers for child in (item.values() if isinstance(item, dict) else item)]
        return depth


def _integer(digits: str) -> int:
    if len(digits.removeprefix("-")) > MOST_DIGITS:
        raise ValueError("a whole number of too many digits")
    return int(digits)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)
