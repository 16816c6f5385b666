"""What an `AsyncIndex` has called in the place of its providers (ASY-2); Python only."""

from typing import Any


class ProviderProxy:
    """What is called in the place of something else.

    Args:
        original: what it stands for.
    """

    def __init__(self, original: Any) -> None:
        self.original = original
