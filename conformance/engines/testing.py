"""What tests that need a running engine ask for; without one they are skipped, and say what starts it."""

import os
from collections.abc import Callable

import pytest

POSTGRES_VARIABLE = "HYBRID_SEARCH_POSTGRES_URL"
OPENSEARCH_VARIABLE = "HYBRID_SEARCH_OPENSEARCH_URL"
OCEANBASE_VARIABLE = "HYBRID_SEARCH_OCEANBASE_URL"
SKIPPED = "{variable} is not set: no {kind} runs for tests (bin/engines run {kind} -- bin/test engines)"


def _address(kind: str, variable: str) -> Callable[[], str]:
    @pytest.fixture(scope="session", name=f"{kind}_url")
    def fixture() -> str:
        url = os.environ.get(variable)
        if not url:
            pytest.skip(SKIPPED.format(variable=variable, kind=kind))
        return url

    return fixture


postgres_url = _address("postgres", POSTGRES_VARIABLE)
"""The address of a PostgreSQL database with pgvector, owned by the role that connects."""
opensearch_url = _address("opensearch", OPENSEARCH_VARIABLE)
"""The addresses of OpenSearch's nodes, with commas between them."""
oceanbase_url = _address("oceanbase", OCEANBASE_VARIABLE)
"""The address of an OceanBase database, in which the user that connects may do everything."""
