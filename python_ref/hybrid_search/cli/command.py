"""The commands with their arguments and flags, from the table for both programs (CUR-5)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from hybrid_search.base import data_table

PROGRAM = "hybrid-search"


@dataclass(frozen=True)
class Argument:
    """The positional arguments of a command.

    Attributes:
        name: the name in help.
        many: whether several arguments are accepted.
        required: whether at least one argument is required.
        choices: the accepted values; empty: any.
        says: the meaning.
    """

    name: str
    many: bool
    required: bool
    choices: Sequence[str]
    says: str


@dataclass(frozen=True)
class Flag:
    """One flag of a command.

    Attributes:
    name: the name without its hyphens.
        value: the name of its value in help; `None` for a switch.
        kind: the type of its value: "text", "integer", "number", "boolean", "json", "list" or "order".
        repeated: whether all occurrences count, and not only the last.
        required: whether the flag must be given.
        default: the value if it is not given.
        choices: the accepted values; empty: any.
        also: its deprecated names.
        option: the option of a search that it sets, if any.
        parameter: its name in messages of the library, if they contain it.
        says: the meaning.
    """

    name: str
    value: str | None
    kind: str
    repeated: bool
    required: bool
    default: Any
    choices: Sequence[str]
    also: Sequence[str]
    option: str | None
    parameter: str | None
    says: str


@dataclass(frozen=True)
class Command:
    """One command.

    Attributes:
        name: the name.
        also: its other names.
        says: the description.
        argument: its positional arguments; `None` if it takes none.
        flags: in the order of help.
        examples: command lines.
    """

    name: str
    also: Sequence[str]
    says: str
    argument: Argument | None
    flags: Sequence[Flag]
    examples: Sequence[str]


@cache
def commands() -> Mapping[str, Command]:
    """Return all commands by name."""
    return {name: of_entry(name, entry) for name, entry in data_table.read("commands.json").items()}


def find(name: str) -> Command | None:
    """Return the command of this name, or `None`."""
    return next((command for command in commands().values() if name in (command.name, *command.also)), None)


def of_entry(name: str, entry: Mapping[str, Any]) -> Command:
    """Return a command from its entry in the table."""
    argument = entry["argument"]
    return Command(
        name=name,
        also=tuple(entry["also"]),
        says=entry["says"],
        argument=None if argument is None else Argument(**argument),
        flags=tuple(Flag(**flag) for flag in entry["flags"]),
        examples=tuple(entry["examples"]),
    )
