"""Maps the keys of other objects to those of records (IDX-3, CUR-5)."""

from collections.abc import Mapping
from typing import Any

from hybrid_search.records.record_values import KEYS

METADATA = "metadata"
REFUSE, DROP = "refuse", "drop"
OTHER_KEYS = (REFUSE, METADATA, DROP)
"""The accepted ways to treat keys that no record has."""


class RecordMapping:
    """Makes records from objects with other keys.

    Args:
        sources: key of a record, or `metadata.x`, → the place of its value. Dots lead into objects, unless the object
            has a key of exactly that name.
        other_keys: what to do with keys that are neither a source nor a key of records: "refuse" leaves them in the
            record, which is then refused; "metadata" moves them into the metadata; "drop" drops them.
    """

    def __init__(self, sources: Mapping[str, str], other_keys: str) -> None:
        self._sources = sources
        self._other_keys = other_keys

    def record(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the record of an object."""
        if not self._sources and self._other_keys == REFUSE:
            return dict(given)
        used = {source if source in given else source.split(".")[0] for source in self._sources.values()}
        record: dict[str, Any] = {}
        others: dict[str, Any] = {}
        for name, value in given.items():
            if name in used:
                continue
            if name in KEYS or self._other_keys == REFUSE:
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
    """Return the value at a source, `None` if it is missing."""
    if source in given:
        return given[source]
    value: Any = given
    for part in source.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value
