"""Show cases of the fixtures in a readable form.

On a terminal in colours, each float as its decimal with its bits; elsewhere as indented JSON, as in the fixture.
"""

import json
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.pretty import Pretty

from conformance.cases import fixtures
from conformance.command_line import CommandParser
from conformance.errors import BrokenError
from conformance.paths import FIXTURES
from conformance.wire import values

EPILOG = "exit status: 0 shown, 2 there is no such case"


class Float:
    """A float as it is shown.

    Args:
        encoded: its decimal and its bits.
    """

    def __init__(self, encoded: dict[str, str]) -> None:
        self._shown = f"{encoded['decimal']} ({encoded['bits']})"

    def __repr__(self) -> str:
        """Return the decimal and the bits."""
        return self._shown


def main(arguments: list[str]) -> int:
    """Run the command.

    Raises:
        BrokenError: there is no such case.
    """
    parser = CommandParser("show", __doc__, EPILOG)
    parser.add_argument("case", nargs="+", help="ids of cases, may hold *")
    parser.add_argument("--fixtures", type=Path, default=FIXTURES, metavar="DIR", help="another folder of fixtures")
    options = parser.parse_args(arguments)
    console = Console()
    for pattern in options.case:
        found = fixtures.find(pattern, options.fixtures)
        if not found:
            raise BrokenError(f"there is no case {pattern}; bin/conformance --list lists them")
        for line in found:
            case = fixtures.parse(line)
            if console.is_terminal:
                show(case, console)
            else:
                print(json.dumps(case, ensure_ascii=False, indent=2))
    return 0


def show(case: dict[str, Any], console: Console) -> None:
    """Print a case for a reader."""
    console.print(f"[bold]{escape(case['id'])}[/] {escape(case['summary'])}", highlight=False)
    console.print(Pretty(_shown(case), indent_size=2))


def _shown(encoded: Any) -> Any:
    if values.is_float(encoded):
        return Float(encoded)
    if isinstance(encoded, dict):
        return {key: _shown(value) for key, value in encoded.items()}
    if isinstance(encoded, list):
        return [_shown(value) for value in encoded]
    return encoded
