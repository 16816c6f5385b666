"""The commands, their arguments and flags, as they are stated for both programs (CUR-5)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from hybrid_search.base import data_table

PROGRAM = "hybrid-search"


@dataclass(frozen=True)
class Argument:
    """What a command is given besides flags.

    Attributes:
        name: what it is called in help.
        many: whether there may be more than one.
        required: whether there must be one.
        choices: the only ones there are; empty: any.
        says: what it means.
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
        name: without its hyphens.
        value: what its value is called in help; none: a switch.
        kind: how its value is read: "text", "integer", "number", "boolean", "json", "list" or "order".
        repeated: whether each time counts that it is given, not only the last.
        required: whether it must be given.
        default: what counts where it is not given.
        choices: the only values there are; empty: any.
        also: its deprecated names.
        option: the option of a search that it gives, if it is one.
        parameter: what messages of the library call it, if they know it.
        says: what it means.
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
        name: what it is called.
        also: its other names.
        says: what it does.
        argument: what it is given besides flags, none: nothing.
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
    """All commands by name."""
    return {name: of_entry(name, entry) for name, entry in data_table.read("commands.json").items()}


def find(name: str) -> Command | None:
    """Return the command with a name, none where there is none."""
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
