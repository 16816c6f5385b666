"""The commands of `hybrid-search` as both programs read them: `commands.yml`, with what options.yml says filled in."""

import re
from collections.abc import Mapping
from typing import Any

from conformance import yaml_files
from conformance.errors import BrokenError
from conformance.generators import options
from conformance.paths import CONFORMANCE

SOURCE = CONFORMANCE / "generators" / "commands.yml"
NAME = re.compile(r"`(\w+)`")
NOT_FOR_HELP = re.compile(r"\b[A-Z]{3}-\d+\b|`(?:Index|Retriever)`")
"""Clauses and classes, which the reader of `--help` does not know."""
COMMON: dict[str, dict[str, Any]] = {"help": {"says": "show this help"}}
"""The flags of every command."""
NO_FLAGS: dict[str, Any] = {
    "name": "",
    "value": None,
    "kind": "text",
    "repeated": False,
    "required": False,
    "default": None,
    "choices": [],
    "also": [],
    "option": None,
    "parameter": None,
    "says": "",
}
NO_ARGUMENT: dict[str, Any] = {"name": "", "many": False, "required": False, "choices": [], "says": ""}


def build() -> dict[str, Any]:
    """Command → what it says, its argument, flags and examples."""
    stated = {option.name: option for option in options.of_method(options.load(), "search")}
    return {name: _command(entry, stated) for name, entry in yaml_files.load(SOURCE).items()}


def _command(entry: Mapping[str, Any], stated: Mapping[str, options.Option]) -> dict[str, Any]:
    own = {**entry.get("flags", {})}
    also = entry.get("also", {})
    taken = {flag_of(name): _option(stated, name) for name in entry.get("options", ())}
    flags = {**own, **taken, **COMMON}
    argument = entry.get("argument")
    return {
        "says": entry["says"],
        "also": list(entry.get("also_called", ())),
        "argument": None if argument is None else _filled(NO_ARGUMENT, argument),
        "flags": [
            _filled(
                NO_FLAGS, {**flag, "name": name, "also": also.get(name, []), "says": _in_flags(flag["says"], flags)}
            )
            for name, flag in flags.items()
        ],
        "examples": list(entry["examples"]),
    }


def flag_of(option: str) -> str:
    """The name of an option's flag."""
    return option.replace("_", "-")


def _filled(known: Mapping[str, Any], entry: Mapping[str, Any]) -> dict[str, Any]:
    if unknown := entry.keys() - known.keys():
        raise BrokenError(f"{SOURCE}: unknown {', '.join(sorted(unknown))} of {entry['name']}")
    return {**known, **entry}


KINDS = {
    "int": ("integer", "N"),
    "int | str | None": ("integer", "N"),
    "float": ("number", "X"),
    "float | None": ("number", "X"),
    "bool": ("text", None),
    "str": ("text", "TEXT"),
    "str | None": ("text", "TEXT"),
    "Mapping[str, float] | None": ("json", "JSON"),
    "FilterData | None": ("json", "JSON"),
    "Mapping[str, Any] | None": ("json", "JSON"),
    "OrderBy | None": ("order", "NAME:asc|desc,…"),
    "Sequence[str] | None": ("list", "NAME,…"),
    "Sequence[str]": ("list", "NAME,…"),
    "Vector | None": ("json", "JSON"),
}
"""Type of an option in Python → the kind of its flag, and what its value is called."""


def _option(stated: Mapping[str, options.Option], name: str) -> dict[str, Any]:
    """Return the flag of an option of a search."""
    if name not in stated:
        raise BrokenError(f"{SOURCE}: there is no option {name}")
    option = stated[name]
    if option.given[0] not in KINDS:
        raise BrokenError(f"{SOURCE}: how is {option.given[0]} read from a command line, the type of {name}?")
    kind, value = ("text", "NAME") if option.choices else KINDS[option.given[0]]
    default = None if value is None or option.index == [] else option.index
    return {
        "value": value,
        "kind": kind,
        "default": default,
        "option": name,
        "parameter": name,
        "choices": list(option.choices),
        "says": option.flag_meaning,
    }


def _in_flags(says: str, flags: Mapping[str, Any]) -> str:
    """Return the text with the names of options as those of flags.

    Raises:
        BrokenError: it cites a clause or names a class.
    """
    if found := NOT_FOR_HELP.search(says):
        raise BrokenError(f"{SOURCE}: a text for --help must not contain {found[0]}: {says}; use flag_says")

    def shown(found: re.Match[str]) -> str:
        flag = flag_of(found[1])
        return f"`--{flag}`" if flag in flags else found[0]

    return NAME.sub(shown, says)
