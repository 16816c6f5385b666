"""The lists of the parts of conditions: noticed by a case, excused with a reason, or open (CNF-19)."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance import yaml_files
from conformance.conditions.parts import Part
from conformance.errors import BrokenError
from conformance.paths import CONFORMANCE

FOLDER = CONFORMANCE / "conditions"
NOTICED, EXCUSED, OPEN = "noticed.json", "excused.yml", "open.json"
KEYS = {"reason", "parts", "functions", "folders"}
SHORTEST_REASON = 20
ADVICE = "write a case in which it decides alone and run `bin/conformance conditions --find`, or remove the part"


@dataclass(frozen=True)
class Excuse:
    """Why no case need notice parts.

    Attributes:
        reason: in words.
        parts: the texts of alternatives that cases cannot express, wherever they are.
        functions: `file:function`, or `file:function: part`.
        folders: how the names of files begin that other tests judge.
    """

    reason: str
    parts: tuple[str, ...]
    functions: tuple[str, ...]
    folders: tuple[str, ...]

    def covers(self, part: Part) -> bool:
        """Whether it is about a part."""
        place = f"{part.path}:{part.inside}"
        return (
            part.part in self.parts
            or place in self.functions
            or f"{place}: {part.part}" in self.functions
            or part.path.startswith(self.folders)
        )


@dataclass
class Lists:
    """The lists.

    Attributes:
        noticed: the name of a part → the case that notices it.
        excused: the excuses.
        open: the names of parts that are neither noticed nor excused yet; there may only be fewer.
    """

    noticed: dict[str, str]
    excused: list[Excuse]
    open: list[str]

    def problems(self, parts: Sequence[Part]) -> list[str]:
        """Return what is wrong with the lists, a line each.

        Args:
            parts: those of the sources.
        """
        names = {part.name for part in parts}
        waiting = set(self.open)
        lines = [
            f"{part.path}:{part.line}: no case shows that `{part.part}` decides in `{part.condition}`: {ADVICE}"
            for part in parts
            if part.name not in self.noticed and part.name not in waiting and not self.is_excused(part)
        ]
        lines += [f"{NOTICED}: there is no part {name} any more" for name in self.noticed if name not in names]
        lines += [f"{OPEN}: there is no part {name} any more" for name in self.open if name not in names]
        lines += [f"{OPEN}: {name} is noticed by {self.noticed[name]}" for name in self.open if name in self.noticed]
        lines += [
            f"{EXCUSED}: nothing is {what}"
            for excuse in self.excused
            for what, one in _each(excuse)
            if not any(one.covers(part) for part in parts)
        ]
        return lines

    def is_excused(self, part: Part) -> bool:
        """Whether a part has an excuse."""
        return any(excuse.covers(part) for excuse in self.excused)


def _each(excuse: Excuse) -> list[tuple[str, Excuse]]:
    """Each line of an excuse as an excuse of its own."""
    return (
        [(one, Excuse(excuse.reason, (one,), (), ())) for one in excuse.parts]
        + [(one, Excuse(excuse.reason, (), (one,), ())) for one in excuse.functions]
        + [(one, Excuse(excuse.reason, (), (), (one,))) for one in excuse.folders]
    )


def load(folder: Path = FOLDER) -> Lists:
    """Read the lists.

    Raises:
        BrokenError: one is not usable, or a reason is missing.
    """
    excused = []
    for entry in yaml_files.load(folder / EXCUSED):
        if not set(entry) <= KEYS or len(entry.get("reason", "")) < SHORTEST_REASON:
            raise BrokenError(f"{EXCUSED}: each entry must have {', '.join(sorted(KEYS))}, and a reason in words")
        texts = [tuple(entry.get(key, ())) for key in ("parts", "functions", "folders")]
        excused.append(Excuse(entry["reason"], *texts))
    noticed = _flat(json.loads((folder / NOTICED).read_text(encoding="utf-8")))
    return Lists(noticed, excused, sorted(_flat(json.loads((folder / OPEN).read_text(encoding="utf-8")))))


def save(lists: Lists, parts: Sequence[Part], folder: Path = FOLDER) -> None:
    """Write what is noticed and what is open, without parts that are gone."""
    noticed, waiting = {}, {}
    for part in parts:
        if part.name in lists.noticed:
            noticed[part.name] = lists.noticed[part.name]
        elif part.name in lists.open and not lists.is_excused(part):
            waiting[part.name] = part.part
    _write(folder / NOTICED, noticed)
    _write(folder / OPEN, waiting)


def _flat(content: Mapping[str, Mapping[str, Mapping[str, str]]]) -> dict[str, str]:
    return {
        f"{path}:{inside}:{digest}": text
        for path, functions in content.items()
        for inside, own in functions.items()
        for digest, text in own.items()
    }


def _write(path: Path, names: Mapping[str, str]) -> None:
    content: dict[str, dict[str, dict[str, str]]] = {}
    for name, text in names.items():
        file, inside, digest = name.split(":")
        content.setdefault(file, {}).setdefault(inside, {})[digest] = text
    path.write_text(json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")
