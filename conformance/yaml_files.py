"""The lists people keep beside the harness, read from YAML."""

from pathlib import Path
from typing import Any

import yaml

from conformance.errors import BrokenError

SAFE_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""What reads plain data; the one of libyaml, where PyYAML was built with it, takes a fifth of the time."""


def load(path: Path) -> Any:
    """A YAML file.

    Raises:
        BrokenError: it is missing or is no YAML.
    """
    try:
        return yaml.load(path.read_text(encoding="utf-8"), SAFE_LOADER)
    except (OSError, yaml.YAMLError, UnicodeDecodeError) as problem:
        raise BrokenError(f"{path.name}: {problem}") from None
