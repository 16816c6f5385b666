"""The files of the package jieba, read without importing it."""

from importlib.util import find_spec
from pathlib import Path


def read(name: str) -> bytes:
    """What a file holds.

    Args:
        name: its path in the package.
    """
    found = find_spec("jieba")
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent.joinpath(name).read_bytes()
