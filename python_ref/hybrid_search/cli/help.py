"""The help of the program and of each command, made from their table (CUR-5)."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from hybrid_search.cli.command import PROGRAM, Argument, Command, Flag, commands

WIDTH = 80
STATUS = (
    "exit status: 0 success, also when the reader closes the output; 1 failure, or a document that get did not find; "
    "2 the command line is not accepted; 3 success, but locate found no index for an instance; 130 interrupted"
)


def of_program() -> str:
    """The help of `hybrid-search` itself."""
    lines = [
        f"usage: {PROGRAM} COMMAND [FLAGS]",
        "",
        "Hybrid retrieval for Chinese and English: an index in one file, and the pages of its answers.",
        "",
    ]
    lines += [f"  {name:<11} {command.says}" for name, command in commands().items()]
    lines += ["", f"  {PROGRAM} COMMAND --help    its flags and examples"]
    lines += [f"  {PROGRAM} --version", "", *wrapped(STATUS, "")]
    return "\n".join(lines) + "\n"


def of_command(command: Command) -> str:
    """The help of one command."""
    usage = [PROGRAM, command.name]
    if command.argument is not None:
        usage.append(_argument(command.argument))
    usage += [f"--{flag.name} {flag.value}" for flag in command.flags if flag.required]
    lines = [f"usage: {' '.join(usage)} [FLAGS]", "", *wrapped(_says(command), ""), ""]
    if command.argument is not None:
        lines += [f"  {command.argument.name}", *wrapped(command.argument.says, " " * 6)]
    for flag in command.flags:
        lines += _flag(flag)
    lines += ["", "examples:", *(f"  {example}" for example in command.examples), "", *wrapped(STATUS, "")]
    return "\n".join(lines) + "\n"


def _says(command: Command) -> str:
    says = f"{command.says[0].upper()}{command.says[1:]}."
    return f"{says} Also called {' and '.join(command.also)}." if command.also else says


def _argument(argument: Argument) -> str:
    name = f"{argument.name}…" if argument.many else argument.name
    return name if argument.required else f"[{name}]"


def _flag(flag: Flag) -> Iterator[str]:
    names = "-h, --help" if flag.name == "help" else f"--{flag.name}"
    yield f"  {names}" if flag.value is None else f"  {names} {flag.value}"
    yield from wrapped("; ".join(facts(flag)), " " * 6)


def facts(flag: Flag) -> list[str]:
    """All that is said of a flag."""
    told = [flag.says]
    if flag.choices and flag.option is None:  # the meaning of an option lists its choices
        told.append(f"one of {', '.join(flag.choices)}")
    if flag.required:
        told.append("required")
    if flag.repeated:
        told.append("may be given more than once")
    if flag.default is not None:
        told.append(f"default: {_default(flag.default)}")
    if flag.also:
        told.append(f"{', '.join(f'--{name}' for name in flag.also)}: deprecated names for it")
    return told


def _default(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def wrapped(text: str, indent: str) -> Sequence[str]:
    """A text in lines of at most 80 characters, words left whole."""
    lines: list[str] = []
    line = indent
    for word in text.split(" "):
        if len(line) + len(word) + 1 > WIDTH and line != indent:
            lines.append(line)
            line = indent
        line = line + word if line == indent else f"{line} {word}"
    return [*lines, line]
