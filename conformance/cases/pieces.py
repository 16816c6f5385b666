"""The text of each case in a fixture file, found without reading it as JSON, so that a damaged case can be named."""

import hashlib

BEGIN = b"    {\n"
ENDS = (b"    }\n", b"    },\n")
DIGITS = 16
"""Hex digits of a digest in the manifest: enough to tell what was changed; the file's own SHA-256 guards the whole."""


def digests(content: bytes) -> list[str]:
    """The digest of each case's lines, in the order of the file.

    Args:
        content: a fixture file as it is written: cases are indented by four blanks.
    """
    found: list[str] = []
    piece: list[bytes] | None = None
    for line in content.splitlines(keepends=True):
        if piece is None and line == BEGIN:
            piece = []
        elif piece is not None and line in ENDS:
            found.append(hashlib.sha256(b"".join(piece)).hexdigest()[:DIGITS])
            piece = None
        elif piece is not None:
            piece.append(line)
    return found


def changed(content: bytes, expected: dict[str, str]) -> list[str]:
    """The ids of the cases whose text is not the one of the manifest; none where something between them was changed.

    Args:
        content: the file as it is.
        expected: id → digest.
    """
    there = set(digests(content))
    return [name for name, digest in expected.items() if digest not in there]
