"""The document store in OceanBase, which both languages read and write (OB-1 … OB-4)."""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from hybrid_search.base import validation
from hybrid_search.doc_store_adapter.documents import batch, stored_document
from hybrid_search.doc_store_adapter.documents.stored_document import StoredDocument
from hybrid_search.doc_store_adapter.oceanbase.oceanbase_address import OceanBaseAddress
from hybrid_search.doc_store_adapter.oceanbase.oceanbase_database import OceanBaseDatabase
from hybrid_search.doc_store_adapter.oceanbase.oceanbase_documents import OceanBaseDocuments
from hybrid_search.doc_store_adapter.oceanbase.oceanbase_tables import OceanBaseTables
from hybrid_search.doc_store_adapter.oceanbase.oceanbase_writer import OceanBaseWriter
from hybrid_search.doc_store_adapter.tables.table_store import Become, TableStore

OPTIONS = ("url", "collection", "user", "password", "ca_file", "migrate", "timeout", "connections", "dense")
DENSE = ("exact", "hnsw")
LONGEST_TIMEOUT = 86_400.0
NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
INDEXED_COMPONENTS = 4_096
"""The maximum number of components of a vector in an index of approximate neighbours."""


class OceanBaseDocStore(TableStore[OceanBaseTables]):
    """Documents in OceanBase, over MySQL's protocol: the engine finds candidates, this library scores them.

    A batch is one transaction, and each search sees one state. A candidate has the same scores as in a
    `MemoryDocStore`, bit for bit; of very many matching documents, the engine chooses the candidates of the text leg.
    Any number of processes in either language may read and write; the writers of a collection take turns.

    ```python
    store = OceanBaseDocStore("oceanbase://root@127.0.0.1:2881/test", collection="handbook")
    ```

    Args:
        url: `oceanbase://user:password@host:port/database` or the same with `mysql://`; `?ssl_ca=FILE` stands for
            `ca_file`.
        collection: the name with which the names of the tables begin.
        user: the name of the user, instead of the one in the URL.
        password: a callable that returns the password, instead of the one in the URL.
        ca_file: a file with the certificates of trusted authorities; the connections then use TLS.
        migrate: whether a missing collection is created.
        timeout: the maximum number of seconds for a statement, and for waiting for a connection.
        connections: the maximum number of connections.
        dense: "exact", or "hnsw" to find the nearest vectors with an index made by `build_index`.

    Raises:
        InvalidInputError: an option is unknown or not acceptable.
        DocStoreError: the server cannot be reached, the collection does not exist, or this version cannot read it.
            Every method raises it for the same reasons.
        ConfigurationError: pymysql is not installed.
    """

    @validation.known_options(OPTIONS)
    def __init__(
        self,
        url: str,
        collection: str = "hybrid_search",
        user: str | None = None,
        password: Callable[[], str] | None = None,
        ca_file: str | None = None,
        migrate: bool = True,
        timeout: float = 30.0,
        connections: int = 4,
        dense: str = "exact",
    ) -> None:
        self.collection = _name(collection)
        self._approximate = validation.choice("dense", dense, DENSE) == "hnsw"
        super().__init__(OceanBaseDocuments(self._approximate))
        self._database = OceanBaseDatabase(
            OceanBaseAddress(url, user, password, ca_file),
            self.collection,
            validation.boolean("migrate", migrate),
            validation.number("timeout", timeout, 0.001, LONGEST_TIMEOUT),
            validation.integer("connections", connections, 1),
        )

    def close(self) -> None:
        """Close the connections; all other methods then raise `DocStoreError`."""
        self._database.close()

    @property
    def exact_text(self) -> bool:
        """See `DocStoreAdapter.exact_text`; of very many matching documents, the engine chooses the candidates."""
        return False

    @property
    def supports_bm25f(self) -> bool:
        """See `DocStoreAdapter.supports_bm25f`."""
        return True

    @property
    def states_generation(self) -> bool:
        """See `DocStoreAdapter.states_generation`; a search reads it in its own transaction."""
        return True

    @property
    def exact_dense(self) -> bool:
        """See `DocStoreAdapter.exact_dense`."""
        return not self._approximate

    def build_index(self, field: str, m: int = 16, ef_construction: int = 64) -> None:
        """Create an HNSW index of a vector field for searches with `dense="hnsw"`; batches wait for it.

        Args:
            field: a field with stored vectors of at most 4,096 components.
            m: the number of neighbours that a vector is linked to on each level, 5 to 64.
            ef_construction: the number of candidates that are explored for each vector, 2·m to 1,000.

        Raises:
            InvalidInputError: there is no such field, or a number is outside its range.
        """
        dimension = stored_document.vector_dimension("field", validation.text("field", field))
        if dimension > INDEXED_COMPONENTS:
            raise validation.fail("field", field, f"a vector field of at most {INDEXED_COMPONENTS} components")
        links = validation.integer("m", m, 5, 64)
        explored = validation.integer("ef_construction", ef_construction, 2 * links, 1000)
        with self._reading() as tables:
            if not tables.holds_vectors(field):
                raise validation.fail("field", field, "a field of which vectors are stored")
        self._database.make_approximate(dimension, links, explored)

    def drop(self) -> None:
        """Remove the collection with all its documents permanently, and close the store."""
        self._database.drop()

    def _change(self, documents: Sequence[Mapping[str, Any]], become: Become) -> int:
        self._prepare(batch.accept(documents))
        return super()._change(documents, become)

    def _prepare(self, accepted: Sequence[StoredDocument]) -> None:
        """Create the tables that the vectors of documents need; this cannot be a part of a transaction."""
        fields = {field for document in accepted for field in document.vectors}
        self._database.prepare(stored_document.vector_dimension("field", field) for field in fields)

    def _reading(self) -> AbstractContextManager[OceanBaseTables]:
        return self._database.reading()

    def _writing(self) -> AbstractContextManager[OceanBaseTables]:
        return self._database.writing()

    def _writer(self, tables: OceanBaseTables) -> OceanBaseWriter:
        return OceanBaseWriter(tables)

    def _counted_vectors(self, tables: OceanBaseTables) -> Mapping[str, int]:
        return {} if self._approximate else tables.vector_counts()


def _name(collection: Any) -> str:
    name = validation.text("collection", collection)
    if NAME.fullmatch(name) is None:
        raise validation.fail("collection", name, "1 to 40 lower-case letters, digits and _, beginning with a letter")
    return name
