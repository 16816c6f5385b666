"""How far the copies of an index have come: what not all have may still be lost with the nodes that have it (OS-3)."""

import math
from collections.abc import Mapping
from typing import Any

from hybrid_search.doc_store_adapter.opensearch.opensearch_client import FORBIDDEN, OpenSearchClient, Request

NOWHERE = -1.0
SHARDS = "index.number_of_shards"


class OpenSearchCheckpoints:
    """Asks the primaries of an index what the other copies have.

    Args:
        client: asks the cluster.
        index: the path of the index or its alias.
    """

    def __init__(self, client: OpenSearchClient, index: str) -> None:
        self._client = client
        self._index = index
        self._shards: dict[str, int] = {}

    def reached(self) -> float:
        """The number of the last operation up to which every copy of every part has them all.

        Infinite where the copies have whatever there is; below all numbers where that cannot be told.
        """
        told = self._client.ask(Request("GET", f"{self._index}/_stats/docs?level=shards", accept=(FORBIDDEN,)))
        indices = {name: _primaries(index) for name, index in told.get("indices", {}).items()}
        if not indices or any(len(found) != self._parts(name) for name, found in indices.items()):
            return NOWHERE
        checkpoints = [one for found in indices.values() for one in found]
        if all(one["global_checkpoint"] == one["max_seq_no"] for one in checkpoints):
            return math.inf
        return float(min(one["global_checkpoint"] for one in checkpoints))

    def terms(self) -> dict[str, int]:
        """Of each part which primary it has by now, counted from its first; empty where that may not be asked."""
        path = f"/_cluster/state/metadata{self._index}?filter_path=metadata.indices.*.primary_terms"
        told = self._client.ask(Request("GET", path, accept=(FORBIDDEN,)))
        indices = told.get("metadata", {}).get("indices", {}).values()
        return {part: term for index in indices for part, term in index["primary_terms"].items()}

    def _parts(self, name: str) -> int:
        """Into how many parts an index is cut, which never changes."""
        if name not in self._shards:
            told = self._client.ask(Request("GET", f"/{name}/_settings/{SHARDS}?flat_settings=true"))
            self._shards[name] = int(told[name]["settings"][SHARDS])
        return self._shards[name]


def _primaries(index: Mapping[str, Any]) -> list[Mapping[str, int]]:
    """What the primaries of an index tell, as far as they work."""
    copies = (copy for copies in index["shards"].values() for copy in copies)
    return [copy["seq_no"] for copy in copies if copy["routing"]["primary"] and copy["routing"]["state"] == "STARTED"]
