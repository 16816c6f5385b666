"""The list of known-bad implementations and their declared verdicts, from `known_bad.yml` (CNF-18)."""

import sys
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from conformance import yaml_files
from conformance.cases.fixtures import Case
from conformance.errors import BrokenError
from conformance.implementations.listing import Implementation
from conformance.judging.results import STATUSES
from conformance.known_bad.fault import AT
from conformance.paths import CONFORMANCE, ROOT

LIST = CONFORMANCE / "known_bad" / "known_bad.yml"
KEYS = {"does", "cases", "at", "timeout", "start_timeout", "capabilities", "verdict", "exit"}
PASS = "pass"


@dataclass(frozen=True)
class KnownBad:
    """One implementation that is wrong on purpose.

    Attributes:
        name: the name of its fault.
        does: what it does wrong, in words.
        cases: patterns of the ids of the cases it is asked.
        at: the id of the case at which it strikes, where it does so at one only.
        timeout: seconds for one case.
        start_timeout: seconds until it must have said hello.
        capabilities: what it is listed with; none: everything.
        verdict: pattern of case ids → status, or status and stage (`fail at fuse`); the first that matches counts. A
            case that matches none must pass.
        exit: the exit status of the run.
    """

    name: str
    does: str
    cases: tuple[str, ...]
    at: str | None
    timeout: float
    start_timeout: float
    capabilities: tuple[str, ...] | None
    verdict: tuple[tuple[str, str], ...]
    exit: int

    def takes(self, case: Case) -> bool:
        """Whether it is asked a case."""
        return any(fnmatchcase(case.id, pattern) for pattern in self.cases)

    def expected(self, case: str) -> str:
        """The declared verdict of a case."""
        return next((verdict for pattern, verdict in self.verdict if fnmatchcase(case, pattern)), PASS)

    def implementation(self, cases: list[Case]) -> Implementation:
        """How to start it.

        Args:
            cases: those it is asked, among them the one at which it strikes.
        """
        environment = {"PYTHONPATH": f"{ROOT}:{ROOT / 'python_ref'}", "HYBRID_SEARCH_KERNELS": "plain"}
        if self.at is not None:
            environment[AT] = next(case.fingerprint for case in cases if case.id == self.at)
        return Implementation(
            name=self.name,
            command=(sys.executable, "-m", "conformance.known_bad.serve", self.name),
            folder=ROOT,
            timeout=self.timeout,
            start_timeout=self.start_timeout,
            capabilities=self.capabilities,
            environment=tuple(environment.items()),
        )


def load(path: Path = LIST) -> list[KnownBad]:
    """The entries of the list.

    Raises:
        BrokenError: an entry is not in order.
    """
    content = yaml_files.load(path)
    if not isinstance(content, dict):
        raise BrokenError(f"{path.name}: must be an object")
    return [_entry(path, name, entry) for name, entry in content.items()]


def _entry(path: Path, name: str, entry: Any) -> KnownBad:
    where = f"{path.name}: {name}"
    if not isinstance(entry, dict) or not {"does", "cases", "verdict", "exit"} <= set(entry) <= KEYS:
        raise BrokenError(
            f"{where} must have does, cases, verdict, exit, and may have at, timeout, start_timeout, capabilities"
        )
    verdict = entry["verdict"]
    if not isinstance(verdict, dict):
        raise BrokenError(f"{where}: verdict must be an object")
    unknown = [text for text in verdict.values() if str(text).partition(" at ")[0] not in STATUSES]
    if unknown:
        raise BrokenError(f"{where}: unknown status {unknown[0]}")
    capabilities = entry.get("capabilities")
    return KnownBad(
        name=name,
        does=entry["does"],
        cases=tuple(entry["cases"]),
        at=entry.get("at"),
        timeout=float(entry.get("timeout", 20)),
        start_timeout=float(entry.get("start_timeout", 60)),
        capabilities=None if capabilities is None else tuple(capabilities),
        verdict=tuple(verdict.items()),
        exit=entry["exit"],
    )
