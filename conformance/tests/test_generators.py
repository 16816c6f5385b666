import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from conformance.generators import data_files, expected, fixtures, written
from conformance.generators.case_files import Case
from conformance.generators.fixtures import Made
from conformance.implementations.python import codec, execute, registry


def case(**changes: Any) -> Case:
    settings: dict[str, Any] = {
        "id": "numeric.sum.small.001",
        "summary": "a sum",
        "operation": "numeric.sum",
        "theme": "small",
        "clauses": ("NUM-2",),
        "flags": (),
        "level": "must",
        "compare": "bits",
        "origin": {"kind": "hand"},
        "params": {},
        "input": {"values": [0.1, 0.2]},
        **changes,
    }
    return Case(**settings)


def test_a_case_contains_the_result_of_the_reference() -> None:
    made = expected.expected(case())
    assert made["expect"] == {"value": {"bits": "3fd3333333333334", "decimal": "0.30000000000000004"}, "trace": []}
    described = {"operation": "numeric.sum", "params": {}, "input": made["input"]}
    assert made["fingerprint"] == codec.digest(described)


def test_a_library_error_is_an_expected_result() -> None:
    made = expected.expected(case(operation="numeric.vector", input={"vector": []}))
    assert made["expect"]["error"] == {"class": "InvalidInputError", "message": "vector must not be empty"}


def test_an_internal_error_is_not_an_expected_result() -> None:
    with pytest.raises(KeyError):
        expected.expected(case(input={}))


def test_a_long_stage_is_stored_as_its_digest() -> None:
    short = {"stage": "fuse", "value": "x" * 4094}
    assert expected.compact(short) is short
    long = {"stage": "fuse", "value": "x" * 4095}
    assert expected.compact(long) == {"stage": "fuse", "sha256": codec.digest("x" * 4095), "size": 4097}


def test_the_order_of_keys_is_preserved_in_entries() -> None:
    made = expected.expected(case(input={"values": [1], "note": {"entries": [["b", 1], ["a", {"utf8": "ff"}]]}}))
    assert made["input"]["note"] == {"entries": [["b", 1], ["a", {"utf8": "ff"}]]}


def test_drift_is_found(tmp_path: Path) -> None:
    made = Made({"numeric/sum.small.jsonl": b"one"}, {"numeric/sum.small.jsonl": ["numeric.sum.small.001"]})
    assert fixtures.write(made, folder=tmp_path) == ["wrote numeric/sum.small.jsonl", "wrote manifest.json"]
    assert fixtures.check(made, folder=tmp_path) == []
    (tmp_path / "numeric" / "sum.small.jsonl").write_bytes(b"two")
    (tmp_path / "numeric" / "other.jsonl").write_bytes(b"")
    (tmp_path / "manifest.json").unlink()
    assert fixtures.check(made, folder=tmp_path) == [
        "differs: numeric/sum.small.jsonl",
        "missing: manifest.json",
        "extra: numeric/other.jsonl",
    ]
    assert "removed numeric/other.jsonl" in fixtures.write(made, folder=tmp_path)
    assert fixtures.check(made, folder=tmp_path) == []


def test_fixtures_of_one_module_update_the_whole_manifest(tmp_path: Path) -> None:
    def made(module: str, text: str) -> fixtures.Made:
        path = f"{module}/sum.small.jsonl"
        content = expected.to_line({"id": f"{module}.sum.small.001", "text": text})
        return fixtures.Made({path: content}, {path: [f"{module}.sum.small.001"]})

    first, second = made("numeric", "one"), made("ordering", "one")
    both = fixtures.Made(first.files | second.files, first.case_ids | second.case_ids)
    fixtures.write(both, folder=tmp_path)
    changed = made("numeric", "two")
    assert fixtures.write(changed, {"numeric"}, tmp_path) == ["wrote numeric/sum.small.jsonl", "wrote manifest.json"]
    whole = fixtures.Made(changed.files | second.files, both.case_ids)
    assert fixtures.check(whole, folder=tmp_path) == []
    (tmp_path / "manifest.json").unlink()
    assert fixtures.write_manifest(folder=tmp_path) == ["wrote manifest.json"]
    assert fixtures.check(whole, folder=tmp_path) == []


def test_an_unknown_stage_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown stage"):
        registry.Trace().stage("guess", 1)


@pytest.mark.parametrize("name", ["numeric.no_such", "no_such.module"])
def test_an_unknown_operation_is_reported(name: str) -> None:
    with pytest.raises(registry.UnknownOperationError):
        execute.execute(name, {}, None)


def test_data_tables_stay_unchanged_under_a_python_of_another_unicode_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unicodedata, "unidata_version", "15.1.0")
    monkeypatch.setattr(data_files, "RUBY_FILES", {})
    assert written.differing(data_files.files()) == []


def test_data_tables_are_made_under_the_unicode_version_that_they_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = {"unicode_version": unicodedata.unidata_version, "upper": "A", "lower": "b"}
    (tmp_path / "lowercase.json").write_text(json.dumps(table), encoding="utf-8")
    monkeypatch.setattr(data_files, "PYTHON_DATA", tmp_path)
    monkeypatch.setattr(data_files, "RUBY_FILES", {})
    monkeypatch.setattr(data_files, "SHARED_TABLES", {"lowercase.json": data_files.SHARED_TABLES["lowercase.json"]})
    assert tmp_path / "lowercase.json" in written.differing(data_files.files())
