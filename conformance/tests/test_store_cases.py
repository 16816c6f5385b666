"""The cases of stores, run with engines in both languages, as far as each store promises (CNF-10)."""

from fnmatch import fnmatchcase

import pytest

from conformance.engines.testing import opensearch_url, postgres_url
from conformance.implementations import listing
from conformance.judging import runner
from conformance.tests.conftest import committed

__all__ = ["opensearch_url", "postgres_url"]

pytestmark = pytest.mark.engines

QUICKLY = (
    "doc_store.dense_leg.cosine.00[1-3]",
    "doc_store.documents.steps.00[1-3]",
    "doc_store.search.whole.03[0-2]",
    "retriever.retrieve.small.00[1-3]",
)
"""An index takes a cluster a third of a second; `docs/opensearch.md` states its results for all cases."""


def ask(engine: str, patterns: tuple[str, ...]) -> dict[str, int]:
    """Run both languages, and return the number of passed cases in each if no case fails."""
    cases = [case for case in committed().cases if any(fnmatchcase(case.id, pattern) for pattern in patterns)]
    implementations = listing.load([f"python-{engine}", f"ruby-{engine}"])
    passed = {}
    for run in runner.run(implementations, cases, runner.Options(shuffle=False)):
        wrong = [f"{result.case}: {result.status}: {result.message}" for result in run.results if result.counts]
        assert not wrong, "\n".join([run.implementation.name, *wrong])
        passed[run.implementation.name] = sum(result.status == "pass" for result in run.results)
    return passed


@pytest.mark.parametrize("pattern", ["doc_store.*[258]", pytest.param("doc_store.*", marks=pytest.mark.nightly)])
def test_postgres_returns_the_bits_of_the_reference(postgres_url: str, pattern: str) -> None:
    passed = ask("postgres", (pattern,))
    assert set(passed.values()) == {sum(fnmatchcase(case.id, pattern) for case in committed().cases)}


def test_opensearch_meets_its_declared_guarantees(opensearch_url: str) -> None:
    passed = ask("opensearch", QUICKLY)
    assert len(passed) == 2
    assert set(passed.values()) == {12}
