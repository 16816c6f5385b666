"""The options of `options.yml`, as what writes them reads them."""

import json
import re
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance import yaml_files
from conformance.errors import BrokenError
from conformance.paths import CONFORMANCE

SOURCE = CONFORMANCE / "generators" / "options.yml"
WIDTH = 120
CITATION = re.compile(r" \(([A-Z]+-\d+)\)\Z")
"""The clause that tells how an option acts; pages for newcomers do without, but for a link."""


@dataclass(frozen=True)
class Option:
    """One option.

    Attributes:
        name: its name, the same in both languages.
        default: what counts where it is not given.
        index: what counts in an `Index` then.
        says: what it means to a `Retriever`.
        given: its type where it is given, in Python and in RBS.
        checked: its type in a checked request; none: it has no part of its own there.
        method: the one method that takes it, "retrieve" or "search"; none: both do.
        once: whether the constructor does not take it.
        choices: its only values, each with its meaning, which may be empty; empty: any value of its type.
        sets: of a choice the options that it sets.
        search_says: what it means to an `Index`.
        search_choices: its choices with what they mean to an `Index`.
        flag_says: its meaning in `--help`; empty: that of an `Index`.
    """

    name: str
    default: Any
    index: Any
    says: str
    given: tuple[str, str]
    checked: tuple[str, str] | None
    method: str | None = None
    once: bool = False
    choices: Mapping[str, str] = field(default_factory=dict)
    sets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    search_says: str = ""
    search_choices: Mapping[str, str] = field(default_factory=dict)
    flag_says: str = ""

    @property
    def meaning(self) -> str:
        """Return what it means to a `Retriever`, with its choices, for pages that do not cite clauses."""
        return _with_choices(self.says, self.choices)

    @property
    def search_meaning(self) -> str:
        """Return what it means to an `Index`, likewise."""
        return _with_choices(self.search_says or self.says, self.search_choices or self.choices)

    @property
    def flag_meaning(self) -> str:
        """Return its meaning in `--help`, likewise."""
        says = self.flag_says or self.search_says or self.says
        return _with_choices(says, self.search_choices or self.choices)

    def of(self, method: str) -> str:
        """Return what it means to a method, with its choices."""
        return self.search_meaning if method == "search" else self.meaning

    def cited(self, method: str) -> str:
        """Return what it means to a method, with its choices and its clause."""
        return f"{self.of(method)} ({self.clause})"

    def default_of(self, method: str) -> Any:
        """Return its value where a method is not given it."""
        return self.index if method == "search" else self.default

    @property
    def python_type(self) -> str:
        """Its type where it is given in Python: of choices, these alone."""
        if not self.choices:
            return self.given[0]
        optional = " | None" if self.given[0].endswith(" | None") else ""
        return f"Literal[{', '.join(map(json.dumps, self.choices))}]{optional}"

    @property
    def clause(self) -> str:
        """The clause that tells how it acts: what its meaning ends with.

        Raises:
            BrokenError: it ends otherwise.
        """
        found = CITATION.search(self.says)
        if found is None:
            raise BrokenError(f"{SOURCE}: what is said of {self.name} must end with a clause in brackets")
        return found[1]


def _with_choices(says: str, choices: Mapping[str, str]) -> str:
    says = CITATION.sub("", says)
    return f"{says}: {_listed(choices)}" if choices else says


def _listed(choices: Mapping[str, str]) -> str:
    """The choices in quotes with their meanings in brackets."""
    shown = [f'"{name}" ({says})' if says else f'"{name}"' for name, says in choices.items()]
    return f"{', '.join(shown[:-1])} or {shown[-1]}"


Lines = Callable[[list[Option]], list[str]]
"""Makes the lines between two marks."""


def load(path: Path = SOURCE) -> list[Option]:
    """The options, in the order in which they are told."""
    return [_option(name, entry) for name, entry in yaml_files.load(path).items()]


def _option(name: str, entry: Mapping[str, Any]) -> Option:
    given = (entry["given"][0], entry["given"][1])
    listed = entry.get("checked", given)
    checked = None if listed is None else (listed[0], listed[1])
    default = entry["default"]
    of_index = entry.get("index", default)
    choices = entry.get("choices", {})
    return Option(
        entry.get("name", name),
        default,
        of_index,
        entry["says"],
        given,
        checked,
        entry.get("of"),
        entry.get("once", False),
        {choice: stated.get("says", "") for choice, stated in choices.items()},
        {choice: stated["sets"] for choice, stated in choices.items() if "sets" in stated},
        entry.get("search_says", ""),
        {choice: stated.get("search_says", stated.get("says", "")) for choice, stated in choices.items()},
        entry.get("flag_says", ""),
    )


def fusion_methods(options: list[Option]) -> list[str]:
    """Return the names of the fusion methods."""
    return [method for option in options if option.name == "fusion" for method in option.choices]


def of_method(options: list[Option], method: str) -> list[Option]:
    """Those that a method takes."""
    return [option for option in options if option.method in (None, method)]


def wrapped(text: str, first: str, later: str, room: int) -> list[str]:
    """Return a text in lines, the first and the later ones with their beginnings."""
    return textwrap.wrap(
        text, room, initial_indent=first, subsequent_indent=later, break_long_words=False, break_on_hyphens=False
    )


def profiles(options: list[Option]) -> Mapping[str, Mapping[str, Any]]:
    """Return profile → the options that it sets."""
    return next((option.sets for option in options if option.sets), {})
