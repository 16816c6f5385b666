"""The state of an index's replicas: an operation that only some copies have may be lost with their nodes (OS-3)."""

import math
from collections.abc import Mapping
from typing import Any

from hybrid_search.doc_store_adapter.opensearch.opensearch_client import FORBIDDEN, OpenSearchClient, Request

NOWHERE = -1.0
SHARDS = "index.number_of_shards"


class OpenSearchCheckpoints:
    """Asks the primary shards of an index which operations all copies have.

    Args:
        client: sends requests to the cluster.
        index: the path of the index or of its alias.
    """

    def __init__(self, client: OpenSearchClient, index: str) -> None:
        self._client = client
        self._index = index
        self._shards: dict[str, int] = {}

    def reached(self) -> float:
        """Return the number of the last operation that every copy of every shard has, with all earlier ones.

        The number is infinite if the copies have all operations, and below all others if it is not known.
        """
        told = self._client.ask(Request("GET", f"{self._index}/_stats/docs?level=shards", accept=(FORBIDDEN,)))
        told_indices = told.get("indices", {})
        indices = {name: _primaries(index) for name, index in told_indices.items()}
        parts = {name: self._parts(name, str(index.get("uuid"))) for name, index in told_indices.items()}
        if not indices or any(len(found) != parts[name] for name, found in indices.items()):
            return NOWHERE
        checkpoints = [one for found in indices.values() for one in found]
        if all(one["global_checkpoint"] == one["max_seq_no"] for one in checkpoints):
            return math.inf
        return float(min(one["global_checkpoint"] for one in checkpoints))

    def terms(self) -> dict[str, int]:
        """Return shard → the number of its current primary, counted from the first; empty if reading is forbidden."""
        path = f"/_cluster/state/metadata{self._index}?filter_path=metadata.indices.*.primary_terms"
        told = self._client.ask(Request("GET", path, accept=(FORBIDDEN,)))
        indices = told.get("metadata", {}).get("indices", {}).values()
        return {part: term for index in indices for part, term in index["primary_terms"].items()}

    def _parts(self, name: str, uuid: str) -> int:
        """Return the number of shards of an index, which never changes; another index of that name has another uuid."""
        if uuid not in self._shards:
            told = self._client.ask(Request("GET", f"/{name}/_settings/{SHARDS}?flat_settings=true"))
            self._shards[uuid] = int(told[name]["settings"][SHARDS])
        return self._shards[uuid]


def _primaries(index: Mapping[str, Any]) -> list[Mapping[str, int]]:
    """Return the sequence numbers that the started primary shards of an index report."""
    copies = (copy for copies in index["shards"].values() for copy in copies)
    return [copy["seq_no"] for copy in copies if copy["routing"]["primary"] and copy["routing"]["state"] == "STARTED"]
