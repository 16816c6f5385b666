"""Checks the size of a packed document before it is unpacked (FIL-5)."""

import zipfile

from hybrid_search.errors import InvalidInputError
from hybrid_search.readers import file_bytes

LARGEST_UNPACKED = 256 * 1024 * 1024
"""The maximum number of bytes of all parts of a packed document; `zipfile` unpacks no part beyond the size in its
directory."""


def check(path: str) -> None:
    """Refuse a file that is not a zip archive, or that is too large once it is unpacked.

    Raises:
        InvalidInputError: the file is refused; the message does not name it.
    """
    with file_bytes.opened(path) as stream:
        try:
            with zipfile.ZipFile(stream) as archive:
                sizes = [part.file_size for part in archive.infolist()]
        except (zipfile.BadZipFile, ValueError, NotImplementedError):
            raise InvalidInputError("is not a whole zip archive, as such files are") from None
    size = 0
    for each in sizes:
        size += each
    if size > LARGEST_UNPACKED:
        raise InvalidInputError(f"would have more than {LARGEST_UNPACKED} bytes unpacked")
