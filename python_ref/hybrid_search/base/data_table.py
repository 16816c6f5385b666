"""The generated tables beside the modules, in `data/`."""

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "data"


def read(name: str) -> dict[str, Any]:
    """What a table holds."""
    table: dict[str, Any] = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    return table
