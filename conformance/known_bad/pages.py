"""Faults of walks by cursor, of index files, and of the HTTP service."""

import hmac
import os
from types import SimpleNamespace
from typing import Any

from conformance.implementations.python import stores
from conformance.known_bad.fault import Fault, fault
from conformance.known_bad.library import replace


@fault("cursor_repeats")
class CursorRepeats(Fault):
    """Shows the last result of a page again at the beginning of the next."""

    def begin(self) -> None:
        """Pages begin with the key of their cursor, not after it."""
        from hybrid_search.search.ranking import Ranking

        right = Ranking.after

        def after(self: Any, key: Any, position: int, size: int) -> Any:
            return right(self, None, self.keys.index(key) if key in self.keys else position, size)

        replace(Ranking, "after", after)


@fault("cursor_skips")
class CursorSkips(Fault):
    """Leaves out a result between two pages."""

    def begin(self) -> None:
        """Pages begin one result too late."""
        from hybrid_search.search.ranking import Ranking, Stretch

        right = Ranking.after

        def after(self: Any, key: Any, position: int, size: int) -> Any:
            if key is None:
                return right(self, key, position, size)
            longer = right(self, key, position, size + 1)
            return Stretch(longer.keys[1:], longer.follows)

        replace(Ranking, "after", after)


@fault("signature_unchecked")
class SignatureUnchecked(Fault):
    """Takes cursors whatever their check value is."""

    def begin(self) -> None:
        """Every comparison of check values says yes."""
        from hybrid_search.search import cursor as cursors

        replace(cursors, "hmac", SimpleNamespace(new=hmac.new, compare_digest=lambda one, other: True))


@fault("file_forgets_delete")
class FileForgetsDelete(Fault):
    """Keeps documents in its index file of which it says that they are removed."""

    def begin(self) -> None:
        """Stores are files; a removal is counted and not written."""
        from hybrid_search.doc_store_adapter.sqlite.sqlite_doc_store import SqliteDocStore

        os.environ[stores.VARIABLE] = "sqlite"

        def delete(self: Any, identifiers: Any) -> int:
            return sum(self.get(identifier) is not None for identifier in dict.fromkeys(identifiers))

        replace(SqliteDocStore, "delete", delete)


@fault("http_always_200")
class HttpAlways200(Fault):
    """Tells errors with the status 200."""

    def begin(self) -> None:
        """The body of each problem is right, its status is not."""
        from hybrid_search.server.server_exchange import ServerExchange

        right = ServerExchange._done

        def done(self: Any, _status: int, *rest: Any) -> Any:
            return right(self, 200, *rest)

        replace(ServerExchange, "_done", done)
