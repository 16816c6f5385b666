"""Prints the rounds of an answer as a readable table (CNV-3)."""

from collections.abc import Sequence
from typing import Any

from hybrid_search.base import numeric
from hybrid_search.cli import table_view
from hybrid_search.convergence.candidates import Round
from hybrid_search.convergence.located import Located

HEAD = ("round", "blocks", "mean", "gain", "jaccard", "cosine to q0", "best rows")
BEST = 5
WIDTH = 100


def rows(located: Located) -> list[list[str]]:
    """Return a row of texts for each round."""
    return [_row(number, made) for number, made in enumerate(located.rounds, start=1)]


def lines(identifier: str, located: Located) -> list[str]:
    """Return the lines of an answer's table, with the reason for the end of the rounds."""
    told = f"{identifier}: stopped by {located.stop_reason}" if located.stop_reason else f"{identifier}: one round"
    return [told, *table_view.lines(HEAD, rows(located), WIDTH), ""]


def plain(identifier: str, located: Located) -> dict[str, Any]:
    """Return the rounds of an answer as plain data."""
    rounds = [
        {
            "mean": made.mean,
            "gain": made.gain,
            "jaccard": made.jaccard,
            "next_cosine_to_q0": made.next_cosine_to_q0,
            "rows": [row for row, _ in made.ranking[:BEST]],
        }
        for made in located.rounds
    ]
    return {"instance_id": identifier, "rounds": rounds, "stop_reason": located.stop_reason}


def _row(number: int, made: Round) -> list[str]:
    best = ", ".join(str(row) for row, _ in made.ranking[:BEST])
    numbers: Sequence[float | None] = (made.mean, made.gain, made.jaccard, made.next_cosine_to_q0)
    return [
        str(number),
        str(len(made.ranking)),
        *("" if value is None else numeric.fixed4(value) for value in numbers),
        best,
    ]
