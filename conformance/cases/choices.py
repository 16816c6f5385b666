"""Messages that list the choices of an option, in a form that stays when a choice is added (CNF-3).

The lists themselves are compared once, in the cases of `options.choices`.
"""

import re
from functools import cache
from typing import Any

from conformance import yaml_files
from conformance.paths import CONFORMANCE

SOURCE = CONFORMANCE / "generators" / "options.yml"
LIST = re.compile(r"one of (\w+(?:, \w+)+)(?=, not )")


def shortened(value: Any) -> Any:
    """The value, where each "one of a, b, c" that lists the choices of an option names the option instead."""
    if isinstance(value, str):
        return LIST.sub(_short, value)
    if isinstance(value, list):
        return [shortened(item) for item in value]
    if isinstance(value, dict):
        return {key: shortened(item) for key, item in value.items()}
    return value


def lists() -> list[str]:
    """Return the lists of choices that are shortened, each with its option."""
    return [f"{name}: {', '.join(choices)}" for name, choices in sorted(_choices().items())]


def _short(found: re.Match[str]) -> str:
    """Return the short form of a list: of all choices of an option, or of most, as in an older port."""
    listed = found[1].split(", ")
    for name, choices in _choices().items():
        if 2 * len(listed) > len(choices) and listed == [choice for choice in choices if choice in listed]:
            return f"one of the choices of {name}"
    return found[0]


@cache
def _choices() -> dict[str, list[str]]:
    return {name: list(entry["choices"]) for name, entry in yaml_files.load(SOURCE).items() if "choices" in entry}
