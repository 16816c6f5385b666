"""The stores whose first pages are compared with memory's."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

from conformance.engines.testing import OCEANBASE_VARIABLE, OPENSEARCH_VARIABLE
from hybrid_search.doc_store_adapter.oceanbase.oceanbase_doc_store import OceanBaseDocStore
from hybrid_search.doc_store_adapter.opensearch.opensearch_doc_store import OpenSearchDocStore
from hybrid_search.doc_store_adapter.opensearch.opensearch_transport import OpenSearchTransport


class Noting:
    """Keeps the ids that the last search has given."""

    block: list[str]

    def search(self, *arguments: Any, **options: Any) -> Any:
        """See `DocStoreAdapter.search`."""
        found = super().search(*arguments, **options)  # type: ignore[misc]
        self.block = list(found.ids)
        return found


class _Cluster(Noting, OpenSearchDocStore):
    pass


class _OceanBase(Noting, OceanBaseDocStore):
    pass


Made = tuple[Any, dict[str, Any]]
"""An empty store, and how Ruby opens it."""


@dataclass(frozen=True)
class TestedEngine:
    """A kind of store.

    Attributes:
        variable: the environment variable that names its server.
        formula: memory's formula that its text scores follow.
        dense: its option by default.
        made: a block with an empty store of a name, which is removed afterwards.
        index: has a vector field indexed where the option needs that.
    """

    variable: str
    formula: str
    dense: str
    made: Callable[[str, str, str], AbstractContextManager[Made]]
    index: Callable[[Any, str, str], None]


@contextmanager
def _in_opensearch(url: str, name: str, dense: str) -> Iterator[Made]:
    urls = url.split(",")
    index = name.replace("_", "-")
    try:
        yield _Cluster(urls, index, replicas=0, dense=dense), {"url": urls, "index": index, "dense": dense}
    finally:
        OpenSearchTransport(urls).request("DELETE", f"/{index}-*", None, 30.0)


@contextmanager
def _in_oceanbase(url: str, name: str, dense: str) -> Iterator[Made]:
    store = _OceanBase(url, name, dense=dense)
    try:
        yield store, {"url": url, "collection": name, "dense": dense}
    finally:
        store.drop()
        store.close()


def _indexed(store: Any, dense: str, field: str) -> None:
    if dense == "hnsw":
        store.build_index(field)


ENGINES = {
    "opensearch": TestedEngine(OPENSEARCH_VARIABLE, "okapi", "approximate", _in_opensearch, lambda *given: None),
    "oceanbase": TestedEngine(OCEANBASE_VARIABLE, "lucene", "exact", _in_oceanbase, _indexed),
}
