"""Converts row numbers to ids, for code that ranks by id (ORD-1)."""

WIDTH = 12


class RowNames:
    """Texts of equal width, which sort as the numbers do."""

    @staticmethod
    def id_of(row: int) -> str:
        """Return the id of a row."""
        return f"{row:0{WIDTH}d}"

    @staticmethod
    def row_of(identifier: str) -> int:
        """Return the row of an id."""
        return int(identifier)
