"""The room that the entries of a cache share."""


class Room:
    """A number of bytes.

    Args:
        most: the maximum number of bytes.

    Attributes:
        most: as given.
        used: the number of bytes of the entries.
    """

    __slots__ = ("most", "used")

    def __init__(self, most: int) -> None:
        self.most = most
        self.used = 0
