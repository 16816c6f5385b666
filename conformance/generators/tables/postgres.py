"""Makes the table of statements for collections in PostgreSQL (PG-1)."""

import re
from typing import Any

from conformance.paths import ROOT

SOURCE = ROOT / "conformance/generators/postgres.sql"


def build() -> dict[str, Any]:
    """The content of `data/postgres.json`: name → statement, in the order in which they are stated."""
    parts = re.split(r"^--- (\w+)\n", SOURCE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {name: statement.strip() for name, statement in zip(parts[1::2], parts[2::2], strict=True)}
