"""How often a phrase is in a document (DOC-3).

The *place* of a token is its position in the field minus its position in the phrase: an exact phrase has all tokens at
one place. The *distance* of a match is the highest place minus the lowest, so that a word too many costs 1 and two
neighbours in the wrong order cost 2, as in Lucene.
"""

from collections.abc import Sequence


def exact_frequency(positions: Sequence[Sequence[int]]) -> int:
    """How many times the tokens stand next to each other in order.

    Args:
        positions: of each token of the phrase, its positions in the field, ascending; none is empty.
    """
    starts = set(positions[0])
    for offset, places in enumerate(positions[1:], start=1):
        starts.intersection_update([place - offset for place in places])
    return len(starts)


def sloppy_frequency(positions: Sequence[Sequence[int]], slop: int, repeats: bool) -> float:
    """The sum of `1 / (1 + distance)` over the matches with a distance of at most `slop`.

    Matches are found in one pass: every token begins at its first position. The token with the lowest place (of equal
    ones the first in the phrase) moves on until it is past the lowest of the others, or has no more positions; the
    smallest distance on the way is one match. Then the token that is now the lowest moves, until one has no more
    positions. Where a phrase holds a token twice, both at the same position is no match.

    Args:
        positions: of each token of the phrase (two or more), its positions in the field, ascending; none is empty.
        slop: the largest distance that counts.
        repeats: whether the phrase holds a token twice.
    """
    count = len(positions)
    cursors = [0] * count
    places = [positions[index][0] - index for index in range(count)]
    frequency = 0.0
    while True:
        lowest = _lowest(places, -1)
        other = places[_lowest(places, lowest)]
        highest = max(places)
        shortest = -1
        exhausted = False
        while True:
            distance = highest - places[lowest]
            if (shortest < 0 or distance < shortest) and not (repeats and _collide(places)):
                shortest = distance
            cursors[lowest] += 1
            exhausted = cursors[lowest] == len(positions[lowest])
            if exhausted:
                break
            places[lowest] = positions[lowest][cursors[lowest]] - lowest
            if places[lowest] > other:
                break
        if 0 <= shortest <= slop:
            frequency = frequency + 1.0 / (1.0 + shortest)
        if exhausted:
            return frequency


def _lowest(places: list[int], without: int) -> int:
    best = -1
    for index, place in enumerate(places):
        if index != without and (best < 0 or place < places[best]):
            best = index
    return best


def _collide(places: list[int]) -> bool:
    positions = [place + index for index, place in enumerate(places)]
    return len(set(positions)) < len(positions)
