"""Shared by all tests: where things are, and how slow tests are named."""

import gc
from pathlib import Path

import pytest

from conformance.engines.testing import oceanbase_url, opensearch_url, postgres_url

__all__ = ["oceanbase_url", "opensearch_url", "postgres_url", "repository"]

REPOSITORY = Path(__file__).resolve().parents[2]


def pytest_collection_finish():
    """Let Python look for unused cycles less often: it would go through all collected tests."""
    gc.set_threshold(50_000, 20, 50)


@pytest.fixture(scope="session")
def repository() -> Path:
    """The folder of the checkout."""
    return REPOSITORY


@pytest.fixture
def collections(postgres_url):
    """Makes stores in PostgreSQL, and removes them at the end."""
    from python_ref.tests.doc_store_adapter.postgres_stores import Collections  # psycopg need not be there

    made = Collections(postgres_url)
    yield made
    made.close()
