"""Measures patterns and operations, and looks again at what seems to grow too fast."""

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain

from conformance.growth.measuring import FACTOR, SHORTEST, Growth
from conformance.growth.patterns import PATTERNS
from conformance.growth.workers import Worker

SECOND_LOOKS = ((2, 3), (4, 3), (8, 3))
"""How many times larger the texts are, and how often each is tried, when something is looked at again."""
SHORTER = 4
"""How many times shorter the texts are where document and question grow."""
LONGER = 16
"""How many times longer the texts are where costs are hardly there."""
AGAIN = 2
"""How often what a survey suspects is measured by itself."""
PATIENCE = 4.0
"""Seconds of processor time: what would take longer is not looked at again."""


def measure(worker: Worker, operation: str, pattern: str, size: int, repeats: int) -> Growth:
    """The cost of a pattern at two sizes; where document and question grow, both are shorter."""
    power = 2 if operation.endswith("_both") else 1
    size //= SHORTER ** (power - 1)
    texts = [PATTERNS[pattern](length) for length in (size, FACTOR * size)]
    short, long = worker.seconds(operation, texts, repeats)
    return Growth(worker.language, operation, pattern, size, short, long, power)


def expected(found: Growth, size: int) -> float:
    """Seconds of processor time that the long text will cost at another size, if the cost goes on growing as it did.

    Args:
        found: what was measured.
        size: the size that `measure` would be given for the next look.
    """
    shorter = SHORTER ** (found.power - 1)
    return found.long * math.pow(found.ratio, math.log(size / (shorter * found.size), FACTOR))


def judged(worker: Worker, operation: str, pattern: str, size: int) -> Growth:
    """The cost of a pattern; what is suspect is measured again, longer and more often, and the last measurement counts.

    Noise passes, and costs that set in once with a longer text pass, too: only what goes on growing is left. Costs that
    are hardly there are measured with longer texts from the beginning.
    """
    found = measure(worker, operation, pattern, size, repeats=1)
    if found.long < SHORTEST:
        size *= LONGER
        found = measure(worker, operation, pattern, size, repeats=1)
    for larger, repeats in SECOND_LOOKS:
        if not found.is_suspect or expected(found, size * larger) > PATIENCE:
            break
        found = measure(worker, operation, pattern, size * larger, repeats)
    return found


def survey(
    languages: Sequence[str],
    operations: Callable[[str], bool],
    patterns: Sequence[str],
    size: int,
    tell: Callable[[Growth], None] = lambda _: None,
) -> list[Growth]:
    """Every pattern in every operation, the languages side by side.

    Args:
        languages: of `python` and `ruby`.
        operations: tells of a name whether the operation is wanted.
        patterns: names of `PATTERNS`.
        size: code points of the short text, 2 or more.
        tell: is told of each measurement when it is made.
    """

    def one(language: str) -> list[Growth]:
        found = []
        with Worker(language) as worker:
            for operation in filter(operations, worker.operations()):
                for pattern in patterns:
                    found.append(judged(worker, operation, pattern, size))
                    tell(found[-1])
        return found

    with ThreadPoolExecutor(len(languages)) as together:
        return list(chain.from_iterable(together.map(one, languages)))


def confirmed(found: Sequence[Growth], size: int) -> list[Growth]:
    """Those that are suspect, and are so again twice when they are measured by themselves in new processes.

    Args:
        found: what a survey gave.
        size: code points of the short text, as in that survey.
    """
    return [one for one in found if one.is_suspect and all(_alone(one, size).is_suspect for _ in range(AGAIN))]


def _alone(one: Growth, size: int) -> Growth:
    with Worker(one.language) as worker:
        return judged(worker, one.operation, one.pattern, size)
