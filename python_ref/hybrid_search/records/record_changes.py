"""Applies records with changes to stored documents (IDX-5)."""

from collections.abc import Callable, Sequence
from typing import Any

from hybrid_search.base import validation
from hybrid_search.errors import InvalidInputError
from hybrid_search.protocols import Record
from hybrid_search.records import record_of, record_values, record_vectors
from hybrid_search.records.record_fields import RecordFields
from hybrid_search.records.record_vectors import RecordVectors

Document = dict[str, Any]
Stored = Callable[[str], Document | None]
"""Returns the stored document of an id, or `None`."""


class RecordChanges:
    """Computes again only the fields that depend on the changed keys.

    Args:
        fields: computes the fields.
        vectors: computes the vectors.
    """

    def __init__(self, fields: RecordFields, vectors: RecordVectors) -> None:
        self._fields = fields
        self._vectors = vectors

    def made_of(self, records: Sequence[Record], stored: Stored, first: int) -> list[Document]:
        """Return the id and the changed fields of each record, null for those to remove, for a store's `update`.

        Args:
            records: an id, and the keys that change; null removes a key.
            stored: returns stored documents.
            first: the place of the first record in its source, for messages.

        Raises:
            InvalidInputError: a record is not acceptable, its id is not stored or is given twice, or it changes the
                text of a vector that cannot be computed again.
            DimensionMismatchError: a vector of another dimension than the embedding's.
        """
        places = [f"records[{index}]" for index in range(first, first + len(records))]
        given = [record_values.change(place, record) for place, record in zip(places, records, strict=True)]
        _check_ids(places, given)
        changes = [_RecordChange(place, values, stored) for place, values in zip(places, given, strict=True)]
        documents = [self._fields.made_of(change.given, change.after) for change in changes]
        self._vectors.check(given, first)
        outdated = [self._is_outdated(change) for change in changes]
        made = iter(self._vectors.made_of([change.after for change, old in zip(changes, outdated, strict=True) if old]))
        for change, old, document in zip(changes, outdated, documents, strict=True):
            if old or "vector" in change.given:
                vector = next(made) if old else change.given["vector"]
                document.update(dict.fromkeys(change.vector_fields))
                if vector is not None:
                    document[record_vectors.field(vector)] = vector
        self._vectors.check(given, first)
        return documents

    def _is_outdated(self, change: "_RecordChange") -> bool:
        """Return whether the vector has to be computed again, or removed if nothing can compute it."""
        if "vector" in change.given:
            return change.given["vector"] is None
        if self._vectors.texts(change.after) == self._vectors.texts(change.before):
            return not change.vector_fields and not {"content", "title"}.isdisjoint(change.given)
        if change.vector_fields and not self._vectors.makes:
            raise InvalidInputError(
                f"{change.place}.vector must be given, or null to remove the stored one: "
                "it belongs to another text, and there is no embedding to make a new one"
            )
        return True


class _RecordChange:
    """One record that changes a stored document.

    Attributes:
        place: the name of the record in messages.
        given: the values of the record, null for keys to remove.
        before: the texts and names of the stored document.
        after: the same after the change, and the other values of the record.
        vector_fields: the stored fields that contain vectors.
    """

    def __init__(self, place: str, given: dict[str, Any], stored: Stored) -> None:
        document = stored(given["id"])
        if document is None:
            shown = validation.describe(given["id"])
            raise InvalidInputError(f"{place}.id {shown} is not stored; use add or upsert")
        self.place = place
        self.given = given
        self.before = record_of.texts_of(document)
        self.after = {key: value for key, value in {**self.before, **given}.items() if value is not None}
        self.vector_fields = record_vectors.fields_of(document)


def _check_ids(places: Sequence[str], given: Sequence[dict[str, Any]]) -> None:
    seen: set[str] = set()
    for place, values in zip(places, given, strict=True):
        if values["id"] in seen:
            raise InvalidInputError(f"{place}.id {validation.describe(values['id'])} is given twice")
        seen.add(values["id"])
