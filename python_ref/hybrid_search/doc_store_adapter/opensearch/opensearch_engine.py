"""The requests in which OpenSearch and Elasticsearch differ (OS-7)."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hybrid_search.base import validation
from hybrid_search.errors import DocStoreError

OLDEST = (8, 4)
"""The first version of Elasticsearch whose searches take nearest neighbours and filter them."""
LESS_STORED = (9, 2)
"""From this version on, Elasticsearch stores vectors as floats of 32 bits alone, unless an index says otherwise."""
MOST_COMPONENTS = 16_000
VECTOR_TYPES = ("knn_vector", "dense_vector")


class OpenSearchEngine:
    """OpenSearch 2 with its k-NN plugin.

    Attributes:
        name: the name in messages.
        raises_clauses: whether a setting determines the number of clauses of a query.
        points: the path of points in time.
    """

    name = "OpenSearch"
    raises_clauses = True
    points = "/_search/point_in_time"

    @property
    def most_components(self) -> int:
        """The maximum number of components of a vector."""
        return MOST_COMPONENTS

    def settings(self) -> dict[str, Any]:
        """Return the settings of an index with vectors."""
        return {"knn": True}

    def vector(self, dimension: int) -> dict[str, Any]:
        """Return the mapping of a vector field."""
        method = {"name": "hnsw", "engine": "lucene", "space_type": "cosinesimil"}
        return {"type": "knn_vector", "dimension": dimension, "method": method}

    def near(self, field: str, vector: Sequence[float], filters: Any, k: int) -> dict[str, Any]:
        """Return a query for the `k` nearest neighbours that the graph reaches; scores are (1 + cosine) / 2."""
        return {"knn": {field: {"vector": vector, "k": k, "filter": filters}}}

    def asked(self, query: dict[str, Any]) -> dict[str, Any]:
        """Return the part of a search request that contains a query."""
        return {"query": query}

    def compared(self, field: str, vector: Sequence[float]) -> dict[str, Any]:
        """Return the script that compares a vector with that of a document; scores are (1 + cosine) / 2."""
        params = {"field": field, "query_value": list(vector), "space_type": "cosinesimil"}
        return {"lang": "knn", "source": "knn_score", "params": params}

    def point(self, opened: Mapping[str, Any]) -> Any:
        """Return the id of an opened point in time."""
        return opened.get("pit_id")

    def closing(self, point: str) -> dict[str, Any]:
        """Return the body that closes a point in time."""
        return {"pit_id": [point]}


class ElasticsearchEngine(OpenSearchEngine):
    """Elasticsearch 8 or 9.

    Args:
        version: the version's first two numbers.
    """

    name = "Elasticsearch"
    raises_clauses = False
    points = "/_pit"

    def __init__(self, version: tuple[int, int]) -> None:
        self._stores_all = version < LESS_STORED

    @property
    def most_components(self) -> int:
        """See `OpenSearchEngine.most_components`."""
        return 4_096

    def settings(self) -> dict[str, Any]:
        """See `OpenSearchEngine.settings`."""
        return {} if self._stores_all else {"mapping": {"exclude_source_vectors": False}}

    def vector(self, dimension: int) -> dict[str, Any]:
        """See `OpenSearchEngine.vector`."""
        graph = {"type": "hnsw", "m": 16, "ef_construction": 100}
        indexed = {"index": True, "similarity": "cosine", "index_options": graph}
        return {"type": "dense_vector", "dims": dimension, **indexed}

    def near(self, field: str, vector: Sequence[float], filters: Any, k: int) -> dict[str, Any]:
        """See `OpenSearchEngine.near`."""
        return {"knn": {"field": field, "query_vector": vector, "k": k, "num_candidates": k, "filter": filters}}

    def asked(self, query: dict[str, Any]) -> dict[str, Any]:
        """See `OpenSearchEngine.asked`; neighbours are requested next to a query, and the union of both is found."""
        if "knn" in query:
            return {"knn": query["knn"]}
        near, *others = query.get("bool", {}).get("should", [{}])
        return {"query": others[0], "knn": near["knn"]} if "knn" in near else {"query": query}

    def compared(self, field: str, vector: Sequence[float]) -> dict[str, Any]:
        """See `OpenSearchEngine.compared`."""
        source = "(1.0 + cosineSimilarity(params.vector, params.field)) / 2.0"
        return {"source": source, "params": {"field": field, "vector": list(vector)}}

    def point(self, opened: Mapping[str, Any]) -> Any:
        """See `OpenSearchEngine.point`."""
        return opened.get("id")

    def closing(self, point: str) -> dict[str, Any]:
        """See `OpenSearchEngine.closing`."""
        return {"id": point}


def of(response: Any) -> OpenSearchEngine:
    """Return the engine of a node by its response to `GET /`; OpenSearch if it does not state a version.

    Raises:
        DocStoreError: the version of Elasticsearch is too old.
    """
    version = response.get("version") if isinstance(response, Mapping) else None
    if not isinstance(version, Mapping) or version.get("distribution") == "opensearch":
        return OpenSearchEngine()
    numbers = re.match(r"(\d{1,9})\.(\d{1,9})", str(version.get("number")))
    found = (int(numbers.group(1)), int(numbers.group(2))) if numbers else (0, 0)
    if found < OLDEST:
        shown = validation.describe(version.get("number"))
        raise DocStoreError(f"an OpenSearchDocStore needs OpenSearch 2, or Elasticsearch 8.4 or later, not {shown}")
    return ElasticsearchEngine(found)
