"""The documents of an index, one by one and by filters (IDX-6)."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from hybrid_search.base import input_values, validation
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.errors import InvalidInputError
from hybrid_search.protocols import FilterData
from hybrid_search.records import record_of, selection
from hybrid_search.records.record_writer import RecordWriter


class IndexDocuments:
    """The methods of an index that read and remove documents.

    Attributes:
        store: the store of the documents.
    """

    store: DocStoreAdapter
    _writer: RecordWriter

    @validation.checked
    def get(
        self,
        id: str | int,  # noqa: A002
        *,
        include: Sequence[str] = (),
    ) -> dict[str, Any] | None:
        """Return the record of a document, in the form in which it was added; `None` if it is not stored.

        Args:
            id: its id.
            include: additional parts of the record: "vector" and "tokens".
        """
        if isinstance(id, (list, tuple, set)):
            raise InvalidInputError(
                f"{validation.fail('id', id, 'a text or an integer')}; get_many takes a list of ids"
            )
        return self.get_many([input_values.identifier("id", id)], include=include)[0]

    @validation.checked
    def get_many(
        self,
        ids: Iterable[str | int],
        *,
        include: Sequence[str] = (),
    ) -> list[dict[str, Any] | None]:
        """Return the records of documents in the order of `ids`, `None` for those that are not stored; see `get`."""
        names = record_of.included(include)
        vectors = None if "vector" in names else ()
        documents = self.store.get_many(input_values.identifiers("ids", ids), vectors)
        return [None if document is None else record_of.record(document, names) for document in documents]

    @validation.checked
    def to_arrow(self, *, include: Sequence[str] = ()) -> Any:
        """Return the records of all documents, by id, as a `pyarrow.Table`; `add` accepts it.

        Args:
            include: as for `get`.

        Raises:
            ConfigurationError: the package pyarrow is not installed.
            InvalidInputError: values of one key in `metadata` have different types.
        """
        from hybrid_search.records import arrow_table

        ids = [identifier for identifier, _ in self.store.rank([])]
        return arrow_table.of_records([record for record in self.get_many(ids, include=include) if record is not None])

    @validation.checked
    def exists(self, id: str | int) -> bool:  # noqa: A002
        """Return whether a document is stored."""
        return self.store.get_many([input_values.identifier("id", id)], ())[0] is not None

    @validation.checked
    def count(self, *, filters: FilterData | None = None) -> int:
        """Return the number of documents, or of those that pass filters.

        Args:
            filters: as for `search`, but documents that are not `available` count too.
        """
        return self.store.count() if filters is None else selection.count(self.store, selection.read(filters))

    @validation.checked
    def delete(
        self,
        ids: Iterable[str | int] | str | int | None = None,
        *,
        filters: FilterData | None = None,
    ) -> int:
        """Remove documents by their ids, or all that pass filters; ids that are not stored are skipped.

        Args:
            ids: ids, or one id.
            filters: as for `search`, but documents that are not `available` are removed too. They are removed in
                batches.

        Returns:
            The number of removed documents.

        Raises:
            InvalidInputError: neither ids nor filters, or both; or filters without a condition (`clear` removes all).
        """
        if (ids is None) == (filters is None):
            raise InvalidInputError("delete takes either ids or filters")
        if ids is None:
            return selection.delete(self.store, self._writer, selection.read(filters, may_be_empty=False))
        is_one = isinstance(ids, (str, int)) and not isinstance(ids, bool)
        return self._writer.delete(input_values.identifiers("ids", [ids] if is_one else ids))

    @validation.checked
    def clear(self) -> int:
        """Remove all documents, batch by batch, and return their number."""
        return selection.delete(self.store, self._writer, {})

    def __contains__(self, id: str | int) -> bool:  # noqa: A002
        """Return whether a document is stored; see `exists`."""
        return self.exists(id)

    if not TYPE_CHECKING:  # for type checkers, this is an error already

        def __getitem__(self, place: object) -> NoReturn:
            """Refuse the access of lists and mappings."""
            shown = validation.describe(place)
            raise InvalidInputError(f"an index has get, get_many, search and each, but not the place {shown}")
