"""Reads the mapping of `--map` (CUR-5)."""

from collections.abc import Sequence

from hybrid_search.base import validation
from hybrid_search.cli.usage import UsageError
from hybrid_search.records.document_builder import RECORD_KEYS
from hybrid_search.records.record_mapping import METADATA


def of_flags(pairs: Sequence[str]) -> dict[str, str]:
    """Return the source of each key.

    Args:
        pairs: texts of the form `key=source`, from `--map`.

    Raises:
        UsageError: a text without this form, an unknown key, or a key given twice.
    """
    sources: dict[str, str] = {}
    for pair in pairs:
        key, equals, source = pair.partition("=")
        if not equals or not key or not source:
            raise UsageError(f"--map must be KEY=NAME, not {validation.describe(pair)}")
        if not key.startswith(f"{METADATA}."):
            validation.known("key of --map", [key], RECORD_KEYS)
        if key in sources:
            raise UsageError(f"--map gives {key} twice")
        sources[key] = source
    return sources
