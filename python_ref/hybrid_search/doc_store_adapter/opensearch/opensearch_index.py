"""The index behind an alias: made, described, and made anew without a stop (OS-4)."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from hybrid_search.base import log, validation
from hybrid_search.doc_store_adapter.filters.filters import Filters
from hybrid_search.doc_store_adapter.opensearch.opensearch_client import FORBIDDEN, NOT_FOUND, OpenSearchClient, Request
from hybrid_search.doc_store_adapter.opensearch.opensearch_layout import MARK
from hybrid_search.doc_store_adapter.opensearch.opensearch_writer import OpenSearchWriter
from hybrid_search.doc_store_adapter.vector_models import Sources, VectorSource
from hybrid_search.errors import DocStoreError, InvalidInputError, UnknownOutcomeError

DEFAULT_CLAUSES = 1_024
CLAUSES = "indices.query.bool.max_clause_count"
LEVELS = ("transient", "persistent", "defaults")
NAME = re.compile("[a-z0-9][a-z0-9_.-]{0,99}")
NUMBERED = re.compile(r"(.*)-([0-9]{6})", re.DOTALL)
THERE_ALREADY = "resource_already_exists_exception"
BAD_REQUEST = 400


class Described(NamedTuple):
    """An index as the cluster tells of it.

    Attributes:
        name: its own name, not the alias.
        uuid: tells it from another one of that name.
        shards: into how many parts it is cut.
        replicas: how many copies there are of each.
        meta: what is kept beside the documents.
    """

    name: str
    uuid: str
    shards: int
    replicas: int
    meta: Mapping[str, Any]


class OpenSearchIndex:
    """An index that is asked by an alias, or one that RAGFlow made by its own name.

    Args:
        client: asks the cluster.
        name: the alias.
        layout: how documents lie in it.
    """

    def __init__(self, client: OpenSearchClient, name: str, layout: Any) -> None:
        if not NAME.fullmatch(validation.text("index", name)):
            raise validation.fail("index", name, "at most 100 of a-z, 0-9, _, - and ., a letter or digit first")
        self._client = client
        self._layout = layout
        self.name = name
        self.path = f"/{name}"

    def described(self) -> Described | None:
        """What is behind the alias now; none if nothing is."""
        found = self._client.ask(Request("GET", self.path, accept=(NOT_FOUND,)))
        if found is None:
            return None
        if len(found) != 1:
            raise DocStoreError(
                f"the name {validation.describe(self.name)} must be that of one index, not of {len(found)}"
            )
        ((name, told),) = found.items()
        settings = told["settings"]["index"]
        meta = told["mappings"].get("_meta", {})
        shards, replicas = int(settings["number_of_shards"]), int(settings["number_of_replicas"])
        return Described(name, settings["uuid"], shards, replicas, meta)

    def opened(self, shards: int, replicas: int, most_clauses: int) -> Described:
        """What is behind the alias; an index is made where nothing is, if the layout can make one."""
        found = self.described()
        if found is None and not self._layout.read_only:
            self._make(f"{self.name}-000001", shards, replicas, self.name, {})
            self._raise_clauses(most_clauses)
            found = self.described()
        if found is None:
            raise DocStoreError(f"there is no index {validation.describe(self.name)}")
        self._layout.check(found.name, found.meta)
        return found

    def most_clauses(self, most: int) -> int:
        """How many clauses a query may have.

        Args:
            most: how many it is to have at the most.
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
        """Return what is kept of vector fields."""
        return {field: VectorSource(*source) for field, source in self._own().get("vectors", {}).items()}

    def keep_sources(self, sources: Sources) -> None:
        """Keep where vectors come from, next to the documents."""
        kept = {field: list(source) for field, source in sources.items()}
        meta = {MARK: {**self._own(), "vectors": kept}}
        self._client.ask(Request("PUT", f"{self.path}/_mapping", {"_meta": meta}))

    def _own(self) -> Mapping[str, Any]:
        """What this library keeps next to the documents."""
        found = self.described()
        own: Mapping[str, Any] = {} if found is None else found.meta.get(MARK, {})
        return own

    def refresh(self, name: str) -> None:
        """Have everything that is written found."""
        self._client.ask(Request("POST", f"/{name}/_refresh"))

    def reindex(self, reader_of: Any, shards: int | None, replicas: int | None) -> str:
        """Copy the documents into a new index, and let the alias name that one; gives its name.

        Readers notice nothing. Writers are held up while the last changes are copied: they pause, as where the
        cluster is busy. The index before is removed at the end; if anything fails it stays, and is written again.
        Where it is not known whether the alias names the new one, that one goes only if it does not.

        Args:
            reader_of: gives the reader of an index by its path.
            shards: into how many parts the new one is cut; none: as many as before.
            replicas: how many copies there are of each; none: as many as before.
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

    def _taken(self, before: str, name: str) -> DocStoreError:
        """What is said where another one has made the index that was to be made."""
        shown, found = validation.describe(name), self.described()
        if found is not None and found.name != before:
            return DocStoreError(f"another reindex was at work: {validation.describe(self.name)} names {shown} now")
        return DocStoreError(
            f"the index {shown} is there already: another reindex is at work, or was broken off; then remove it, and "
            f"set index.blocks.write of {validation.describe(before)} to null"
        )

    def _copy(self, reader_of: Any, before: Described, name: str) -> None:
        """Copy everything into another index; from then on nobody writes into the one before."""
        self._copy_properties(before.name, name)
        self.refresh(before.name)
        reader, copies = reader_of(f"/{before.name}"), reader_of(f"/{name}")
        writer = OpenSearchWriter(self._client, f"/{name}", copies, "false", alias=False)
        last = min(number for _, number in reader.sequences(before.shards))
        writer.copy(reader.sources({"match_all": {}}))
        self._hold_up_writers(before.name)
        self.refresh(before.name)
        writer.copy(reader.sources({"range": {"_seq_no": {"gt": last}}}))
        self.refresh(name)
        writer.delete(sorted(set(copies.listed(Filters(None))).difference(reader.listed(Filters(None)))))
        self.refresh(name)

    def _make(self, name: str, shards: int, replicas: int, alias: str, meta: Mapping[str, Any]) -> bool:
        """Make an index; gives whether it was not there already."""
        own = meta.get(MARK, {})
        body = self._layout.index(shards, replicas, alias, own)
        answer = self._client.ask(Request("PUT", f"/{name}", body, accept=(BAD_REQUEST,)))
        error = answer.get("error")
        if isinstance(error, Mapping) and error.get("type") != THERE_ALREADY:
            raise self._client.failure(f"did not make the index {validation.describe(name)}: {error.get('reason')}")
        return error is None

    def _raise_clauses(self, most: int) -> None:
        if self.most_clauses(most) == most:
            return
        body = {"persistent": {CLAUSES: most}}
        try:
            self._client.ask(Request("PUT", "/_cluster/settings", body))
        except DocStoreError as problem:
            log.warning(f"{problem}; the clauses of the lowest boosts of long questions are left out instead")

    def _copy_properties(self, source: str, target: str) -> None:
        told = self._client.ask(Request("GET", f"/{source}/_mapping"))
        body = {"properties": told[source]["mappings"]["properties"]}
        self._client.ask(Request("PUT", f"/{target}/_mapping", body))

    def _hold_up_writers(self, name: str) -> None:
        """Have an index refuse what is written, and wait for what is being written."""
        answer = self._client.ask(Request("PUT", f"/{name}/_block/write"))
        if answer.get("shards_acknowledged") is not True:
            raise self._client.failure(f"did not hold up all who write into {validation.describe(name)}")

    def _swap(self, before: str, after: str) -> None:
        """Let the alias name another index, in one step with the removal of the one before."""
        actions = [{"add": {"index": after, "alias": self.name}}, {"remove_index": {"index": before}}]
        self._client.ask(Request("POST", "/_aliases", {"actions": actions}, writes=True))

    def _undone(self, problem: BaseException, before: str, after: str) -> bool:
        """Whether the alias names the index before; then the other one is gone, and that one is written again.

        It is removed in one step in which the alias names the index before: where that one is gone, nothing happens.
        """
        actions = [{"add": {"index": before, "alias": self.name}}, {"remove_index": {"index": after}}]
        try:
            self._client.ask(Request("POST", "/_aliases", {"actions": actions}, accept=(NOT_FOUND,)))
            found = self.described()
            if found is not None and found.name == after:
                return False
            taken = {"index.blocks.write": None}
            self._client.ask(Request("PUT", f"/{before}/_settings", taken, accept=(NOT_FOUND,)))
            return True
        except DocStoreError as failure:
            raise UnknownOutcomeError(
                f"{problem}; this could not be undone: {failure}; {validation.describe(self.name)} names the index "
                f"{validation.describe(before)}, which may refuse writers, or {validation.describe(after)}"
            ) from None


def _following(alias: str, name: str) -> str:
    """The name of the index that comes after one."""
    match = NUMBERED.fullmatch(name)
    number = int(match.group(2)) + 1 if match else 1
    if number > 999_999:
        raise InvalidInputError("the index was made anew 999999 times: its numbers are used up")
    return f"{alias}-{number:06d}"
