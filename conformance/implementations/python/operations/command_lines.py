"""Command lines of `hybrid-search` in this process (CUR-5): see `conformance/command_lines/cases.yml`."""

from pathlib import Path
from typing import Any

from conformance.command_lines import session
from conformance.implementations.python import stores
from conformance.implementations.python.registry import Trace, operation


@operation("command_lines.code_index")
def code_index(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """Return the same of a session with `code_index`, which only the Python program has."""
    return steps(params, given, trace)


@operation("command_lines.session")
def steps(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """Return what each command line of a session prints, its exit status, and the files that it changes."""
    wanted = next(each for each in session.load() if each.name == given["session"])
    with stores.temporary_folder() as folder:
        return session.run(wanted, Path(folder), (session.PYTHON,))
