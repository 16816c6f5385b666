"""Walks by cursor with changes between all steps, as scripts of one index (CUR-2, CUR-7).

Documents come before the place and behind it, go, and move; up to three walks go on at once, old ones next to new ones
from page 1; an index is opened again with another embedding; and a store changes between two reads of one page.
"""

import random
from collections.abc import Callable, Sequence
from typing import Any

OPERATION = "search.script"
CONTENTS = ("red wine", "red wine and cheese", "red car", "white wine list with cheese and bread", "door 规则 6-2-1")
"""The texts of documents: of those with the same one the ids decide, so that a new one is before or behind a place."""
IDS = tuple("abcdefghijklmnopqrstuvwxyz")
QUESTIONS = ("red wine", "red wine", "wine 规则")
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {},
    {"profile": "ragflow", "min_score": 0.0},
    {"profile": "ragflow", "min_score": 0.0},
    {"profile": "ragflow", "min_score": 0.0, "candidates": 4},
    {"fusion": "rrf", "candidates": 5},
    {"order_by": [["metadata.n", "desc"]]},
    {"match_all": True},
    {"match_all": True, "order_by": [["metadata.n", "asc"]]},
    {"diversity": 0.5},
    {"collapse": "metadata.n"},
    {"filters": {"metadata.n": {"lt": 3}}},
)
CACHES: tuple[dict[str, Any] | None, ...] = (None, None, {}, {}, {"max_entries": 1})
LIMITS = (1, 1, 2, 3)
STEPS = range(12, 18)
WALKS = 3
"""The latest pages that may be gone on from."""
WAYS = (
    "next", "next", "next", "next", "next", "next", "add", "add", "add", "update", "update", "delete", "delete",
    "first", "meanwhile", "meanwhile", "tags", "reopen", "each",
)  # fmt: skip

Pick = Callable[[Sequence[Any]], Any]
"""Chooses one of several."""


def drawn(pick: Pick) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the params and the input of a script, as plain data."""
    walk = _Walk(pick)
    return walk.params, {"steps": walk.steps()}


def seeded(seed: int) -> Pick:
    """Return what chooses by a seed, in every version of Python alike."""
    source = random.Random(seed)
    return lambda choices: choices[int(source.random() * len(choices))]


class _Walk:
    """Draws the steps of one script.

    Args:
        pick: chooses.

    Attributes:
        params: of the script.
    """

    def __init__(self, pick: Pick) -> None:
        self._pick = pick
        options = pick(OPTIONS)
        self.params = {"dimension": pick((None, 16)), "options": options, "cache": pick(CACHES)}
        self._question = "" if options.get("match_all") else pick(QUESTIONS)
        self._there: list[str] = []
        self._steps: list[Any] = []
        self._pages: list[int] = []
        self._is_changing = False

    def steps(self) -> list[Any]:
        """Return the steps."""
        self._steps.append(self._add(self._pick((6, 7, 8))))
        self._first()
        while len(self._steps) < self._pick(STEPS):
            getattr(self, f"_{self._pick(WAYS)}_step")()
        self._steps.append(["search", self._question, {"limit": 9}])
        return self._steps

    def _add(self, count: int) -> list[Any]:
        records = []
        for _ in range(count):
            new = [name for name in IDS if name not in self._there]
            if not new:
                break
            self._there.append(self._pick(new))
            number = self._pick((0, 1, 2, 3, 4))
            records.append({"id": self._there[-1], "content": self._pick(CONTENTS), "metadata": {"n": number}})
        return ["add", records]

    def _delete(self) -> list[Any]:
        gone = [self._pick(self._there)] if self._there else []
        self._there = [name for name in self._there if name not in gone]
        return ["delete", gone]

    def _first(self) -> None:
        self._page({})

    def _page(self, options: dict[str, Any]) -> None:
        self._pages = [*self._pages, len(self._steps)][-WALKS:]
        self._steps.append(["search", self._question, {"limit": self._pick(LIMITS), **options}])

    def _next_step(self) -> None:
        self._page({"cursor": {"of": self._pick((self._pages[-1], *self._pages))}})

    def _first_step(self) -> None:
        self._first()

    def _add_step(self) -> None:
        self._steps.append(self._add(self._pick((1, 1, 2))))

    def _delete_step(self) -> None:
        self._steps.append(self._delete())

    def _update_step(self) -> None:
        if self._there:
            changed = {"id": self._pick(self._there), "content": self._pick(CONTENTS)}
            self._steps.append([self._pick(("update", "upsert")), [changed]])

    def _tags_step(self) -> None:
        if self._there:
            self._steps.append(["update", [{"id": self._pick(self._there), "tags": {"x": 1.0}}]])

    def _meanwhile_step(self) -> None:
        self._is_changing = True
        number = self._pick((1, 2, 2, 3))
        self._steps.append(["meanwhile", [[number, self._pick((self._delete, lambda: self._add(1)))()]]])
        self._next_step()

    def _reopen_step(self) -> None:
        if not self._is_changing:
            self._steps.append(["reopen", self._pick((None, 16, 16))])

    def _each_step(self) -> None:
        self._steps.append(["each", self._question])
