"""Writes batches into an index: each document whole or not at all, and never over another writer's (DOC-1)."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from hybrid_search import _validation as validation
from hybrid_search.doc_store_adapter import _batch as batch
from hybrid_search.doc_store_adapter._opensearch_client import (
    BLOCKED,
    BUSY,
    UNAVAILABLE,
    OpenSearchClient,
    Request,
    words,
)
from hybrid_search.doc_store_adapter._opensearch_layout import OwnLayout
from hybrid_search.doc_store_adapter._opensearch_reader import OpenSearchReader, Stored
from hybrid_search.doc_store_adapter._stored_document import StoredDocument
from hybrid_search.errors import DocStoreError

MOST_BYTES = 8_000_000
MOST_ITEMS = 1_000
CONFLICT = 409

Become = Callable[[Sequence[StoredDocument], batch.Stored], list[StoredDocument]]
"""What documents that are given become, beside those that are stored."""


class _Operation(NamedTuple):
    """One line of a bulk request, the document that follows it, if one does, and the id."""

    identifier: str
    action: Mapping[str, Any]
    source: Mapping[str, Any] | None = None


class OpenSearchWriter:
    """Writes into an index that this library made.

    Args:
        client: asks the cluster.
        index: the path of the alias, or of an index.
        reader: reads the index.
        refresh: "true", "wait_for" or "false".
        alias: whether it is an alias; what is none is then never made by writing.
    """

    def __init__(
        self, client: OpenSearchClient, index: str, reader: OpenSearchReader, refresh: str, alias: bool = True
    ) -> None:
        self._client = client
        self._index = index
        self._reader = reader
        self._path = f"{index}/_bulk?refresh={refresh}{'&require_alias=true' if alias else ''}"
        self._properties: set[str] = set()

    def insert(self, accepted: Sequence[StoredDocument]) -> int:
        """Add documents, of which none is stored."""
        stored = self._reader.stored_ids([document.identifier for document in accepted])
        batch.check_new(accepted, stored.__contains__)
        self._prepare(accepted)
        taken = self._carry_out([_created(document) for document in accepted], len(accepted))
        if len(taken) == len(accepted):
            batch.check_new(accepted, taken.__contains__)
        if taken:
            shown = validation.describe(taken[0])
            raise DocStoreError(
                f"{len(accepted) - len(taken)} of {len(accepted)} documents are stored; {len(taken)} were stored "
                f"meanwhile, by another writer or in an attempt that the cluster repeated, {shown} is the first"
            )
        return len(accepted)

    def change(self, accepted: Sequence[StoredDocument], become: Become) -> int:
        """Make documents what they become beside those that are stored, again where others write at the same time.

        Returns:
            How many were to be changed at first: one that conflicts, and is then as it was to be, is changed; a cluster
            that repeats an attempt has done it itself.
        """
        left, written = list(accepted), None
        pausing = self._client.pausing()
        while left:
            stored = self._reader.documents([document.identifier for document in left])
            changed = become(left, lambda identifier, stored=stored: _document(stored, identifier))  # type: ignore[misc]
            self._prepare(changed)
            written = len(changed) if written is None else written
            operations = [_replaced(document, stored.get(document.identifier)) for document in changed]
            again = set(self._carry_out(operations, len(changed)))
            left = [document for document in left if document.identifier in again]
            if left:
                pausing.wait(self._client.failure(f"has other writers at {len(left)} of these documents"))
        return written or 0

    def delete(self, identifiers: Sequence[str]) -> int:
        """Remove documents."""
        operations = [_Operation(identifier, {"delete": {"_id": identifier}}) for identifier in identifiers]
        missing = self._carry_out(operations, len(operations), gone="not_found")
        return len(operations) - len(missing)

    def copy(self, sources: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
        """Store documents as another index has them, over whatever there is.

        Args:
            sources: the ids, and what is stored of each.
        """
        rest = iter(sources)
        while part := list(islice(rest, MOST_ITEMS)):
            operations = [_Operation(identifier, {"index": {"_id": identifier}}, source) for identifier, source in part]
            self._carry_out(operations, len(operations))

    def _prepare(self, documents: Sequence[StoredDocument]) -> None:
        """Have the index know all fields that documents need."""
        OwnLayout.accept(documents)
        wanted = OwnLayout.properties(documents)
        new = {name: wanted[name] for name in sorted(wanted) if name not in self._properties}
        if new:
            self._client.ask(Request("PUT", f"{self._index}/_mapping", {"properties": new}))
            self._properties.update(new)

    def _carry_out(self, operations: Sequence[_Operation], whole: int, gone: str = "") -> list[str]:
        """Carry out operations; gives the ids of those that conflict with other writers', or found nothing."""
        passed: list[str] = []
        done = 0
        for part in _parts(operations):
            pausing = self._client.pausing()
            waiting = part
            while waiting:
                items = self._sent(waiting, done, whole)
                again = []
                for operation, item in zip(waiting, items, strict=True):
                    status, error = item.get("status"), item.get("error")
                    if status == CONFLICT or (gone and item.get("result") == gone):
                        passed.append(operation.identifier)
                    elif not isinstance(error, Mapping):
                        done += 1
                    elif status == BUSY or status in UNAVAILABLE or error.get("type") == BLOCKED:
                        again.append((operation, error))
                    else:
                        shown = validation.describe(operation.identifier)
                        raise self._short(f"refused the document {shown}: {words(error)}", done, whole)
                if again:
                    pausing.wait(self._short(f"did not take {len(again)} documents: {words(again[0][1])}", done, whole))
                waiting = [operation for operation, _ in again]
        return passed

    def _sent(self, operations: Sequence[_Operation], done: int, whole: int) -> list[Mapping[str, Any]]:
        """What came of each operation."""
        lines: list[Any] = []
        for operation in operations:
            lines += [operation.action] if operation.source is None else [operation.action, operation.source]
        try:
            answer = self._client.ask(Request("POST", self._path, lines, writes=True))
        except DocStoreError as problem:
            raise type(problem)(f"{problem}{_told(done, whole)}") from None
        items = answer.get("items")
        if not isinstance(items, list) or len(items) != len(operations):
            raise self._short("did not tell what came of all documents", done, whole)
        return [next(iter(item.values())) for item in items]

    def _short(self, what: str, done: int, whole: int) -> DocStoreError:
        return self._client.failure(f"{what}{_told(done, whole)}")


def _told(done: int, whole: int) -> str:
    return f"; {done} of {whole} documents are written" if whole > 1 else ""


def _document(stored: Mapping[str, Stored], identifier: str) -> StoredDocument | None:
    found = stored.get(identifier)
    return None if found is None else found.document


def _created(document: StoredDocument) -> _Operation:
    return _Operation(document.identifier, {"create": {"_id": document.identifier}}, OwnLayout.source(document))


def _replaced(document: StoredDocument, before: Stored | None) -> _Operation:
    if before is None:
        return _created(document)
    sequence, term = before.sequence
    action = {"index": {"_id": document.identifier, "if_seq_no": sequence, "if_primary_term": term}}
    return _Operation(document.identifier, action, OwnLayout.source(document))


def _parts(operations: Sequence[_Operation]) -> list[list[_Operation]]:
    """Operations in requests of a size that engines take."""
    parts: list[list[_Operation]] = []
    size = MOST_BYTES
    for operation in operations:
        own = len(json.dumps(operation.source, ensure_ascii=False).encode("utf-8"))
        if not parts or size + own > MOST_BYTES or len(parts[-1]) == MOST_ITEMS:
            parts.append([])
            size = 0
        parts[-1].append(operation)
        size += own
    return parts
