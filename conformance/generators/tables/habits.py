"""The words of other libraries and the names that this library uses, as both languages read them: `habits.yml`."""

from conformance import yaml_files
from conformance.paths import CONFORMANCE

SOURCE = CONFORMANCE / "generators" / "habits.yml"


def build() -> dict[str, list[str]]:
    """Return word → names, in the order of the file."""
    table: dict[str, list[str]] = {}
    for name, words in yaml_files.load(SOURCE).items():
        for word in words:
            table.setdefault(word, []).append(name)
    return table
