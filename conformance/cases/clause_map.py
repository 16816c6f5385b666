"""The map of clauses to their text, their cases and the code that cites them, as a document (CNF-20).

bin/conformance clauses            writes docs/clauses.md
bin/conformance clauses --check    ends with 1 when it is not what specification, cases and code give
"""

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, Protocol

from conformance import yaml_files
from conformance.cases import citations, fixtures, lint, specification, stages
from conformance.cases.citations import Citation
from conformance.cases.fixtures import Case
from conformance.cases.specification import Clause
from conformance.paths import CONFORMANCE, ROOT

DOCUMENT = ROOT / "docs" / "clauses.md"
SUITE = "CNF"
"""The clauses that the suite itself follows, not the libraries."""
HEAD = """# Clauses, their cases and their code

Made by `bin/conformance clauses` from [the specification](spec/README.md), `conformance/clauses.yml`, the fixtures
and the citations in the code; the tests check it. A clause's number leads to its text. *Normal* cases give a
value, *boundary* cases are flagged as odd or stand at a limit, *error* cases must be refused;
`bin/conformance --clause RET-3 --list` lists those of one clause, without `--list` it runs them. The last columns name
the files that cite the clause: of the Python reference and of the Ruby port, or of the suite where it is about that.
"""
TABLE = """
| clause | what it says | normal | boundary | error | cases in, or what else proves it | Python | Ruby |
| --- | --- | ---: | ---: | ---: | --- | --- | --- |
"""
PYTHON, RUBY = PurePosixPath("python_ref/hybrid_search"), PurePosixPath("ruby/lib/hybrid_search")
HARNESS = PurePosixPath("conformance")


def build(cases: list[Case], cited: list[Citation]) -> str:
    """The text of the document."""
    clauses = specification.load()
    proofs = yaml_files.load(CONFORMANCE / "clauses.yml")
    citing, cited_by = _by_clause(cases, cited)
    parts = [HEAD]
    for chapter, title in specification.chapters().items():
        parts.append(f"\n## [{title}](spec/{chapter})\n{TABLE}")
        parts += [
            _row(clause, proofs, citing[clause.number], cited_by[clause.number])
            for clause in clauses.values()
            if clause.chapter == chapter
        ]
    parts.append(stages.table(cases))
    return "".join(parts)


def _by_clause(
    cases: Iterable[Case], cited: Iterable[Citation]
) -> tuple[dict[str, list[Case]], dict[str, list[Citation]]]:
    """The cases that cite each clause, and its citations."""
    citing: dict[str, list[Case]] = defaultdict(list)
    cited_by: dict[str, list[Citation]] = defaultdict(list)
    for case in cases:
        for number in case.clauses:
            citing[number].append(case)
    for one in cited:
        cited_by[one.clause].append(one)
    return citing, cited_by


class Citing(Protocol):
    """A case, as it is written or as it is read from a fixture."""

    @property
    def clauses(self) -> tuple[str, ...]:
        """The clauses that it cites."""


def problems(
    clauses: Mapping[str, Clause], proofs: Mapping[str, Any], cases: Sequence[Citing], cited: list[Citation]
) -> list[str]:
    """What is wrong with the citations, and where specification and `clauses.yml` do not agree, one line each.

    A clause that is cited must exist. One that is built must be cited, by a case or by code; one that must have cases
    also by the library in both languages.

    Args:
        clauses: those of the specification.
        proofs: what proves each, as `clauses.yml` has it.
        cases: all cases.
        cited: all citations.
    """
    unknown = [one for one in cited if one.clause not in clauses]
    found = [f"{one.path}:{one.line} cites {one.clause}, which docs/spec does not have" for one in unknown]
    found += [f"clauses.yml: {number} is not in docs/spec" for number in proofs if number not in clauses]
    used_by_cases = {number for case in cases for number in case.clauses}
    for clause in clauses.values():
        proof = proofs.get(clause.number, {}).get("cases")
        if proof is None:
            found.append(f"clauses.yml has no line for {clause.number}")
        elif (proof == "later") == clause.built:
            found.append(f"{clause.number}: docs/spec and clauses.yml do not agree whether it is built")
        own = [one.path for one in cited if one.clause == clause.number]
        used = clause.number in used_by_cases or any(path.suffix != ".md" for path in own)
        if clause.built and not used:
            found.append(f"docs/spec/{clause.chapter}: nothing cites {clause.number}")
        elif proof == "required":
            libraries = [folder for folder in (PYTHON, RUBY) if not any(_is_in(folder, path) for path in own)]
            found += [f"docs/spec/{clause.chapter}: nothing in {folder} cites {clause.number}" for folder in libraries]
    return found


def look(cases: Sequence[Citing]) -> tuple[list[Citation], list[str]]:
    """Return all citations in this repository, and what is wrong with them.

    Args:
        cases: all cases.
    """
    clauses = specification.load()
    cited = citations.find({number.partition("-")[0] for number in clauses})
    return cited, problems(clauses, yaml_files.load(CONFORMANCE / "clauses.yml"), cases, cited)


def _row(clause: Clause, proofs: Mapping[str, Any], own: list[Case], cited: list[Citation]) -> str:
    kinds = Counter(lint.kind(case) for case in own)
    cells = [
        f'<a id="{clause.anchor}"></a>[{clause.number}](spec/{clause.chapter}#{clause.anchor})',
        clause.title,
        *(str(kinds[kind] or "") for kind in lint.KINDS),
        _proof(clause, proofs, own),
        *_code(clause, cited),
    ]
    return f"| {' | '.join(cells)} |\n"


def _proof(clause: Clause, proofs: Mapping[str, Any], own: list[Case]) -> str:
    modules = Counter(case.module for case in own)
    parts = [", ".join(f"[{module}](../fixtures/cases/{module}) {modules[module]}" for module in sorted(modules))]
    parts.append(proofs[clause.number].get("by", ""))
    return "; ".join(part for part in parts if part) or ("" if clause.built else "not built yet")


def _code(clause: Clause, cited: list[Citation]) -> tuple[str, str]:
    """The files that cite a clause, in either language."""
    if clause.number.startswith(f"{SUITE}-"):
        places = [one for one in cited if not _is_in(HARNESS / "tests", one.path)]
        return _links(places, HARNESS, ".py"), _links(places, HARNESS, ".rb")
    return _links(cited, PYTHON, ".py"), _links(cited, RUBY, ".rb")


def _links(cited: Iterable[Citation], folder: PurePosixPath, suffix: str) -> str:
    """Links to the files of a folder that cite a clause by itself; if there are none, to those that cite a row."""
    here = [one for one in cited if one.path.suffix == suffix and _is_in(folder, one.path)]
    named = [one for one in here if not one.in_row] or here
    paths = sorted({one.path for one in named})
    return ", ".join(f"[{path.relative_to(folder).with_suffix('')}](../{path})" for path in paths)


def _is_in(folder: PurePosixPath, path: PurePosixPath) -> bool:
    return str(path).startswith(f"{folder}/")


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="clause_map", description="Write the map of clauses to cases and code.")
    parser.add_argument("--check", action="store_true", help="change nothing, tell whether it would")
    parser.add_argument("--document", type=Path, default=DOCUMENT, metavar="FILE", help="docs/clauses.md")
    options = parser.parse_args(arguments)
    cases = fixtures.load().cases
    cited, wrong = look(cases)
    for line in wrong:
        print(f"clause_map: {line}", file=sys.stderr)
    if wrong:
        return 1
    text = build(cases, cited)
    if options.document.is_file() and options.document.read_text(encoding="utf-8") == text:
        return 0
    if options.check:
        print(f"clause_map: {options.document.name} is not what specification, cases and code give", file=sys.stderr)
        return 1
    options.document.write_text(text, encoding="utf-8", newline="\n")
    return 0
