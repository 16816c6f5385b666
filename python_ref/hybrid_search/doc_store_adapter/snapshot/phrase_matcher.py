"""The frequency of a phrase in a document (DOC-3).

The *place* of a token is its position in the field minus its position in the phrase. In an exact match, all tokens have
the same place. The *distance* of a match is the highest place minus the lowest: as in Lucene, an additional word costs
1, and two neighbours in the wrong order cost 2.
"""

from collections.abc import Sequence
from heapq import heapify, heapreplace


def exact_frequency(positions: Sequence[Sequence[int]]) -> int:
    """Return the number of times that the tokens follow one another in order.

    Args:
        positions: for each token of the phrase, its positions in the field, ascending; none is empty.
    """
    starts = set(positions[0])
    for offset, places in enumerate(positions[1:], start=1):
        starts.intersection_update([place - offset for place in places])
    return len(starts)


def sloppy_frequency(positions: Sequence[Sequence[int]], slop: int, repeats: bool) -> float:
    """Return the sum of `1 / (1 + distance)` over the matches with a distance of at most `slop`.

    Matches are found in one pass. Every token begins at its first position. The token with the lowest place (on a tie
    the first in the phrase) moves forward until it is past the second-lowest place, or has no more positions. The
    smallest distance during this move is one match. Then the token with the lowest place moves, until one has no more
    positions. If a phrase contains a token twice, both at the same position do not match.

    Args:
        positions: for each token of the phrase (two or more), its positions in the field, ascending; none is empty.
        slop: the maximum distance of a match.
        repeats: whether the phrase contains a token twice.
    """
    count = len(positions)
    # A heap of place · count + token: the first entry is the token with the lowest place, on a tie the first in the
    # phrase.
    queue = [(places[0] - index) * count + index for index, places in enumerate(positions)]
    heapify(queue)
    highest = max(queue) // count
    cursors = [0] * count
    crowd = _Crowd(positions) if repeats else None
    frequency = 0.0
    while True:
        place, lowest = divmod(queue[0], count)
        other = min(queue[1:3]) // count  # one of these two is the second-lowest entry of a heap
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
    """The number of positions that several tokens share, updated as tokens move.

    Attributes:
        shared: the number of these positions.
    """

    def __init__(self, positions: Sequence[Sequence[int]]) -> None:
        self._tokens = [0] * (max(places[-1] for places in positions) + 1)
        for places in positions:
            self._tokens[places[0]] += 1
        self.shared = sum(count > 1 for count in self._tokens)  # whole numbers

    def move(self, before: int, after: int) -> None:
        """Move a token from one position to another."""
        tokens = self._tokens
        tokens[before] -= 1
        if tokens[before] == 1:
            self.shared -= 1
        tokens[after] += 1
        if tokens[after] == 2:
            self.shared += 1
