"""How often a phrase is in a document (DOC-3).

The *place* of a token is its position in the field minus its position in the phrase: an exact phrase has all tokens at
one place. The *distance* of a match is the highest place minus the lowest, so that a word too many costs 1 and two
neighbours in the wrong order cost 2, as in Lucene.
"""

from collections.abc import Sequence
from heapq import heapify, heapreplace


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
    # A heap of place · count + token: the token that is the lowest comes first, of equal ones the first in the phrase.
    queue = [(places[0] - index) * count + index for index, places in enumerate(positions)]
    heapify(queue)
    highest = max(queue) // count
    cursors = [0] * count
    crowd = _Crowd(positions) if repeats else None
    frequency = 0.0
    while True:
        place, lowest = divmod(queue[0], count)
        other = min(queue[1:3]) // count  # in a heap, one of these two is the second
        shortest = -1
        while True:
            distance = highest - place
            if (shortest < 0 or distance < shortest) and not (crowd and crowd.shared):
                shortest = distance
            cursors[lowest] += 1
            exhausted = cursors[lowest] == len(positions[lowest])
            if exhausted:
                break
            position = positions[lowest][cursors[lowest]]
            if crowd:
                crowd.move(place + lowest, position)
            place = position - lowest
            if place > other:
                break
        if 0 <= shortest <= slop:
            frequency = frequency + 1.0 / (1.0 + shortest)
        if exhausted:
            return frequency
        highest = max(highest, place)
        heapreplace(queue, place * count + lowest)


class _Crowd:
    """How many positions several tokens share, kept up to date as tokens move.

    Attributes:
        shared: how many.
    """

    def __init__(self, positions: Sequence[Sequence[int]]) -> None:
        self._tokens = [0] * (max(places[-1] for places in positions) + 1)
        for places in positions:
            self._tokens[places[0]] += 1
        self.shared = sum(count > 1 for count in self._tokens)  # whole numbers

    def move(self, before: int, after: int) -> None:
        """A token leaves a position for another."""
        tokens = self._tokens
        tokens[before] -= 1
        if tokens[before] == 1:
            self.shared -= 1
        tokens[after] += 1
        if tokens[after] == 2:
            self.shared += 1
