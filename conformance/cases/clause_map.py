"""The map of clauses to cases, as a document (CNF-20).

bin/conformance clauses            writes docs/clauses.md
bin/conformance clauses --check    ends with 1 when it is not what the cases give
"""

import argparse
import sys
from pathlib import Path

from conformance import yaml_files
from conformance.cases import fixtures, lint
from conformance.cases.fixtures import Case
from conformance.paths import CONFORMANCE, ROOT

DOCUMENT = ROOT / "docs" / "clauses.md"
HEAD = """# Clauses and their cases

Made by `bin/conformance clauses` from `conformance/clauses.yml` and the fixtures; the tests check it. *Normal*
cases give a value, *boundary* cases are flagged as odd or stand at a limit, *error* cases must be refused.

| clause | what it says | normal | boundary | error | modules, or what else proves it |
| --- | --- | ---: | ---: | ---: | --- |
"""


def build(cases: list[Case]) -> str:
    """The text of the document."""
    rows = []
    for clause, entry in yaml_files.load(CONFORMANCE / "clauses.yml").items():
        own = [case for case in cases if clause in case.clauses]
        kinds = [lint.kind(case) for case in own]
        proof = ", ".join(sorted({case.module for case in own}))
        if entry["cases"] == "tests":
            proof = "; ".join(part for part in (proof, entry["by"]) if part)
        elif entry["cases"] == "later":
            proof = proof or "not built yet"
        numbers = [str(kinds.count(kind) or "") for kind in lint.KINDS]
        rows.append(f"| {clause} | {entry['title']} | {' | '.join(numbers)} | {proof} |\n")
    return HEAD + "".join(rows)


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="conformance clauses", description="Write the map of clauses to cases.")
    parser.add_argument("--check", action="store_true", help="change nothing, tell whether it would")
    parser.add_argument("--document", type=Path, default=DOCUMENT, metavar="FILE", help="docs/clauses.md")
    options = parser.parse_args(arguments)
    text = build(fixtures.load().cases)
    if options.document.is_file() and options.document.read_text(encoding="utf-8") == text:
        return 0
    if options.check:
        print(f"clause_map: {options.document.name} is not what the cases give", file=sys.stderr)
        return 1
    options.document.write_text(text, encoding="utf-8", newline="\n")
    return 0
