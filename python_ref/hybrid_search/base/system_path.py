"""Names of files in every locale: Python encodes them as the locale does, this library and Ruby as UTF-8.

Bytes that are not UTF-8 stay lone surrogates in both directions, as Python does.
"""

import os

ESCAPED = "surrogateescape"


def system_path(path: str) -> str:
    """Return a path for the calls of the system, whose bytes are UTF-8 in every locale.

    Raises:
        UnicodeEncodeError: the path is not valid Unicode.
    """
    return os.fsdecode(path.encode("utf-8", ESCAPED))


def shown_path(path: str) -> str:
    """Return a path that the system returned as its text in UTF-8."""
    return os.fsencode(path).decode("utf-8", ESCAPED)
