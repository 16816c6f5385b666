"""A committed line is reused only if nothing has changed that its case depends on (CNF-1)."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path, PurePosixPath

import pytest

from conformance.cases import citations
from conformance.cases.fixtures import SUFFIX
from conformance.generators import case_files, dependencies, fixtures
from conformance.generators.expected import to_line
from conformance.generators.reuse import Reuse
from conformance.implementations.python import registry
from conformance.paths import CASES, CONFORMANCE, ROOT

LIBRARY = ROOT / "python_ref/hybrid_search"
WITHOUT_CASES = {"collection", "quality"}
READING = tuple(str(CONFORMANCE / name) for name in ("generators", "cases", "wire", "errors.py"))
"""Parts of the suite that read case files but compute no case."""
WATCHED = """
import json, os, sys

opened = set()

def watch(event, arguments):
    if event == "open" and isinstance(arguments[0], str):
        opened.add(os.path.realpath(arguments[0]))

from conformance.generators import case_files, expected

found, problems = case_files.load({sys.argv[1]})
sys.addaudithook(watch)
for case_file in found:
    for case in case_file.cases[:: int(sys.argv[2])]:
        expected.line(case)
imported = {getattr(module, "__file__", None) for module in list(sys.modules.values())}
print(json.dumps(sorted({os.path.realpath(path) for path in imported if path} | opened)))
"""
"""Computes every n-th case of a module, and prints the files that were imported or opened for it."""


@pytest.fixture
def written() -> case_files.CaseFile:
    """One case file, read but not computed."""
    return case_files.read(CASES / "numeric" / "sum.order.yml")


def made(case_file: case_files.CaseFile, reuse: Reuse, folder: Path) -> list[str]:
    """Make the file with its current cases, save everything, and return the ids of the computed ones."""
    lines = reuse.lines(case_file)
    computed = [case for case in case_file.cases if case.id not in lines]
    for case in computed:
        lines[case.id] = to_line({"id": case.id, "made": repr(case.input)})
        reuse.remember(case, lines[case.id])
    (folder / case_file.fixture).parent.mkdir(exist_ok=True)
    (folder / case_file.fixture).write_bytes(b"".join(lines[case.id] for case in case_file.cases))
    reuse.save()
    return [case.id for case in computed]


def test_only_what_has_changed_is_computed(written: case_files.CaseFile, tmp_path: Path) -> None:
    def run(case_file: case_files.CaseFile, everything: bool = False) -> list[str]:
        return made(case_file, Reuse(tmp_path, tmp_path / "cache" / "keys.json", everything), tmp_path)

    ids = [case.id for case in written.cases]
    assert run(written) == ids
    assert run(written) == []
    assert run(written, everything=True) == ids
    other = replace(written, cases=[replace(written.cases[0], input={"values": [-0.0]}), *written.cases[1:]])
    assert run(other) == ids[:1]
    assert run(replace(other, cases=[replace(other.cases[0], input={"values": [0.0]}), *other.cases[1:]])) == ids[:1]
    assert run(written) == ids[:1]
    fixture = tmp_path / written.fixture
    fixture.write_bytes(fixture.read_bytes().replace(b"made", b"edited", 1))
    assert run(written) == ids[:1]
    (tmp_path / "cache" / "keys.json").write_text("damaged")
    assert run(written) == ids


def test_a_case_is_computed_again_when_its_dependencies_differ(
    written: case_files.CaseFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run() -> int:
        return len(made(written, Reuse(tmp_path, tmp_path / "keys.json"), tmp_path))

    assert (run(), run()) == (len(written.cases), 0)
    monkeypatch.setattr(dependencies, "digest", lambda module, fast: f"{module} {fast}, changed")
    assert (run(), run()) == (len(written.cases), 0)


def test_sources_are_the_modules_that_an_operation_imports() -> None:
    fusion, retriever = dependencies.sources("fusion", False), dependencies.sources("retriever", False)
    assert {LIBRARY / "fusion/fusion.py", LIBRARY / "base/numeric.py", LIBRARY / "__init__.py"} <= fusion
    assert LIBRARY / "retriever/retriever.py" not in fusion
    assert fusion < retriever | {CONFORMANCE / "implementations/python/operations/fusion.py"}


def test_fast_kernels_count_only_for_cases_that_name_them() -> None:
    plain, fast = (dependencies.sources("index_files", choice) for choice in (False, True))
    assert LIBRARY / "accelerated/sqlite_documents.py" in fast - plain
    assert not [path for path in plain if "accelerated" in path.parts]


def test_data_files_are_the_ones_that_sources_name() -> None:
    named = {path.name for path in dependencies.data(dependencies.sources("text", False))}
    assert {"characters.json", "stop_words.json"} <= named
    assert "openapi.json" not in named
    corpora = dependencies.data(dependencies.sources("retriever", False))
    assert any(path.name == "corpus.jsonl" for path in corpora)


@pytest.mark.parametrize("module", ["fusion", "text"])
def test_every_file_read_for_a_case_is_in_its_key(module: str) -> None:
    assert outside_the_key(module, 10) == []


@pytest.mark.nightly
@pytest.mark.parametrize("module", sorted(set(registry.modules()) - WITHOUT_CASES))
def test_every_file_read_for_any_case_is_in_its_key(module: str) -> None:
    assert outside_the_key(module, 1) == []


def outside_the_key(module: str, step: int) -> list[str]:
    """The files of this repository read to compute every `step`-th case of a module and missing from its key."""
    command = [sys.executable, "-c", WATCHED, module, str(step)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    fast = module == "index_files"
    sources = dependencies.sources(module, fast)
    keyed = sources | dependencies.data(sources)
    seen = {Path(path) for path in json.loads(done.stdout)} - keyed
    ours = [path for path in seen if path.is_file() and path.is_relative_to(ROOT) and path.suffix != ".pyc"]
    return sorted(str(path) for path in ours if not str(path).startswith((*READING, str(ROOT / ".venv"))))


def test_wrong_case_files_are_found_before_anything_is_computed(
    monkeypatch: pytest.MonkeyPatch, written: case_files.CaseFile
) -> None:
    def never(*_arguments: object) -> bytes:
        raise AssertionError("computed")

    monkeypatch.setattr(fixtures.expected, "line", never)
    strange = replace(written, operation="numeric.no_such")
    lenient = replace(written, cases=[replace(written.cases[0], compare="order")])
    for wrong, told in ((strange, "has no operation numeric.no_such"), (lenient, "lenient.yml does not allow that")):
        monkeypatch.setattr(case_files, "load", lambda _only, wrong=wrong: ([wrong], []))
        found = fixtures.make({"numeric"})
        assert [told in problem for problem in found.problems] == [True]
        assert found.files == {}


def test_wrong_citations_are_found_before_anything_is_computed(
    monkeypatch: pytest.MonkeyPatch, written: case_files.CaseFile
) -> None:
    monkeypatch.setattr(case_files, "load", lambda _only: ([written], []))
    place = citations.Citation("NUM" + "-99", PurePosixPath("docs/speed.md"), 7, in_row=False)
    monkeypatch.setattr(citations, "find", lambda _families: [place])
    found = fixtures.make()
    assert found.files == {}
    assert found.problems[0] == f"docs/speed.md:7 cites {place.clause}, which docs/spec does not have"


def test_a_fixture_of_a_case_file_is_json_lines(written: case_files.CaseFile) -> None:
    assert written.fixture == f"numeric/sum.order{SUFFIX}"
