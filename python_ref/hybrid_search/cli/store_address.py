"""Opens the store that an address names (CUR-5): a file, a collection in PostgreSQL or an index in OpenSearch."""

import os
from typing import Any
from urllib.parse import unquote, urlsplit

from hybrid_search.cli.usage import UsageError
from hybrid_search.doc_store_adapter.opensearch.opensearch_doc_store import OpenSearchDocStore
from hybrid_search.doc_store_adapter.postgres.postgres_doc_store import PostgresDocStore
from hybrid_search.doc_store_adapter.sqlite.sqlite_doc_store import SqliteDocStore

PASSWORD = "HYBRID_SEARCH_OPENSEARCH_PASSWORD"
"""Environment variable with the password of the user in an address of OpenSearch."""
DATABASES = ("postgresql", "postgres")
CLUSTERS = ("http", "https")


class StoreAddress:
    """An address.

    Args:
        text: a path, `postgresql://…#collection` or `https://host:9200#index`.

    Raises:
        UsageError: an address of a server does not name a collection or an index.

    Attributes:
        text: as given.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        scheme, separator, _ = text.partition("://")
        self._scheme = scheme.lower() if separator else ""
        self._place, separator, name = text.rpartition("#")
        self._name = unquote(name)
        if self._is_remote() and not (separator and self._name):
            what = "collection" if self._scheme in DATABASES else "index"
            raise UsageError(f"an address of a server ends with # and the name of the {what}")

    def source(self, ca_file: str | None, ragflow: bool) -> Any:
        """Return the store, which must exist.

        Args:
            ca_file: the certificates of trusted authorities, for OpenSearch.
            ragflow: whether it is an index that RAGFlow made.
        """
        if ragflow and self._scheme not in CLUSTERS:
            raise UsageError("--ragflow is for an index in OpenSearch")
        if self._scheme in DATABASES:
            return PostgresDocStore(self._place, self._name, migrate=False)
        if self._scheme in CLUSTERS:
            opened = OpenSearchDocStore.ragflow_index if ragflow else OpenSearchDocStore
            return opened(*self._cluster(), **self._access(ca_file))
        return SqliteDocStore(self.text, read_only=True)

    def target(self, ca_file: str | None) -> Any:
        """Return the store, which is created if it is missing; see `source`."""
        if self._scheme in DATABASES:
            return PostgresDocStore(self._place, self._name)
        if self._scheme in CLUSTERS:
            return OpenSearchDocStore(*self._cluster(), **self._access(ca_file))
        return SqliteDocStore(self.text)

    def _is_remote(self) -> bool:
        return self._scheme in DATABASES or self._scheme in CLUSTERS

    def _cluster(self) -> tuple[str, str]:
        scheme, separator, rest = self._place.partition("://")
        return f"{scheme}{separator}{rest.rpartition('@')[2]}", self._name

    def _access(self, ca_file: str | None) -> dict[str, Any]:
        user = urlsplit(self._place).username
        if user is None:
            return {"ca_file": ca_file}
        return {"ca_file": ca_file, "user": unquote(user), "password": lambda: os.environ.get(PASSWORD, "")}
