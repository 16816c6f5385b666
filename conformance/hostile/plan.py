"""Which calls are made, in which processes."""

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from conformance.hostile.behaviours import BEHAVIOURS, MEGABYTE, SILENCE, Behaviour
from conformance.hostile.server import HostileServer

KEY = "sk-Very.Secret-0123456789"
QUERY_KEY = "qk_Hidden-9876543210"
LANGUAGES = ("python", "ruby")
DEADLINES = (0.3, 0.5, 1.0)
AT_ONCE = 90
MEASURED_AT_ONCE = 12
OPTIONS = {"max_retries": 0, "max_response_bytes": MEGABYTE}
LARGE = 1_000_000
GOOD = SILENCE[0]


@dataclass(frozen=True)
class Call:
    """One call.

    Attributes:
        behaviour: of the server.
        language: of the client.
        where: `fresh main`, `fresh thread`, `measured` or `crowd`.
        given: what the process is told.
    """

    behaviour: Behaviour
    language: str
    where: str
    given: dict[str, Any]


@dataclass(frozen=True)
class Job:
    """One process and its calls, one language and one `where`."""

    calls: list[Call]
    before: list[dict[str, Any]] = field(default_factory=list)


class Plan:
    """Makes calls and jobs.

    Args:
        server: whom to call.
        seed: for the order and the deadlines.
        pattern: a part of the names of the behaviours that are wanted.
    """

    def __init__(self, server: HostileServer, seed: int, pattern: str = "") -> None:
        self._server = server
        self._random = random.Random(seed)
        self._behaviours = [behaviour for behaviour in BEHAVIOURS if pattern in behaviour.name]
        self._numbers = itertools.count()

    def jobs(self, calls: int, languages: tuple[str, ...] = LANGUAGES) -> Iterator[Job]:
        """So many calls: each behaviour with its memory measured, each in a fresh process, the rest in crowds.

        Few calls leave behaviours out, evenly.
        """
        each = max(1, calls // len(languages))
        for language in languages:
            alone = self._behaviours[:: max(1, -(-2 * len(self._behaviours) // each))]
            yield from self._measured(alone, language)
            for number, behaviour in enumerate(alone):
                yield Job([self._call(behaviour, language, ("fresh main", "fresh thread")[number % 2])])
            yield from self._crowds(each - 2 * len(alone), language)

    def again(self, call: Call) -> Job:
        """A call once more, in a process of its own."""
        return Job([Call(call.behaviour, call.language, "again", call.given)], self._before())

    def _measured(self, behaviours: list[Behaviour], language: str) -> Iterator[Job]:
        light = [self._call(behaviour, language, "measured") for behaviour in behaviours if not behaviour.heavy]
        for start in range(0, len(light), MEASURED_AT_ONCE):
            yield Job(light[start : start + MEASURED_AT_ONCE], self._before())
        for behaviour in behaviours:
            if behaviour.heavy:
                yield Job([self._call(behaviour, language, "measured")], self._before())

    def _crowds(self, count: int, language: str) -> Iterator[Job]:
        light = [behaviour for behaviour in self._behaviours if not behaviour.heavy]
        chosen = list(itertools.islice(itertools.cycle(light), max(0, count))) if light else []
        self._random.shuffle(chosen)
        for start in range(0, len(chosen), AT_ONCE):
            yield Job([self._call(item, language, "crowd") for item in chosen[start : start + AT_ONCE]], self._before())

    def _before(self) -> list[dict[str, Any]]:
        """What loads whatever a client needs, so that only calls are measured."""
        secure = next(behaviour for behaviour in BEHAVIOURS if behaviour.name == "tls_good")
        return [self._call(behaviour, "", "").given for behaviour in (GOOD, secure)]

    def _call(self, behaviour: Behaviour, language: str, where: str) -> Call:
        options = {**OPTIONS, "deadline": self._random.choice(DEADLINES), **behaviour.options}
        given = {
            "id": next(self._numbers),
            "kind": "embedder" if self._random.random() < 0.2 and not behaviour.told else "reranker",
            "url": f"{self._server.url(behaviour)}/{behaviour.name}?key={QUERY_KEY}",
            "options": options,
            "texts": ["a", "b"],
            "repeat": LARGE if behaviour.large else 1,
        }
        return Call(behaviour, language, where, given)
