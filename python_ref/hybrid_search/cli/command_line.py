"""Parses a command line by the table of its command (CUR-5).

Flags may come before, between and after arguments; `--name value` and `--name=value` are the same, and everything after
`--` is an argument. Names are written in full; underscores may replace their hyphens. Of a flag that is given twice,
the last value counts, unless the flag may be repeated. A flag of kind "boolean" may also have no value, which means
true, and be written `--no-NAME`.
"""

import optparse
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from hybrid_search.base import scalar_text
from hybrid_search.cli import help as help_texts
from hybrid_search.cli import usage
from hybrid_search.cli.command import Command, Flag
from hybrid_search.cli.usage import UsageError

BOOLEAN = "boolean"
FLAG = re.compile(r"(?:\A|(?<= ))--?\S+")


@dataclass(frozen=True)
class CommandLine:
    """The arguments and flags of a command line.

    Attributes:
        command: the command.
        arguments: the positional arguments, in order.
        flags: name → value of the flags that were given, and of those that have a default.
    """

    command: Command
    arguments: Sequence[str]
    flags: Mapping[str, Any]

    @property
    def options(self) -> dict[str, Any]:
        """The options of a search that were given, by their own names."""
        options = ((flag.option, flag.name) for flag in self.command.flags)
        return {option: self.flags[name] for option, name in options if option and name in self.flags}


def parse(command: Command, given: Sequence[str]) -> CommandLine:
    """Parse the arguments of a command.

    Raises:
        UsageError: an unknown flag, a value that is missing or not accepted, too many or too few arguments.
    """
    values, arguments = _parser(command).parse_args(_spelled(command, given))
    found = {name: value for name, value in vars(values).items() if value is not None}
    flags: dict[str, Any] = {}
    for flag in command.flags:
        if flag.name in found:
            flags[flag.name] = _value(flag, found[flag.name])
        elif flag.default is not None and flag.option is None:
            flags[flag.name] = flag.default
    if "help" not in flags:
        _check(command, flags, arguments)
    return CommandLine(command, tuple(arguments), flags)


def help_of(command: Command) -> str:
    """Return the help of a command, formatted for the width of the terminal."""
    return _parser(command).format_help()


def _spelled(command: Command, given: Sequence[str]) -> list[str]:
    """Write out flags of kind "boolean", which may have no value or be negated, as `--name=true` or `--name=false`."""
    flags = {f"--{name}": flag for flag in command.flags for name in (flag.name, *flag.also)}
    spelled: list[str] = []
    waiting = list(reversed(given))
    while waiting:
        text = waiting.pop()
        if text == "--":
            return [*spelled, text, *reversed(waiting)]
        name, equals, _ = text.partition("=")
        flag = flags.get(name.replace("_", "-"))
        denied = flags.get(f"--{name.replace('_', '-').removeprefix('--no-')}")
        if denied is not None and denied.kind == BOOLEAN and flag is None:
            if equals:
                raise UsageError(f"{name} takes no value")
            spelled.append(f"--{denied.name}=false")
        elif flag is not None and flag.kind == BOOLEAN and not equals:
            value = waiting.pop() if waiting and waiting[-1] in flag.choices else "true"
            spelled.append(f"--{flag.name}={value}")
        else:
            spelled.append(text)
            if flag is not None and flag.value is not None and not equals and waiting:
                spelled.append(waiting.pop())
    return spelled


class _Parser(optparse.OptionParser):
    """Python's parser with the messages of both programs; names are written in full."""

    def __init__(self, command: Command) -> None:
        super().__init__(
            add_help_option=False,
            usage=help_texts.usage(command),
            description=help_texts.description(command),
            epilog=help_texts.examples(command),
        )
        self._command = command

    def format_epilog(self, _formatter: optparse.HelpFormatter) -> str:
        return f"\n{self.epilog}"  # unchanged: the formatter would refill the examples

    def _match_long_opt(self, opt: str) -> str:
        if opt not in self._long_opt:
            raise unknown_flag(self._command, opt)
        return opt

    def error(self, msg: str) -> NoReturn:
        (name,) = FLAG.findall(msg)
        if msg.startswith(name):
            raise UsageError(f"{name} {'needs a' if 'requires' in msg else 'takes no'} value")
        raise unknown_flag(self._command, name)


def unknown_flag(command: Command, name: str) -> UsageError:
    """Return the error for a flag that a command does not have."""
    known = {f"--{each}": f"--{flag.name}" for flag in command.flags for each in (flag.name, *flag.also)}
    if command.argument is not None:
        known[command.argument.name] = f"{command.argument.name} without a flag"
    return usage.unknown("flag", name, known)


def _parser(command: Command) -> _Parser:
    parser = _Parser(command)
    for flag in command.flags:
        for name in dict.fromkeys((flag.name, *flag.also, flag.name.replace("-", "_"))):
            names = ["-h", "--help"] if name == "help" else [f"--{name}"]
            says = help_texts.of_flag(flag) if name == flag.name else optparse.SUPPRESS_HELP
            action = "store_true" if flag.value is None else "append"
            parser.add_option(*names, dest=flag.name, action=action, metavar=flag.value, help=says)
    return parser


def _check(command: Command, flags: Mapping[str, Any], arguments: Sequence[str]) -> None:
    missing = next((flag for flag in command.flags if flag.required and flag.name not in flags), None)
    if missing is not None:
        raise UsageError(f"--{missing.name} {missing.value} is missing: {missing.says}")
    argument = command.argument
    most = 0 if argument is None else None if argument.many else 1
    if most is not None and len(arguments) > most:
        raise UsageError(f"{usage.shown(arguments[most])} is one argument too many")
    if argument is None:
        return
    if argument.required and not arguments:
        raise UsageError(f"{argument.name} is missing: {argument.says}")
    for given in arguments if argument.choices else ():
        _choose(argument.name, given, argument.choices)


def _value(flag: Flag, given: Any) -> Any:
    """Return the value of a flag from all the texts given for it."""
    if flag.value is None:
        return True
    if flag.kind == "list":
        given = [item for text in (given if flag.repeated else given[-1:]) for item in text.split(",")]
    for text in given if flag.choices else ():
        _choose(f"--{flag.name}", text, flag.choices)
    if flag.kind == "list":
        return given
    if flag.repeated:
        return list(given)
    return _read(flag, given[-1])


def _read(flag: Flag, text: str) -> Any:
    """Return the value of a text; one of another type stays a text, which the option's check refuses by name."""
    if flag.kind == "integer":
        integer = scalar_text.integer(text)
        return text if integer is None else integer
    if flag.kind == "number":
        number = scalar_text.number(text)
        return text if number is None else number
    if flag.kind == "order":
        return [_direction(item) for item in text.split(",")]
    if flag.kind == BOOLEAN:
        return text == "true"
    return _json(flag, text) if flag.kind == "json" else text


def _direction(item: str) -> list[str]:
    name, colon, direction = item.rpartition(":")
    return [name, direction] if colon else [item, "asc"]


def _json(flag: Flag, text: str) -> Any:
    from hybrid_search.base import strict_json

    try:
        return strict_json.parse(text)
    except (ValueError, UnicodeEncodeError):
        raise UsageError(f"--{flag.name} must be JSON, not {usage.shown(text)}") from None


def _choose(name: str, given: str, choices: Sequence[str]) -> None:
    if given not in choices:
        raise UsageError(f"{name} must be one of {', '.join(choices)}, not {usage.shown(given)}")
