"""The vectors whose distances a database can compute, and the error of these distances (PG-5, OB-2)."""

MOST_COMPONENTS = 16_000
SMALLEST_NORM = 1e-9
LARGEST_NORM = 1e9


def can_screen(dimension: int, norm: float) -> bool:
    """Return whether the server can compute the distances of a vector."""
    return dimension <= MOST_COMPONENTS and SMALLEST_NORM <= norm <= LARGEST_NORM


def margin(dimension: int) -> float:
    """Return the maximum error of a cosine that the server computes."""
    return (2 * dimension + 16) * 2.0**-24
