"""Creates and describes the index behind an alias, and rebuilds it without downtime (OS-4)."""

import re
from collections.abc import Mapping
from contextlib import closing
from typing import Any, NamedTuple

from hybrid_search.base import log, validation
from hybrid_search.doc_store_adapter.filters.filters import Filters
from hybrid_search.doc_store_adapter.opensearch.opensearch_client import FORBIDDEN, NOT_FOUND, OpenSearchClient, Request
from hybrid_search.doc_store_adapter.opensearch.opensearch_layout import IDENTITY, MARK
from hybrid_search.doc_store_adapter.opensearch.opensearch_writer import OpenSearchWriter
from hybrid_search.doc_store_adapter.vector_models import Sources, VectorSource
from hybrid_search.errors import DocStoreError, InvalidInputError, UnknownOutcomeError

DEFAULT_CLAUSES = 1_024
CLAUSES = "indices.query.bool.max_clause_count"
LEVELS = ("transient", "persistent", "defaults")
NAME = re.compile("[a-z0-9][a-z0-9_.-]{0,99}")
NUMBERED = re.compile(r"(.*)-([0-9]{6})", re.DOTALL)
MOST_NUMBER = 999_999
WRITABLE = {"index.blocks.write": None}
THERE_ALREADY = "resource_already_exists_exception"
BAD_REQUEST = 400


class Described(NamedTuple):
    """An index as the cluster describes it.

    Attributes:
        name: the index's own name, not the alias.
        uuid: distinguishes the index from another one of that name.
        shards: the number of shards.
        replicas: the number of replicas of each shard.
        meta: the metadata that is stored next to the documents.
        identity: the field that only this index has; `None` in one that an earlier version made.
        is_blocked: whether the index refuses writes.
    """

    name: str
    uuid: str
    shards: int
    replicas: int
    meta: Mapping[str, Any]
    identity: str | None
    is_blocked: bool


class OpenSearchIndex:
    """An index with an alias, or an index made by RAGFlow with its own name.

    Args:
        client: sends requests to the cluster.
        name: the alias.
        layout: the layout of the index's documents.
    """

    def __init__(self, client: OpenSearchClient, name: str, layout: Any) -> None:
        if not NAME.fullmatch(validation.text("index", name)):
            raise validation.fail("index", name, "at most 100 of a-z, 0-9, _, - and ., a letter or digit first")
        self._client = client
        self._layout = layout
        self.name = name
        self.path = f"/{name}"

    def described(self) -> Described | None:
        """Return the index that the alias currently names, or `None`."""
        found = self._client.ask(Request("GET", self.path, accept=(NOT_FOUND,)))
        if found is None:
            return None
        if len(found) != 1:
            raise DocStoreError(
                f"the name {validation.describe(self.name)} must be that of one index, not of {len(found)}"
            )
        ((name, told),) = found.items()
        settings = told["settings"]["index"]
        mappings = told["mappings"]
        return Described(
            name=name,
            uuid=settings["uuid"],
            shards=int(settings["number_of_shards"]),
            replicas=int(settings["number_of_replicas"]),
            meta=mappings.get("_meta", {}),
            identity=self._layout.identity(mappings.get("properties", {})),
            is_blocked=settings.get("blocks", {}).get("write") == "true",
        )

    def opened(self, shards: int, replicas: int, most_clauses: int) -> Described:
        """Return the index that the alias names; create it if it is missing and the layout permits it."""
        found = self.described()
        if found is None and not self._layout.read_only:
            self._make(f"{self.name}-000001", shards, replicas, self.name, {})
            self._raise_clauses(most_clauses)
            found = self.described()
        return self._checked(found)

    def existing(self) -> Described:
        """Return the index that the alias names."""
        return self._checked(self.described())

    def _checked(self, found: Described | None) -> Described:
        if found is None:
            raise DocStoreError(f"there is no index {validation.describe(self.name)}")
        self._layout.check(found.name, found.meta)
        return found

    def most_clauses(self, most: int) -> int:
        """Return the number of clauses that a query may have.

        Args:
            most: the number that a query may have at most.
        """
        told = self._client.ask(
            Request("GET", "/_cluster/settings?include_defaults=true&flat_settings=true", accept=(FORBIDDEN,))
        )
        for level in LEVELS:
            settings = told.get(level)
            if isinstance(settings, Mapping) and CLAUSES in settings:
                return min(most, int(settings[CLAUSES]))
        return min(most, DEFAULT_CLAUSES)

    def sources(self) -> dict[str, VectorSource]:
        """Return the stored sources of vector fields."""
        return {field: VectorSource(*source) for field, source in self._own().get("vectors", {}).items()}

    def keep_sources(self, sources: Sources) -> None:
        """Store the sources of vectors next to the documents."""
        kept = {field: list(source) for field, source in sources.items()}
        meta = {MARK: {**self._own(), "vectors": kept}}
        self._client.ask(Request("PUT", f"{self.path}/_mapping", {"_meta": meta}))

    def _own(self) -> Mapping[str, Any]:
        """Return the metadata that this library stores next to the documents."""
        found = self.described()
        own: Mapping[str, Any] = {} if found is None else found.meta.get(MARK, {})
        return own

    def refresh(self, name: str) -> None:
        """Make all written documents visible to searches."""
        self._client.ask(Request("POST", f"/{name}/_refresh"))

    def reindex(self, reader_of: Any, shards: int | None, replicas: int | None) -> str:
        """Copy the documents into a new index, point the alias to it, and return its name.

        Readers notice nothing. While the last changes are copied, writers are held up: they pause, as if the cluster
        were busy. At the end the previous index is removed. If anything fails, it stays and becomes writable again. If
        it is not known which index the alias names, the new one is removed only if the alias does not name it.

        Args:
            reader_of: returns the reader of an index, given its path.
            shards: the number of shards of the new index; `None` for the same number as before.
            replicas: the number of replicas of each shard; `None` for the same number as before.
        """
        before = self.opened(1, 1, DEFAULT_CLAUSES)
        name = _following(self.name, before.name)
        copies = before.replicas if replicas is None else replicas
        if not self._make(name, shards or before.shards, copies, "", before.meta):
            raise self._taken(before.name, name)
        try:
            self._copy(reader_of, before, name)
            self._swap(before.name, name)
        except BaseException as problem:
            if self._undone(problem, before.name, name) or not isinstance(problem, UnknownOutcomeError):
                raise
        return name

    def clean(self, is_dry: bool) -> list[str]:
        """Return the indexes that interrupted rebuilds have left, ascending, and remove them unless `is_dry`.

        They were made by this library, have the next numbers of this alias, and no alias at all. They are removed in
        one step with pointing the alias to the index in use: if a rebuild ends meanwhile, that index no longer exists,
        and nothing is removed. A rebuild that is still at work fails. The index in use then takes changes again, also
        if an interrupted cleaning has left nothing but its block.
        """
        before = self.existing()
        told = self._client.ask(Request("GET", f"/{self.name}-*?expand_wildcards=all"))
        found = sorted(name for name, index in told.items() if name != before.name and self._is_left(name, index))
        if is_dry:
            return found
        if found:
            actions: list[dict[str, Any]] = [{"add": {"index": before.name, "alias": self.name}}]
            actions += [{"remove_index": {"index": name}} for name in found]
            self._client.ask(Request("POST", "/_aliases", {"actions": actions}))
        if found or before.is_blocked:
            self._client.ask(Request("PUT", f"/{before.name}/_settings", WRITABLE))
        return found

    def _is_left(self, name: str, index: Mapping[str, Any]) -> bool:
        """Return whether an index without an alias is one that this library has made for the alias of this one."""
        numbered = NUMBERED.fullmatch(name)
        is_own = numbered is not None and numbered.group(1) == self.name
        return is_own and not index["aliases"] and MARK in index["mappings"].get("_meta", {})

    def _taken(self, before: str, name: str) -> DocStoreError:
        """Return the error for a new index whose name is already in use."""
        shown, found = validation.describe(name), self.described()
        if found is not None and found.name != before:
            return DocStoreError(f"another reindex was at work: {validation.describe(self.name)} names {shown} now")
        return DocStoreError(
            f"the index {shown} is there already: another reindex is at work, or was broken off; then run "
            f"hybrid-search opensearch clean --index {self.name}"
        )

    def _copy(self, reader_of: Any, before: Described, name: str) -> None:
        """Copy everything into another index; from then on the previous index refuses writes."""
        self._copy_properties(before.name, name)
        self.refresh(before.name)
        reader, copies = reader_of(f"/{before.name}"), reader_of(f"/{name}")
        writer = OpenSearchWriter(
            self._client, f"/{name}", copies, "false", False, lambda: self._copy_properties(before.name, name)
        )
        last = min(number for _, number in reader.generations.sequences(before.shards))
        with closing(reader.sources({"match_all": {}})) as sources:
            writer.copy(sources)
        self._hold_up_writers(before.name)
        self.refresh(before.name)
        with closing(reader.sources({"range": {"_seq_no": {"gt": last}}})) as sources:
            writer.copy(sources)
        self.refresh(name)
        writer.delete(sorted(set(copies.listed(Filters(None))).difference(reader.listed(Filters(None)))))
        self.refresh(name)

    def _make(self, name: str, shards: int, replicas: int, alias: str, meta: Mapping[str, Any]) -> bool:
        """Create an index; return whether it did not exist before."""
        own = meta.get(MARK, {})
        identity = str(self._client.microseconds)
        body = self._layout.index(self._client.engine, shards, replicas, alias, own, identity)
        answer = self._client.ask(Request("PUT", f"/{name}", body, accept=(BAD_REQUEST,)))
        error = answer.get("error")
        if isinstance(error, Mapping) and error.get("type") != THERE_ALREADY:
            raise self._client.failure(f"did not make the index {validation.describe(name)}: {error.get('reason')}")
        return error is None

    def _raise_clauses(self, most: int) -> None:
        if not self._client.engine.raises_clauses or self.most_clauses(most) == most:
            return
        body = {"persistent": {CLAUSES: most}}
        try:
            self._client.ask(Request("PUT", "/_cluster/settings", body))
        except DocStoreError as problem:
            log.warning(f"{problem}; the clauses of the lowest boosts of long questions are left out instead")

    def _copy_properties(self, source: str, target: str) -> None:
        told = self._client.ask(Request("GET", f"/{source}/_mapping"))
        made = self._layout.index(self._client.engine, 1, 1, "", {})["mappings"]["properties"]
        properties = told[source]["mappings"]["properties"]
        added = {name: one for name, one in properties.items() if name not in made and not name.startswith(IDENTITY)}
        self._client.ask(Request("PUT", f"/{target}/_mapping", {"properties": added}))

    def _hold_up_writers(self, name: str) -> None:
        """Make an index refuse writes, and wait for those in progress."""
        answer = self._client.ask(Request("PUT", f"/{name}/_block/write"))
        if answer.get("shards_acknowledged") is not True:
            raise self._client.failure(f"did not hold up all who write into {validation.describe(name)}")

    def _swap(self, before: str, after: str) -> None:
        """Point the alias to another index, and remove the previous index in the same step."""
        actions = [{"add": {"index": after, "alias": self.name}}, {"remove_index": {"index": before}}]
        self._client.ask(Request("POST", "/_aliases", {"actions": actions}, writes=True))

    def _undone(self, problem: BaseException, before: str, after: str) -> bool:
        """Undo a rebuild, and return whether the alias names the previous index.

        If so, the new index is removed and the previous one becomes writable again. The removal is one step with
        pointing the alias to the previous index: if that index no longer exists, nothing happens.
        """
        actions = [{"add": {"index": before, "alias": self.name}}, {"remove_index": {"index": after}}]
        try:
            self._client.ask(Request("POST", "/_aliases", {"actions": actions}, accept=(NOT_FOUND,)))
            found = self.described()
            if found is not None and found.name == after:
                return False
            self._client.ask(Request("PUT", f"/{before}/_settings", WRITABLE, accept=(NOT_FOUND,)))
            return True
        except DocStoreError as failure:
            raise UnknownOutcomeError(
                f"{problem}; this could not be undone: {failure}; {validation.describe(self.name)} names the index "
                f"{validation.describe(before)}, which may refuse writers, or {validation.describe(after)}"
            ) from None


def _following(alias: str, name: str) -> str:
    """Return the name of the index that follows another one."""
    match = NUMBERED.fullmatch(name)
    number = int(match.group(2)) + 1 if match else 1
    if number > MOST_NUMBER:
        raise InvalidInputError(f"the index was made anew {MOST_NUMBER} times: its numbers are used up")
    return f"{alias}-{number:06d}"
