"""The entry point of `hybrid-search`: finds and runs the command, and reports errors in one line (CUR-5)."""

import gc
import importlib
import os
import re
import sys
import warnings
from collections.abc import Sequence

import hybrid_search
from hybrid_search.cli import command_line, usage
from hybrid_search.cli import help as help_texts
from hybrid_search.cli.command import PROGRAM, Command, commands, find
from hybrid_search.cli.console import Console
from hybrid_search.cli.usage import UsageError
from hybrid_search.errors import HybridSearchError, InvalidInputError

DONE, FAILED, MISUSED, INTERRUPTED = 0, 1, 2, 130
TRACE = "HYBRID_SEARCH_TRACE"
"""The environment variable that shows the traceback of unexpected errors."""
THREADS = "OPENBLAS_NUM_THREADS"
"""The environment variable with the number of threads that numpy starts to multiply large matrices."""
BARS = "HF_HUB_DISABLE_PROGRESS_BARS"
"""The environment variable that disables the progress bars of libraries that download models."""
ONE_THREAD = ("search", "get", "stats", "delete", "export", "serve")
"""The commands for which these threads cost more than they save: short ones, and the server, which computes several
requests at the same time."""
ALLOCATIONS = 50_000
"""The number of new objects after which Python looks for unused cycles: loading a command makes many that stay."""


def program() -> int:
    """Run the program as a process of its own and return its exit status.

    A short command spends a third of its time on Python's search for unused cycles, most of it at its end.
    """
    gc.set_threshold(ALLOCATIONS)
    status = main()
    gc.freeze()  # the process ends: there is nothing to find
    return status


def main(arguments: Sequence[str] | None = None, console: Console | None = None) -> int:
    """Run the program and return its exit status."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    console = Console() if console is None else console
    who = PROGRAM
    try:
        given = [_utf8(argument) for argument in given]
        command = _named(given)
        who = PROGRAM if command is None else f"{PROGRAM} {command.name}"
        status = _outside(given, console) if command is None else _run(command, given[1:], console)
        console.flush()
        return status
    except BrokenPipeError:
        console.abandon()
        return DONE
    except KeyboardInterrupt as stopped:
        console.complain(who, str(stopped) or "interrupted")
        return INTERRUPTED
    except InvalidInputError as problem:
        console.complain(who, _in_flags(given, str(problem)))
        return MISUSED
    except HybridSearchError as problem:
        console.complain(who, str(problem))
        return FAILED
    except OSError as problem:
        console.complain(who, usage.failed_to("write the output", problem))
        return _unwritten(console)
    except Exception as problem:
        if os.environ.get(TRACE):
            raise
        from hybrid_search.base import validation  # loads numpy, which help does not need

        shown = f"{type(problem).__name__}: {validation.plain_message(problem)}"
        console.complain(who, f"failed unexpectedly: {shown}; {TRACE}=1 shows where")
        return FAILED


def _utf8(argument: str) -> str:
    """Return an argument as it was typed, in every locale."""
    try:
        return os.fsencode(argument).decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError("the command line is not valid UTF-8") from None


def _unwritten(console: Console) -> int:
    console.abandon()
    return FAILED


def _named(given: Sequence[str]) -> Command | None:
    return find(given[0]) if given else None


def _run(command: Command, given: Sequence[str], console: Console) -> int:
    line = command_line.parse(command, given)
    if "help" in line.flags:
        console.write(command_line.help_of(command))
        return DONE
    if command.name in ONE_THREAD:
        os.environ.setdefault(THREADS, "1")
    if not console.has_terminal_for_errors:
        _without_bars()
    status: int = importlib.import_module(f"hybrid_search.cli.commands.{command.name}").run(line, console)
    return status


def _without_bars() -> None:
    """Disable the progress bars of libraries that download models: standard error is a pipe or a file."""
    os.environ.setdefault(BARS, "1")
    # One of them tries to enable the bars nevertheless, and is refused with a warning.
    warnings.filterwarnings("ignore", "Cannot enable progress bars", UserWarning)


def _outside(given: Sequence[str], console: Console) -> int:
    """Handle arguments of the program itself."""
    if not given:
        raise UsageError(f"a command is missing: {', '.join(commands())}; {PROGRAM} --help shows more")
    if given[0] in ("-h", "--help"):
        console.write(help_texts.of_program())
        return DONE
    if given[0] == "--version":
        console.write(f"{PROGRAM} {hybrid_search.__version__}\n")
        return DONE
    raise usage.unknown("flag" if given[0].startswith("-") else "command", given[0], _known(given[0]))


def _known(name: str) -> dict[str, str]:
    flags = ("--help", "--version")
    if name.startswith("-"):
        return {flag: flag for flag in flags}
    return {each: each for command in commands().values() for each in (command.name, *command.also, *flags)}


def _in_flags(given: Sequence[str], message: str) -> str:
    """Return a message about a parameter of the library with the name of its flag."""
    command = _named(given)
    names = {} if command is None else {flag.parameter: flag.name for flag in command.flags if flag.parameter}
    found = re.match(r"(\w+)(?=(?:\[\d+\])* )", message)
    if found is None or found[1] not in names:
        return message
    return f"--{names[found[1]]}{message[found.end() :]}"
