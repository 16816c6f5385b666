"""Checks the ranked lists to fuse (FUS-2)."""

import math
from collections.abc import Sequence
from typing import Any

from hybrid_search.base import validation
from hybrid_search.errors import InvalidInputError

Ranking = list[tuple[str, float]]
Rankings = Sequence[Sequence[tuple[str, float]]]


def checked(rankings: Any) -> list[Ranking]:
    """Return the ranked lists if each is a list of (id, score).

    Raises:
        InvalidInputError: any other value, an id that is repeated in a list, or a score that is not finite.
    """
    if not isinstance(rankings, (list, tuple)):
        raise validation.fail("rankings", rankings, "a list of ranked lists")
    return [_checked_list(f"rankings[{index}]", ranking) for index, ranking in enumerate(rankings)]


def _checked_list(name: str, ranking: Any) -> Ranking:
    if not isinstance(ranking, (list, tuple)):
        raise validation.fail(name, ranking, "a list of (id, score)")
    if _is_sound(ranking):
        return [(identifier, score) for identifier, score in ranking]
    checked = [_checked_entry(name, index, entry) for index, entry in enumerate(ranking)]
    seen = set()
    for identifier, _ in checked:
        if identifier in seen:
            raise InvalidInputError(f"{name} holds the id {validation.describe(identifier)} twice")
        seen.add(identifier)
    return checked


def _is_sound(ranking: Sequence[Any]) -> bool:
    """Return whether all entries are valid: a fast check, as nearly all lists are; the slow one finds the problem."""
    if not set(map(type, ranking)) <= {tuple, list} or set(map(len, ranking)) != {2}:
        return False
    identifiers = [entry[0] for entry in ranking]
    scores = [entry[1] for entry in ranking]
    return (
        set(map(type, identifiers)) == {str}
        and set(map(type, scores)) == {float}
        and len(set(identifiers)) == len(identifiers)
        and all(map(math.isfinite, scores))
        and _is_unicode("".join(identifiers))
    )


def _checked_entry(name: str, index: int, entry: Any) -> tuple[str, float]:
    if not isinstance(entry, (list, tuple)) or len(entry) != 2:
        raise validation.fail(f"{name}[{index}]", entry, "an id and a score")
    identifier, score = entry
    if type(score) is not float or not math.isfinite(score):
        score = validation.number(f"{name}[{index}][1]", score)
    return validation.text(f"{name}[{index}][0]", identifier), score


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
