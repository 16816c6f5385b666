"""Opens the store that an address names (CUR-5): a file, a collection in a database, or an index in OpenSearch."""

import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from hybrid_search.cli.usage import UsageError
from hybrid_search.doc_store_adapter.oceanbase.oceanbase_doc_store import OceanBaseDocStore
from hybrid_search.doc_store_adapter.opensearch.opensearch_doc_store import OpenSearchDocStore
from hybrid_search.doc_store_adapter.postgres.postgres_doc_store import PostgresDocStore
from hybrid_search.doc_store_adapter.sqlite.sqlite_doc_store import SqliteDocStore

PASSWORD = "HYBRID_SEARCH_OPENSEARCH_PASSWORD"
"""The environment variable with the password of the user in an address of OpenSearch."""
API_KEY = "HYBRID_SEARCH_OPENSEARCH_API_KEY"
"""The environment variable with an API key, for addresses of OpenSearch without a user."""
FILES = {"ca-file": "ca_file", "client-certificate": "client_certificate", "client-key": "client_key"}
"""The flags that name files for OpenSearch, and the options of the store that take them."""
OCEANBASE_PASSWORD = "HYBRID_SEARCH_OCEANBASE_PASSWORD"
"""The environment variable with the password of the user in an address of OceanBase, unless the address has one."""
DATABASES = ("postgresql", "postgres")
OCEANBASES = ("oceanbase", "mysql")
CLUSTERS = ("http", "https")


class StoreAddress:
    """An address.

    Args:
        text: a path, `postgresql://…#collection`, `oceanbase://…#collection` or `https://host:9200#index`.

    Raises:
        UsageError: an address of a server does not name a collection or an index.

    Attributes:
        text: the given text.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        scheme, separator, _ = text.partition("://")
        self._scheme = scheme.lower() if separator else ""
        self._place, separator, name = text.rpartition("#")
        self._name = unquote(name)
        if self._is_remote() and not (separator and self._name):
            what = "index" if self._scheme in CLUSTERS else "collection"
            raise UsageError(f"an address of a server ends with # and the name of the {what}")

    def is_cluster(self) -> bool:
        """Return whether the address is that of an index in OpenSearch."""
        return self._scheme in CLUSTERS

    def source(self, flags: Mapping[str, Any]) -> Any:
        """Return the store, which must exist.

        Args:
        flags: the flags of the command line; OpenSearch needs `FILES`, and `ragflow` for an index that RAGFlow made;
        OceanBase needs `ca-file`.
        """
        if "ragflow" in flags and not self.is_cluster():
            raise UsageError("--ragflow is for an index in OpenSearch")
        if self._scheme in DATABASES:
            return PostgresDocStore(self._place, self._name, migrate=False)
        if self._scheme in OCEANBASES:
            return self._oceanbase(flags, False)
        if self.is_cluster():
            opened = OpenSearchDocStore.ragflow_index if "ragflow" in flags else OpenSearchDocStore
            return opened(*self._cluster(), create=False, **self._access(flags))
        return SqliteDocStore(self.text, read_only=True)

    def target(self, flags: Mapping[str, Any]) -> Any:
        """Return the store, which is created if it is missing; see `source`."""
        if self._scheme in DATABASES:
            return PostgresDocStore(self._place, self._name)
        if self._scheme in OCEANBASES:
            return self._oceanbase(flags, True)
        if self.is_cluster():
            return OpenSearchDocStore(*self._cluster(), **self._access(flags))
        return SqliteDocStore(self.text)

    def _is_remote(self) -> bool:
        return self._scheme in DATABASES + OCEANBASES + CLUSTERS

    def _oceanbase(self, flags: Mapping[str, Any], migrate: bool) -> OceanBaseDocStore:
        word = os.environ.get(OCEANBASE_PASSWORD)
        password = None if word is None else lambda: word
        return OceanBaseDocStore(
            self._place, self._name, password=password, ca_file=flags.get("ca-file"), migrate=migrate
        )

    def _cluster(self) -> tuple[str, str]:
        scheme, separator, rest = self._place.partition("://")
        return f"{scheme}{separator}{rest.rpartition('@')[2]}", self._name

    def _access(self, flags: Mapping[str, Any]) -> dict[str, Any]:
        access: dict[str, Any] = {option: flags.get(flag) for flag, option in FILES.items()}
        user, separator, _ = self._place.partition("://")[2].rpartition("@")
        if separator:
            user = unquote(user.partition(":")[0])
            return {**access, "user": user, "password": lambda: os.environ.get(PASSWORD, "")}
        return {**access, "api_key": (lambda: os.environ[API_KEY]) if os.environ.get(API_KEY) else None}
