"""What mutants are changes of: the implementations as they are, which must pass the case that kills (CNF-19)."""

import threading

from conformance.cases.fixtures import Case
from conformance.errors import BrokenError
from conformance.implementations import listing
from conformance.judging import promises
from conformance.mutants import command_lines, own_tests
from conformance.mutants.table import Mutant
from conformance.paths import ROOT
from conformance.wire.child import NO_ANSWER, Child


class Originals:
    """The implementations without a change, asked nothing twice. May be used from several threads."""

    def __init__(self) -> None:
        self._children: dict[str, Child] = {}
        self._problems: dict[tuple[str, str], str | None] = {}
        self._lock = threading.Lock()

    def check(self, mutant: Mutant, killer: str, case: Case | None) -> None:
        """See that a case that kills a mutant is as expected of what the mutant is a change of.

        Args:
            mutant: it.
            killer: the id of the case.
            case: the case; none: a command line, or a test.

        Raises:
            BrokenError: it is not.
        """
        asked = mutant.language if case is None else mutant.asked(case.operation)
        key = (asked, "" if mutant.is_command else killer)
        with self._lock:
            if key not in self._problems:
                if case is not None:
                    self._problems[key] = self._answer(asked, case)
                else:
                    found = command_lines.noticed(ROOT, asked) if mutant.is_command else own_tests.one(ROOT, killer)
                    self._problems[key] = None if found is None else ": ".join(found)
            problem = self._problems[key]
        if problem is not None:
            raise BrokenError(f"{asked} is not as expected without a change either: {problem}")

    def close(self) -> None:
        """End what was started."""
        for child in self._children.values():
            child.kill()

    def _answer(self, implementation: str, case: Case) -> str | None:
        if implementation not in self._children:
            (listed,) = listing.load([implementation])
            self._children[implementation] = Child(listed)
        child = self._children[implementation]
        try:
            answer = child.ask(case.operation, case.params, case.input, want_trace=True)
            judgement = promises.judged(child.implementation, case, answer)
        except NO_ANSWER as problem:
            return f"{case.id}: no answer: {str(problem).splitlines()[0]}"
        return None if judgement.status == "pass" else f"{case.id}: {judgement.message}"
