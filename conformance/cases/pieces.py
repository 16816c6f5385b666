"""The digest of each case's line in a fixture file, found without reading it as JSON: a damaged case can be named."""

import hashlib

DIGITS = 16
"""Hex digits of a digest in the manifest: enough to find what was changed; the file's own SHA-256 guards the whole."""


def digests(content: bytes) -> list[str]:
    """Return the digest of each line, in the order of the file.

    Args:
        content: a fixture file: JSON Lines, a case a line.
    """
    return [hashlib.sha256(line).hexdigest()[:DIGITS] for line in content.splitlines()]


def changed(content: bytes, expected: dict[str, str]) -> list[str]:
    """Return the ids of the cases whose line is not the one of the manifest; empty if only their order or number is.

    Args:
        content: the file as it is.
        expected: id → digest.
    """
    there = set(digests(content))
    return [name for name, digest in expected.items() if digest not in there]
