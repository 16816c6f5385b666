"""What tests that need a running engine ask for; without one they are skipped, and say what starts it."""

import os
from collections.abc import Callable

import pytest

SKIPPED = "{variable} is not set: no {kind} runs for tests (bin/engines run {kind} -- bin/test engines)"


def _address(kind: str, variable: str) -> Callable[[], str]:
    @pytest.fixture(scope="session", name=f"{kind}_url")
    def fixture() -> str:
        url = os.environ.get(variable)
        if not url:
            pytest.skip(SKIPPED.format(variable=variable, kind=kind))
        return url

    return fixture


postgres_url = _address("postgres", "HYBRID_SEARCH_POSTGRES_URL")
"""The address of a PostgreSQL database with pgvector, owned by the role that connects."""
opensearch_url = _address("opensearch", "HYBRID_SEARCH_OPENSEARCH_URL")
"""The addresses of OpenSearch's nodes, with commas between them."""
