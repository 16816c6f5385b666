"""Rows as ids, for what knows ids alone (ORD-1)."""

WIDTH = 12


class RowNames:
    """Texts of equal width, so that they sort as the numbers do."""

    @staticmethod
    def id_of(row: int) -> str:
        """The id of a row."""
        return f"{row:0{WIDTH}d}"

    @staticmethod
    def row_of(identifier: str) -> int:
        """The row of an id."""
        return int(identifier)
