"""Makes what command lines of `hybrid-search` must print: what the reference prints (CUR-5)."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from conformance.command_lines import session


def files() -> Iterator[tuple[Path, bytes]]:
    """The golden file with its content."""
    told = {}
    for each in session.load():
        with tempfile.TemporaryDirectory() as folder:
            told[each.name] = session.run(each, Path(folder), (session.PYTHON,))
    text = json.dumps(told, ensure_ascii=False, indent=1)
    yield session.FOLDER / "golden.json", f"{text}\n".encode()
