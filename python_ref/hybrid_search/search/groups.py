"""Collapses hits to one for each value of a field (ARR-1)."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from hybrid_search.doc_store_adapter.documents.field_path import FieldPath
from hybrid_search.doc_store_adapter.documents.stored_document import scalar_key
from hybrid_search.search.ranking_key import RankingKey


class Groups:
    """Collapses hits with the same value of a field into the first of them.

    Args:
        path: the field.
    """

    def __init__(self, path: FieldPath) -> None:
        self._path = path
        self.others: dict[str, int] = {}

    def collapse(self, keys: Sequence[RankingKey], documents: Mapping[str, Mapping[str, Any]]) -> list[RankingKey]:
        """Return the first hit of each group, in the same order; `others` has the number of its other hits."""
        first: dict[Hashable, str] = {}
        kept = []
        for key in keys:
            value = _group(self._path.value(documents.get(key.id, {})))
            leader = key.id if value is None else first.setdefault(value, key.id)
            if leader == key.id:
                self.others[leader] = 0
                kept.append(key)
            else:
                self.others[leader] += 1
        return kept


def _group(value: Any) -> Hashable:
    """Return the key of equal values of a field (DOC-4), a list as a whole; `None` for a hit that is its own group."""
    if not isinstance(value, list):
        return scalar_key(value)
    members = tuple(scalar_key(member) for member in value)
    return None if not members or None in members else members
