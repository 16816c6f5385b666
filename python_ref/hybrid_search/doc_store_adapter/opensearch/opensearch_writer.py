"""Writes batches into an index: each document as a whole or not at all, and never over a concurrent write (DOC-1)."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from hybrid_search.base import validation
from hybrid_search.doc_store_adapter.documents import batch
from hybrid_search.doc_store_adapter.documents.stored_document import StoredDocument
from hybrid_search.doc_store_adapter.opensearch.opensearch_client import (
    BLOCKED,
    BUSY,
    FAILED,
    UNAVAILABLE,
    UNKNOWN,
    OpenSearchClient,
    Request,
    words,
)
from hybrid_search.doc_store_adapter.opensearch.opensearch_layout import STRICT, OwnLayout
from hybrid_search.doc_store_adapter.opensearch.opensearch_reader import OpenSearchReader, StoredVersion
from hybrid_search.errors import DocStoreError, UnknownOutcomeError

MOST_BYTES = 8_000_000
MOST_ITEMS = 1_000
CONFLICT = 409
UNMAPPED = "strict_dynamic_mapping_exception"
"""The type of the error for a field that the index does not know, as after it was removed and created again."""

Become = Callable[[Sequence[StoredDocument], batch.Stored], list[StoredDocument]]
"""Returns the new form of given documents, considering the stored ones."""


class _Operation(NamedTuple):
    """The id of a document, the action line of a bulk request, and the source line that follows it, if any."""

    identifier: str
    action: Mapping[str, Any]
    source: Mapping[str, Any] | None = None


class OpenSearchWriter:
    """Writes into an index made by this library.

    Args:
        client: sends requests to the cluster.
        index: the path of the alias or of an index.
        reader: reads the index.
        refresh: "true", "wait_for" or "false".
        alias: whether the path is that of an alias; a write then never creates a missing index.
        remap: adds the fields that an index misses; `None` adds those that this writer has used.
    """

    def __init__(
        self,
        client: OpenSearchClient,
        index: str,
        reader: OpenSearchReader,
        refresh: str,
        alias: bool = True,
        remap: Callable[[], None] | None = None,
    ) -> None:
        self._client = client
        self._index = index
        self._reader = reader
        late = f"&timeout={client.milliseconds}ms"  # a cluster that writes later might undo newer changes
        self._path = f"{index}/_bulk?refresh={refresh}{late}{'&require_alias=true' if alias else ''}"
        self._properties: dict[str, Any] = {}
        self._remap = remap or (lambda: self._map(self._properties))

    def insert(self, accepted: Sequence[StoredDocument]) -> int:
        """Add documents, none of which is stored."""
        stored = self._reader.versions([document.identifier for document in accepted])
        batch.check_new(accepted, stored.__contains__)
        self._prepare(accepted)
        taken = self._carry_out([_created(document) for document in accepted])
        if len(taken) == len(accepted) and not self._has_repeated(accepted, taken):
            batch.check_new(accepted, taken.__contains__)
        if taken:
            shown = validation.describe(next(iter(taken)))
            raise DocStoreError(
                f"{len(accepted) - len(taken)} of {len(accepted)} documents are stored; {len(taken)} were stored "
                f"meanwhile, by another writer or in an attempt that the cluster repeated, {shown} is the first"
            )
        return len(accepted)

    def change(self, accepted: Sequence[StoredDocument], become: Become) -> int:
        """Change documents, considering the stored ones; repeat those that conflict with concurrent writes.

        A document that is already in its new form is skipped only if no copy of the index can lose it any more.

        Returns:
            The number of documents to change in the first attempt. A document that conflicts and is in its new form
            afterwards counts as changed, since a cluster may repeat an attempt itself.
        """
        given = {document.identifier: document for document in accepted}

        def attempt(identifiers: Sequence[str]) -> tuple[list[_Operation], int]:
            stored = self._reader.documents(identifiers)
            changed = become([given[one] for one in identifiers], lambda one: _document(stored, one))
            self._prepare(changed)
            operations = [_replaced(document, stored.get(document.identifier)) for document in changed]
            new = {document.identifier for document in changed}
            unsure = self._reader.unsure({one: stored[one].sequence for one in identifiers if one not in new})
            operations += [_replaced(stored[one].document, stored[one]) for one in unsure]
            return operations, len(changed)

        return self._until_none_conflicts(list(given), attempt)

    def delete(self, identifiers: Sequence[str]) -> int:
        """Remove documents in the version that was read, so that a late attempt removes no newer version.

        A missing document is removed again, unless no copy of the index can contain it.
        """

        def attempt(identifiers: Sequence[str]) -> tuple[list[_Operation], int]:
            stored = self._reader.versions(identifiers)
            operations = [_removed(one, stored[one]) for one in identifiers if one in stored]
            unsure = self._reader.unsure({one: None for one in identifiers if one not in stored})
            operations += [_Operation(one, {"delete": {"_id": one}}) for one in unsure]
            return operations, len(stored)

        return self._until_none_conflicts(identifiers, attempt)

    def copy(self, sources: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
        """Store documents as in another index, replacing existing ones.

        Args:
            sources: the ids and the stored sources.
        """
        rest = iter(sources)
        while part := list(islice(rest, MOST_ITEMS)):
            operations = [_copied(identifier, source) for identifier, source in part]
            self._carry_out(operations)

    def _until_none_conflicts(
        self, identifiers: Sequence[str], attempt: Callable[[Sequence[str]], tuple[list[_Operation], int]]
    ) -> int:
        """Carry out the operations of an attempt, again for conflicting ids; return the count of the first attempt."""
        left, count = identifiers, None
        pausing = self._client.pausing()
        while left:
            operations, changed = attempt(left)
            count = changed if count is None else count
            left = list(self._carry_out(operations))
            if left:
                pausing.wait(self._client.failure(f"has other writers at {len(left)} of these documents"))
        return count or 0

    def _has_repeated(self, accepted: Sequence[StoredDocument], taken: Mapping[str, str]) -> bool:
        """Return whether the cluster may have stored one of these documents itself, and then reported it as existing.

        A cluster repeats an attempt after a primary has failed; the document then has its new form already.
        """
        stored = self._reader.documents(list(taken))
        others = batch.replacements(accepted, lambda one: _document(stored, one))
        same = [one for one in stored if one not in {document.identifier for document in others}]
        return any(self._reader.outlived(stored[one], taken.get(one, "")) for one in same)

    def _prepare(self, documents: Sequence[StoredDocument]) -> None:
        """Add the fields that documents need to the index."""
        engine = self._client.engine
        OwnLayout.accept(documents, engine)
        wanted = OwnLayout.properties(documents, engine)
        new = {name: wanted[name] for name in sorted(wanted) if name not in self._properties}
        if new:
            self._map(new)
            self._properties.update(new)

    def _map(self, properties: Mapping[str, Any]) -> None:
        """Add fields to the index."""
        self._client.ask(Request("PUT", f"{self._index}/_mapping", {"dynamic": STRICT, "properties": properties}))

    def _carry_out(self, operations: Sequence[_Operation]) -> dict[str, str]:
        """Carry out operations; return the ids of those that conflict with concurrent writes, with their shards."""
        passed: dict[str, str] = {}
        done, whole = 0, len(operations)
        for part in _parts(operations):
            pausing = self._client.pausing()
            waiting, unclear, mapped = part, False, False
            while waiting:
                items = self._sent(waiting, done, whole)
                errors = [item.get("error") for item in items]
                done += len([error for error in errors if not isinstance(error, Mapping)])
                unclear = unclear or any(item.get("status", 0) >= FAILED for item in items)
                again = []
                for operation, item, error in zip(waiting, items, errors, strict=True):
                    status = item.get("status")
                    if not isinstance(error, Mapping):
                        continue
                    if status == CONFLICT:
                        passed[operation.identifier] = str(error.get("shard"))
                    elif _may_pass(status, error) or (error.get("type") == UNMAPPED and not mapped):
                        again.append((operation, error))
                    else:
                        shown = validation.describe(operation.identifier)
                        told = self._short(f"refused the document {shown}: {words(error)}", done, whole)
                        raise _ending(told, unclear)
                if again:
                    told = self._short(f"did not take {len(again)} documents: {words(again[0][1])}", done, whole)
                    try:
                        pausing.wait(told)
                    except DocStoreError as late:
                        raise _ending(late, unclear) from None
                if any(error.get("type") == UNMAPPED for _, error in again):
                    self._remap()
                    mapped = True
                waiting = [operation for operation, _ in again]
        return passed

    def _sent(self, operations: Sequence[_Operation], done: int, whole: int) -> list[Mapping[str, Any]]:
        """Send operations and return the result of each."""
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


def _may_pass(status: Any, error: Mapping[str, Any]) -> bool:
    """Return whether a refused document may be accepted a little later."""
    return status == BUSY or status in UNAVAILABLE or error.get("type") == BLOCKED


def _ending(problem: DocStoreError, unclear: bool) -> DocStoreError:
    """Return the error to raise; `unclear` is whether a primary may have begun to write one of the documents."""
    return UnknownOutcomeError(f"{problem}{UNKNOWN}") if unclear else problem


def _told(done: int, whole: int) -> str:
    return f"; {done} of {whole} documents are written" if whole > 1 else ""


def _document(stored: Mapping[str, StoredVersion], identifier: str) -> StoredDocument | None:
    found = stored.get(identifier)
    return None if found is None else found.document


def _created(document: StoredDocument) -> _Operation:
    return _Operation(document.identifier, {"create": {"_id": document.identifier}}, OwnLayout.source(document))


def _copied(identifier: str, source: Mapping[str, Any]) -> _Operation:
    """Return the operation that stores a document; its source may be that of an earlier layout."""
    document = OwnLayout.document(identifier, source, None)
    return _Operation(identifier, {"index": {"_id": identifier}}, OwnLayout.source(document))


def _removed(identifier: str, sequence: tuple[int, int]) -> _Operation:
    return _Operation(identifier, {"delete": _version(identifier, sequence)})


def _replaced(document: StoredDocument, before: StoredVersion | None) -> _Operation:
    if before is None:
        return _created(document)
    action = {"index": _version(document.identifier, before.sequence)}
    return _Operation(document.identifier, action, OwnLayout.source(document))


def _version(identifier: str, sequence: tuple[int, int]) -> dict[str, Any]:
    return {"_id": identifier, "if_seq_no": sequence[0], "if_primary_term": sequence[1]}


def _parts(operations: Sequence[_Operation]) -> list[list[_Operation]]:
    """Split operations into requests of a size that engines accept."""
    parts: list[list[_Operation]] = []
    size = MOST_BYTES
    for operation in operations:
        own = len(json.dumps(operation.source, ensure_ascii=False, separators=(",", ":")).encode("utf-8"))
        if not parts or size + own > MOST_BYTES or len(parts[-1]) == MOST_ITEMS:
            parts.append([])
            size = 0
        parts[-1].append(operation)
        size += own
    return parts
