"""Copies the documents of one store into another (CUR-5)."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any

from hybrid_search.base import json_writer, validation
from hybrid_search.cli.progress import Progress
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.errors import DocStoreError

MOST_BITS = 10_000
"""The maximum number of bits of integers that are written in decimal digits."""
BOTH = "both"
ORIGINS = ("index", "records")


class CopyRun:
    """One run of `copy`.

    Documents that are in the target already, and are equal in every bit, are not written again; so a run continues an
    earlier one that was killed.

    Args:
        source: the store to read.
        target: the store to write.
        batch_size: the number of documents to read and write at once.
        progress: shows the progress.
    """

    def __init__(self, source: DocStoreAdapter, target: DocStoreAdapter, batch_size: int, progress: Progress) -> None:
        self._source = source
        self._target = target
        self._batch_size = batch_size
        self._progress = progress
        self._counts = {"documents": 0, "copied": 0, "unchanged": 0}

    def run(self) -> dict[str, Any]:
        """Copy all documents, compare both stores, and return the counts and the digest.

        Raises:
            DocStoreError: the source changed during the run, or the target has other documents.
        """
        before = self._source.generation
        self._keep_models()
        identifiers = self._identifiers(self._source)
        try:
            copied = self._copied(identifiers)
        except KeyboardInterrupt:
            done = self._counts["documents"]
            raise KeyboardInterrupt(f"interrupted; documents copied: {done}; run it again to continue") from None
        self._keep_models()
        if self._source.generation != before:
            raise DocStoreError("the source has changed during the copy; run it again to copy the changes")
        self._check_others(identifiers)
        found = self._digest(identifiers)
        if found != copied:
            raise DocStoreError(f"the target has other contents than the source: {found}, not {copied}")
        return {**self._counts, "digest": copied}

    def _copied(self, identifiers: Sequence[str]) -> str:
        """Copy documents; return their digest."""
        digest = sha256()
        for names in self._batches(identifiers):
            documents = self._source.get_many(names)
            lines = [_line(document) for document in documents]
            held = [_line(document) for document in self._target.get_many(names)]
            changed = [
                document
                for document, line, known in zip(documents, lines, held, strict=True)
                if document is not None and line != known
            ]
            if changed:
                self._target.upsert(changed)
            digest.update(b"".join(lines))
            self._counts["documents"] += len(names)
            self._counts["copied"] += len(changed)
            self._counts["unchanged"] += len(names) - len(changed)
            self._progress.stored(self._counts, self._counts["documents"])
        return digest.hexdigest()

    def _check_others(self, identifiers: Sequence[str]) -> None:
        """Raise if the target has documents that the source does not have."""
        known = set(identifiers)
        others = [identifier for identifier in self._identifiers(self._target) if identifier not in known]
        if others:
            raise DocStoreError(
                f"the target has documents that the source does not have ({len(others)}, the first is "
                f"{validation.describe(others[0])}); copy into an empty store, or delete them"
            )

    def _digest(self, identifiers: Sequence[str]) -> str:
        """Return the digest of the target."""
        digest = sha256()
        for names in self._batches(identifiers):
            digest.update(b"".join(_line(document) for document in self._target.get_many(names)))
        return digest.hexdigest()

    def _keep_models(self) -> None:
        """Store the models and origins of the vectors of the source in the target."""
        for field, facts in (self._source.vector_fields() or {}).items():
            origin = facts["origin"]
            for one in ORIGINS if origin == BOTH else [origin] if origin else []:
                self._target.keep_vector_model(field, facts["model"], one)

    def _batches(self, identifiers: Sequence[str]) -> Iterator[Sequence[str]]:
        for start in range(0, len(identifiers), self._batch_size):
            yield identifiers[start : start + self._batch_size]

    def _identifiers(self, store: DocStoreAdapter) -> list[str]:
        """Return all ids in ascending order."""
        return [identifier for identifier, _ in store.rank([])]


def _line(document: dict[str, Any] | None) -> bytes:
    """Return a document as a line of JSON in one form for all stores and both languages."""
    return b"\n" if document is None else (json_writer.write(_sorted(document)) + "\n").encode("utf-8")


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [_sorted(item) for item in value]
    if type(value) is int and value.bit_length() > MOST_BITS:
        return format(value, "x")
    return value
