"""From the keys that people have to those of records: `--map` and `--other-keys` (CUR-5)."""

from collections.abc import Mapping, Sequence
from typing import Any

from hybrid_search import _validation as validation
from hybrid_search.cli._usage import UsageError
from hybrid_search.document_builder import RECORD_KEYS

METADATA = "metadata"
REFUSE, DROP = "refuse", "drop"


class RecordMapping:
    """Makes records of objects with other keys.

    Args:
        pairs: `key=source` each; a source leads into objects by dots, unless a key has that very name.
        other_keys: what becomes of keys that no pair names and no record has: "refuse" leaves them where they are
            refused, "metadata" moves them there, "drop" drops them.

    Raises:
        UsageError: a pair that is none, an unknown key, or a key given twice.
    """

    def __init__(self, pairs: Sequence[str], other_keys: str) -> None:
        self._sources: dict[str, str] = {}
        self._other_keys = other_keys
        for pair in pairs:
            key, equals, source = pair.partition("=")
            if not equals or not key or not source:
                raise UsageError(f"--map must be KEY=NAME, not {validation.describe(pair)}")
            if not key.startswith(f"{METADATA}."):
                validation.known("key of --map", [key], RECORD_KEYS)
            if key in self._sources:
                raise UsageError(f"--map gives {key} twice")
            self._sources[key] = source

    def record(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The record of an object."""
        if not self._sources and self._other_keys == REFUSE:
            return dict(given)
        used = {source if source in given else source.split(".")[0] for source in self._sources.values()}
        record: dict[str, Any] = {}
        others: dict[str, Any] = {}
        for name, value in given.items():
            if name in used and name not in self._sources:
                continue
            if name in RECORD_KEYS or self._other_keys == REFUSE:
                record[name] = value
            elif self._other_keys != DROP:
                others[name] = value
        for key, source in self._sources.items():
            self._put(record, others, key, _found(given, source))
        if others:
            own = record.get(METADATA)
            record[METADATA] = {**own, **others} if isinstance(own, Mapping) else others if own is None else own
        return record

    @staticmethod
    def _put(record: dict[str, Any], others: dict[str, Any], key: str, value: Any) -> None:
        if key.startswith(f"{METADATA}."):
            if value is not None:
                others[key.removeprefix(f"{METADATA}.")] = value
        elif value is None:
            record.pop(key, None)
        else:
            record[key] = value


def _found(given: Mapping[str, Any], source: str) -> Any:
    """What a source leads to, none if there is nothing."""
    if source in given:
        return given[source]
    value: Any = given
    for part in source.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value
