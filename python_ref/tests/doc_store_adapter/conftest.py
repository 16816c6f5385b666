"""Shared by the tests of stores."""

import pytest

from hybrid_search.doc_store_adapter import _blobs as blobs
from hybrid_search.doc_store_adapter import _postgres_screen as postgres_screen
from hybrid_search.doc_store_adapter import _sqlite_schema as schema

SMALL = ((blobs, "LENGTHS_IN_BLOCK", 4), (blobs, "PLACES_IN_CHUNK", 3), (schema, "VECTORS_IN_BLOCK", 2))


@pytest.fixture(params=[True, False], ids=["small blocks", "blocks as they are"])
def blocks(request, monkeypatch):
    """Blocks so small that there are many of each kind."""
    if request.param:
        for module, name, size in (*SMALL, (postgres_screen, "MORE", 1)):
            monkeypatch.setattr(module, name, size)
