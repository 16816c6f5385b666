"""Reads the generated tables of the package, in its folder `data/`."""

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "data"


def read(name: str) -> dict[str, Any]:
    """Return the contents of a table."""
    table: dict[str, Any] = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    return table
