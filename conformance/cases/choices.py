"""Messages that list the choices of an option, in a form that stays when a choice is added (CNF-3).

The lists themselves are compared once, in the cases of `options.choices`.
"""

import re
from functools import cache
from typing import Any

from conformance import yaml_files
from conformance.paths import CONFORMANCE

SOURCE = CONFORMANCE / "generators" / "options.yml"


def shortened(value: Any) -> Any:
    """The value, where each "one of a, b, c" that lists the choices of an option names the option instead."""
    if isinstance(value, str):
        pattern, names = _lists()
        return pattern.sub(lambda found: f"one of the choices of {names[found[1]]}", value)
    if isinstance(value, list):
        return [shortened(item) for item in value]
    if isinstance(value, dict):
        return {key: shortened(item) for key, item in value.items()}
    return value


def lists() -> list[str]:
    """Return the lists of choices that are shortened, each with its option."""
    return [f"{name}: {choices}" for choices, name in sorted(_lists()[1].items())]


@cache
def _lists() -> tuple[re.Pattern[str], dict[str, str]]:
    """A pattern of all lists, and list → option."""
    names = {", ".join(entry["choices"]): name for name, entry in yaml_files.load(SOURCE).items() if "choices" in entry}
    return re.compile(rf"one of ({'|'.join(map(re.escape, names))})(?=, not )"), names
