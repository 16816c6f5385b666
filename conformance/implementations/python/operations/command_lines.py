"""Command lines of `hybrid-search` in this process (CUR-5): the sessions of `conformance/command_lines/cases.yml`."""

from pathlib import Path
from typing import Any

from conformance.command_lines import session
from conformance.implementations.python import stores
from conformance.implementations.python.registry import Trace, operation


@operation("command_lines.session")
def steps(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """What each command line of a session prints, its exit status, and which files it changes."""
    wanted = next(each for each in session.load() if each.name == given["session"])
    with stores.temporary_folder() as folder:
        return session.run(wanted, Path(folder), (session.PYTHON,))
