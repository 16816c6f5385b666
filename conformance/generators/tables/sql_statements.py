"""Makes the tables of statements for stores in databases (PG-1, OB-1)."""

import re
from typing import Any

from conformance.paths import ROOT

FOLDER = ROOT / "conformance/generators"


def build(engine: str) -> dict[str, Any]:
    """The content of `data/ENGINE.json`: name → statement, in the order in which they are stated."""
    parts = re.split(r"^--- (\w+)\n", (FOLDER / f"{engine}.sql").read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {name: statement.strip() for name, statement in zip(parts[1::2], parts[2::2], strict=True)}
