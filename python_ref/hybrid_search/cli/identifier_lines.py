"""Reads the ids of documents from arguments or standard input (CUR-5)."""

from collections.abc import Iterator, Sequence

from hybrid_search.cli.console import Console
from hybrid_search.cli.record_lines import STANDARD_INPUT, InputError

BATCH = 1000
"""The maximum number of documents that are read or removed at once."""
LONGEST_LINE = 1024 * 1024


def batches(arguments: Sequence[str], console: Console) -> Iterator[list[str]]:
    """Yield the ids of arguments, up to `BATCH` at once.

    Args:
        arguments: ids; `-` stands for the ids on standard input, one on each line.
        console: provides standard input.

    Raises:
        InputError: a line is not valid UTF-8, or too long.
    """
    batch: list[str] = []
    for identifier in _identifiers(arguments, console):
        batch.append(identifier)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _identifiers(arguments: Sequence[str], console: Console) -> Iterator[str]:
    for argument in arguments:
        if argument != STANDARD_INPUT:
            yield argument
            continue
        number = 0
        while data := console.stdin.readline(LONGEST_LINE + 1):
            number += 1
            try:
                text = data.decode("utf-8").rstrip("\r\n")
            except UnicodeDecodeError:
                raise InputError(f"{STANDARD_INPUT}:{number}: not valid UTF-8") from None
            if len(data) > LONGEST_LINE:
                raise InputError(f"{STANDARD_INPUT}:{number}: the line has more than {LONGEST_LINE} bytes")
            if text:
                yield text
