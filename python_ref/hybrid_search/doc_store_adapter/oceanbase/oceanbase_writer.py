"""Writes a batch into the tables of a collection in OceanBase (OB-1)."""

import struct
from collections.abc import Mapping, Sequence

from hybrid_search.base import numeric
from hybrid_search.doc_store_adapter.documents import stored_document, stored_json
from hybrid_search.doc_store_adapter.documents.stored_document import StoredDocument
from hybrid_search.doc_store_adapter.oceanbase import oceanbase_filters, oceanbase_tokens
from hybrid_search.doc_store_adapter.oceanbase import oceanbase_statements as sql
from hybrid_search.doc_store_adapter.oceanbase import oceanbase_tables as tables_of
from hybrid_search.doc_store_adapter.oceanbase.oceanbase_tables import OceanBaseTables
from hybrid_search.doc_store_adapter.tables import blobs, document_changes, vector_screen
from hybrid_search.doc_store_adapter.tables.document_changes import Batch, Change
from hybrid_search.doc_store_adapter.vector_models import VectorSource


class OceanBaseWriter:
    """Changes documents in a transaction.

    Args:
        tables: the tables as the transaction sees them.
    """

    def __init__(self, tables: OceanBaseTables) -> None:
        self._tables = tables
        self._connection = tables.connection
        self._fields = {name: row.field for name, row in tables.fields.items()}

    def write(self, batch: Batch, numbers: Mapping[str, int]) -> None:
        """Write a batch.

        Args:
            batch: each document before and after the change.
            numbers: the ids and numbers of the stored documents.
        """
        first = self._tables.numbers
        changes = document_changes.numbered(batch, numbers, lambda count: range(first, first + count))
        self._count_fields(changes)
        self._count_tokens(changes)
        self._write_documents(changes)
        self._write_vectors(changes)
        added = len([None for change in changes if change.before is None])
        removed = len([None for change in changes if change.after is None])
        count = self._tables.count + added - removed
        self._connection.run("change_meta", documents=count, numbers=max(first, 1 + changes[-1].number))

    def keep_source(self, field: str, source: VectorSource) -> None:
        """Store the source of a field's vectors."""
        dimension = stored_document.vector_dimension("field", field)
        self._connection.run("keep_model", row=sql.row([dimension, source.model, source.origin]))

    def _count_fields(self, changes: Sequence[Change]) -> None:
        counts: dict[str, list[int]] = {}
        for _, before, after in changes:
            for document, sign in ((before, -1), (after, 1)):
                for name in tables_of.held_fields(document):
                    assert document is not None
                    tokens = 0
                    if stored_document.is_searchable(name):
                        tokens = len(stored_document.tokens(name, document.fields[name]))
                    told = counts.setdefault(name, [0, 0, 0])
                    told[0] += sign
                    told[1] += sign * tokens
                    told[2] += sign * (tokens > 0)
        rows = []
        for name, told in counts.items():
            if name not in self._fields:
                self._fields[name] = 1 + max(self._fields.values(), default=-1)
            rows.append(sql.row([self._fields[name], name, *told]))
        self._connection.run_rows("change_fields", "rows", rows)

    def _count_tokens(self, changes: Sequence[Change]) -> None:
        counts: dict[tuple[str, str], int] = {}
        for _, before, after in changes:
            for document, sign in ((before, -1), (after, 1)):
                held = oceanbase_tokens.holding(tables_of.token_fields(document, self._fields))
                for key in held.items():
                    counts[key] = counts.get(key, 0) + sign
        changed = {key: count for key, count in sorted(counts.items()) if count}
        rows = [sql.row([*key, count]) for key, count in changed.items()]
        self._connection.run_rows("change_tokens", "rows", rows)
        fewer = dict.fromkeys(token for (token, _), count in changed.items() if count < 0)
        self._connection.run_rows("remove_tokens", "tokens", list(map(sql.value, fewer)), in_brackets=True)

    def _write_documents(self, changes: Sequence[Change]) -> None:
        stored = [sql.value(change.number) for change in changes if change.before is not None]
        self._connection.run_rows("remove_documents", "numbers", stored, in_brackets=True)
        self._connection.run_rows("remove_terms", "numbers", stored, in_brackets=True)
        rows, terms = [], []
        for number, _, after in changes:
            if after is not None:
                found = oceanbase_filters.terms(after)
                rows.append(self._row(number, after, any(found.values())))
                terms += [sql.row([term, number]) for term in found]
        self._connection.run_rows("add_documents", "rows", rows)
        self._connection.run_rows("add_terms", "rows", terms)

    def _row(self, number: int, document: StoredDocument, is_cut: bool) -> str:
        tokens = tables_of.token_fields(document, self._fields)
        body = stored_json.write({"fields": document.fields, "vectors": list(document.vectors)})
        words = oceanbase_tokens.words(tokens)
        # The words are letters, digits and blanks; in hexadecimal the engine would take them for binary.
        members = [sql.row([number, document.identifier, body, oceanbase_tokens.lengths(tokens)])[1:-1]]
        return f"({','.join([*members, sql.words(words), sql.value(int(is_cut))])})"

    def _write_vectors(self, changes: Sequence[Change]) -> None:
        """Replace the vectors that change; those that an update leaves are the same objects."""
        removed: dict[str, list[str]] = {}
        added: dict[str, list[str]] = {}
        for number, before, after in changes:
            then = {} if before is None else before.vectors
            now = {} if after is None else after.vectors
            for name in {**then, **now}:
                if then.get(name) is now.get(name):
                    continue
                if name in then:
                    removed.setdefault(name, []).append(sql.value(number))
                if name in now:
                    added.setdefault(name, []).append(_vector(number, now[name]))
        for name, numbers in removed.items():
            dimension = stored_document.vector_dimension("field", name)
            self._connection.run_rows("remove_vectors", "numbers", numbers, in_brackets=True, dimension=dimension)
        for name, rows in added.items():
            dimension = stored_document.vector_dimension("field", name)
            self._connection.run_rows("add_vectors", "rows", rows, dimension=dimension)


def _vector(number: int, components: Sequence[float]) -> str:
    """Return a vector's row: 32-bit components for screening, and exact ones."""
    screened = vector_screen.can_screen(len(components), numeric.norm(components))
    kind = "f" if blobs.fits_single(components) else "d"
    screen = struct.pack(f"<{len(components)}f", *components) if screened else None
    return sql.row([number, screen, struct.pack(f"<{len(components)}{kind}", *components), int(not screened)])
