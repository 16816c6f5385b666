"""Makes the texts of `--help` from the table of commands; the parsers format them (CUR-5)."""

import json
from typing import Any

from hybrid_search.cli.command import PROGRAM, Command, Flag, commands

STATUS = (
    "exit status: 0 success, also when the reader closes the output; 1 failure, or a document that get did not find;\n"
    "2 the command line is not accepted; 3 success, but locate found no index for an instance; 130 interrupted\n"
)


def of_program() -> str:
    """Return the help of `hybrid-search` itself."""
    listed = "".join(f"  {name:<11} {command.says}\n" for name, command in commands().items())
    return (
        f"usage: {PROGRAM} COMMAND [FLAGS]\n\n"
        "Hybrid retrieval for Chinese and English: an index in one file, and the pages of its answers.\n\n"
        f"{listed}\n  {PROGRAM} COMMAND --help    its flags and examples\n  {PROGRAM} --version\n\n{STATUS}"
    )


def usage(command: Command) -> str:
    """Return the synopsis of a command."""
    words = [PROGRAM, command.name]
    if (argument := command.argument) is not None:
        name = f"{argument.name}…" if argument.many else argument.name
        words.append(name if argument.required else f"[{name}]")
    words += [f"--{flag.name} {flag.value}" for flag in command.flags if flag.required]
    return " ".join([*words, "[FLAGS]"])


def description(command: Command) -> str:
    """Return the description of a command and of its arguments."""
    also = f" Also called {' and '.join(command.also)}." if command.also else ""
    argument = f" {command.argument.name}: {command.argument.says}." if command.argument else ""
    return f"{command.says[0].upper()}{command.says[1:]}.{also}{argument}"


def examples(command: Command) -> str:
    """Return the examples of a command, and the exit statuses."""
    return "".join(["examples:\n", *(f"  {example}\n" for example in command.examples), f"\n{STATUS}"])


def of_flag(flag: Flag) -> str:
    """Return the meaning of a flag, its choices, its default and its other names."""
    facts = [flag.says]
    if flag.choices and flag.option is None:  # the meaning of an option lists its choices
        facts.append(f"one of {', '.join(flag.choices)}")
    if flag.required:
        facts.append("required")
    if flag.repeated:
        facts.append("may be given more than once")
    if flag.default is not None:
        facts.append(f"default: {_default(flag.default)}")
    if flag.also:
        facts.append(f"{', '.join(f'--{name}' for name in flag.also)}: deprecated names for it")
    return "; ".join(facts)


def _default(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
