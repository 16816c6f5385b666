"""Marks the objects that an `AsyncIndex` calls instead of its providers (ASY-2); Python only."""

from typing import Any


class ProviderProxy:
    """An object that is called instead of another one.

    Args:
        original: the object that it replaces.
    """

    def __init__(self, original: Any) -> None:
        self.original = original
