"""The chunks before and after a hit in its document (ARR-6)."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from hybrid_search.base import numeric
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.doc_store_adapter.filters.filters import Filters
from hybrid_search.records import record_of
from hybrid_search.search.filtered_documents import FilteredDocuments
from hybrid_search.search.parents import PARENT, parent_of

MOST = 10
"""The maximum number of neighbours on each side."""
LISTED = 10_000
"""The minimum number of chunks of a document that are put into order."""
POSITIONS = "position_int"
Context = Mapping[str, Sequence[Mapping[str, Any]]]
Place = tuple[Sequence[str], int]
"""The ids of chunks in the order of their document, and the index of one of them."""


class Neighbours:
    """Finds the neighbours of hits.

    Args:
        store: the documents.
        filters: the filters of the search.
        count: the number of neighbours on each side.
    """

    def __init__(self, store: DocStoreAdapter, filters: Filters, count: int) -> None:
        self._store = store
        self._shown = FilteredDocuments(store, filters)
        self._count = count

    def of(self, documents: Sequence[Mapping[str, Any]], parents: Collection[str]) -> dict[str, Context]:
        """Return the neighbours of each hit by its id: records `before` and `after` it, in the document's order.

        Args:
            documents: the documents of the hits.
            parents: the ids of hits that replace their children: these and their neighbours may be unavailable.
        """
        places = self._places(documents)
        sides = {document["id"]: self._sides(places.get(document["id"])) for document in documents}
        records = self._records(sides, parents)
        return {
            identifier: {
                "before": [records[identifier, one] for one in before if (identifier, one) in records],
                "after": [records[identifier, one] for one in after if (identifier, one) in records],
            }
            for identifier, (before, after) in sides.items()
        }

    def _places(self, documents: Sequence[Mapping[str, Any]]) -> dict[str, Place]:
        """Return the place of each chunk of the documents to which the hits belong, if it has positions."""
        names = sorted({document["doc_id"] for document in documents if isinstance(document.get("doc_id"), str)})
        if not names:
            return {}
        listed = self._store.search(["doc_id", POSITIONS, PARENT], {"doc_id": names}, limit=LISTED * len(names))
        rows: dict[tuple[str, bool], list[tuple[tuple[float, ...], str]]] = {}
        for identifier, fields in listed.fields.items():
            position = _position(fields.get(POSITIONS))
            if position:
                rows.setdefault((fields["doc_id"], parent_of(fields) is None), []).append((position, identifier))
        places: dict[str, Place] = {}
        for row in rows.values():
            ordered = [identifier for _, identifier in sorted(row)]
            places.update((identifier, (ordered, index)) for index, identifier in enumerate(ordered))
        return places

    def _sides(self, place: Place | None) -> tuple[Sequence[str], Sequence[str]]:
        """Return the ids before and after a place."""
        if place is None:
            return (), ()
        ordered, index = place
        return ordered[max(0, index - self._count) : index], ordered[index + 1 : index + 1 + self._count]

    def _records(
        self, sides: Mapping[str, tuple[Sequence[str], Sequence[str]]], parents: Collection[str]
    ) -> dict[tuple[str, str], Mapping[str, Any]]:
        """Return the records of neighbours by the id of the hit and their own."""
        records: dict[tuple[str, str], Mapping[str, Any]] = {}
        of_itself: tuple[Mapping[str, Any] | None, ...] = (None, {})
        for leading in of_itself:  # the availability of neighbours counts, or it does not
            names = [name for name in sides if (name in parents) == (leading is not None)]
            pairs = [(name, one) for name in names for side in sides[name] for one in side]
            found = self._shown.of(dict.fromkeys((one for _, one in pairs), leading)) if pairs else {}
            records.update(((name, one), record_of.record(found[one])) for name, one in pairs if one in found)
        return records


def _position(value: Any) -> tuple[float, ...]:
    """Return the first list of numbers in positions, or an empty one."""
    while isinstance(value, list) and value and isinstance(value[0], list):
        value = value[0]
    return tuple(one for one in value if numeric.is_number(one)) if isinstance(value, list) else ()
