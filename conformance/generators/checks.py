"""Checks the cases as they are written, before the reference computes any of them (CNF-5, CNF-20)."""

from itertools import chain

from conformance.cases import clause_map, lint
from conformance.generators.case_files import CaseFile
from conformance.implementations.python import registry


def problems(case_list: list[CaseFile], whole: bool) -> list[str]:
    """Return what is wrong with the cases, a line each, besides what reading them finds.

    Args:
        case_list: the case files.
        whole: whether these are all that there are; then citations of clauses are checked too.
    """
    cases = list(chain.from_iterable(case_file.cases for case_file in case_list))
    found = [*_operations(case_list), *lint.leniency(cases)]
    return found + (clause_map.look(cases)[1] if whole else [])


def _operations(case_list: list[CaseFile]) -> list[str]:
    """The case files of operations that the reference does not have."""
    found = []
    for case_file in case_list:
        try:
            registry.find(case_file.operation)
        except registry.UnknownOperationError as problem:
            found.append(f"{case_file.path}: {problem}")
    return found
