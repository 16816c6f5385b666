"""The lists people keep beside the harness, read from YAML."""

from pathlib import Path
from typing import Any

import yaml

from conformance.errors import BrokenError


def load(path: Path) -> Any:
    """A YAML file.

    Raises:
        BrokenError: it is missing or is no YAML.
    """
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError, UnicodeDecodeError) as problem:
        raise BrokenError(f"{path.name}: {problem}") from None
