"""docs/dify.md is correct: each row names cases about it, and no setting is omitted."""

import json
import re
from pathlib import Path

import pytest

from hybrid_search.post_processor import dify_settings, document, weighted_score

TABLES = ("settings", "scoring", "documents", "deviations")
KNOWN_METADATA = ("doc_id", "vector", *document.NUMBERS)


@pytest.fixture(scope="module")
def text(repository):
    return (repository / "docs/dify.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def cases(repository):
    files = [path for module in ("post_processor", "retrieval_service") for path in _fixtures(repository, module)]
    return {case["id"]: case for path in files for case in map(json.loads, path.read_bytes().splitlines())}


def _fixtures(repository: Path, module: str) -> list[Path]:
    return sorted((repository / "fixtures" / module).glob("*.jsonl"))


def rows(text: str, table: str) -> list[list[str]]:
    """Return the cells of each row of a table, without its header."""
    body = text.split(f"<!-- {table}:begin -->\n")[1].split(f"<!-- {table}:end -->")[0]
    return [line.strip("| ").split(" | ") for line in body.splitlines()[2:]]


def names(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def settings(text: str, table: str) -> list[str]:
    return [name for row in rows(text, table) for name in names(row[0])]


def keys(value) -> set[str]:
    """Return every key within plain data."""
    if isinstance(value, dict):
        return set(value).union(*map(keys, value.values()))
    return set().union(*map(keys, value)) if isinstance(value, list) else set()


@pytest.mark.parametrize("table", TABLES)
def test_each_row_names_existing_cases(text, cases, table):
    found = rows(text, table)
    assert found
    for row in found:
        named = names(row[-1])
        assert named, f"no case: {row[0]}"
        assert [name for name in named if name not in cases] == []


def test_cases_named_outside_the_tables_exist(text, cases):
    named = re.findall(r"`((?:post_processor|retrieval_service)\.[a-z_]+\.[a-z_]+\.\d+)`", text)
    assert sorted(set(named) - set(cases)) == []


@pytest.mark.parametrize("table", ["settings", "documents"])
def test_the_cases_of_a_row_contain_its_settings(text, cases, table):
    for row in rows(text, table):
        held = set().union(*(keys([cases[name]["params"], cases[name]["input"]]) for name in names(row[-1])))
        assert [name for name in names(row[0]) if name.rpartition(".")[2] not in held] == []


def test_every_setting_has_a_row(text):
    within = {
        "reranking_model": dify_settings.MODEL_KEYS,
        "weights": ("weight_type",),
        "weights.vector_setting": weighted_score.VECTOR_KEYS,
        "weights.keyword_setting": weighted_score.KEYWORD_KEYS,
    }
    known = [name for name in (*dify_settings.SETTINGS, *dify_settings.OTHER_NAMES) if name not in within]
    known += [f"{setting}.{key}" for setting, inner in within.items() for key in inner]
    assert sorted(settings(text, "settings")) == sorted(known)
    assert set(weighted_score.KEYS) == {"vector_setting", "keyword_setting", "weight_type"}


def test_every_spelling_of_a_search_method_is_named(text):
    row = next(row for row in rows(text, "settings") if row[0] == "`search_method`")
    assert set(dify_settings.SEARCH_METHODS) <= set(names(row[1]))


def test_every_part_of_a_document_has_a_row(text):
    known = [*document.KEYS, *document.PARTS, *(f"metadata.{name}" for name in KNOWN_METADATA)]
    assert sorted(settings(text, "documents")) == sorted(known)
