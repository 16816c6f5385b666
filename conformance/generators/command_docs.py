"""Writes what `commands.yml` says of each command into docs/cli.md (CUR-5)."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from conformance.generators import options
from conformance.generators.tables import commands
from conformance.paths import ROOT

PAGE = "docs/cli.md"


def files() -> Iterator[tuple[Path, bytes]]:
    """The page with its content."""
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    for name, command in commands.build().items():
        text = options.placed(PAGE, text, f"{name}-flags", _table(command))
    yield ROOT / PAGE, text.encode("utf-8")


def _table(command: Mapping[str, Any]) -> list[str]:
    lines = ["| argument, flag | default | meaning |", "|---|---|---|"]
    argument = command["argument"]
    if argument is not None:
        lines.append(_row(argument["name"] + ("…" if argument["many"] else ""), "", argument["says"]))
    for flag in command["flags"]:
        names = f"--{flag['name']}" if flag["value"] is None else f"--{flag['name']} {flag['value']}"
        default = "required" if flag["required"] else "" if flag["default"] is None else f"`{flag['default']}`"
        lines.append(_row(names, default, "; ".join(_facts(flag))))
    return lines


def _facts(flag: Mapping[str, Any]) -> Iterator[str]:
    yield flag["says"]
    if flag["choices"] and flag["option"] is None:  # the meaning of an option lists its choices
        yield f"one of {', '.join(f'`{choice}`' for choice in flag['choices'])}"
    if flag["repeated"]:
        yield "may be given more than once"
    if flag["also"]:
        yield f"{', '.join(f'`--{name}`' for name in flag['also'])}: deprecated names for it"


def _row(names: str, default: str, says: str) -> str:
    return "| " + " | ".join((f"`{names.replace('|', chr(92) + '|')}`", default, says.replace("|", "\\|"))) + " |"
