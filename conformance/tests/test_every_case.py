"""The cases under pytest: one test per case id, run by every listed implementation (CNF-13).

`bin/test` leaves this to `bin/conformance`, which runs the same cases twice; `bin/test --nightly` does it. The file
has no other tests, so that `bin/test` need not collect thousands of cases that it skips.
"""

from collections.abc import Iterator

import pytest

from conformance.cases.fixtures import Case
from conformance.implementations import listing
from conformance.judging import known
from conformance.judging.judge import judge
from conformance.tests.conftest import committed
from conformance.wire.child import Child


@pytest.fixture(scope="session")
def children() -> Iterator[list[Child]]:
    chosen, _ = listing.installed(listing.load(), named=False)
    listed = [Child(implementation) for implementation in chosen]
    yield listed
    for child in listed:
        child.close()


@pytest.mark.cases
@pytest.mark.parametrize("case", [pytest.param(case, id=case.id) for case in committed().cases])
def test_every_implementation_passes_the_case(case: Case, children: list[Child]) -> None:
    entries = known.load()
    wrong = []
    for child in children:
        name = child.implementation.name
        judgement = judge(case, child.ask(case.operation, case.params, case.input, want_trace=True))
        entry = known.find(entries, case.id, name)
        allowed = "pass" if child.implementation.supports(case.operation) else "unsupported"
        if judgement.status in ({entry.kind} if entry else {"pass", allowed}):
            continue
        lines = [f"{name}: {judgement.status}, first wrong stage {judgement.stage}: {judgement.message}"]
        wrong.append("\n".join([*lines, *judgement.details]))
    assert not wrong, "\n".join(wrong)
