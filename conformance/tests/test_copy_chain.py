"""`hybrid-search copy` through every kind of store: a file, PostgreSQL, OpenSearch, OceanBase, a file (CUR-5)."""

import hashlib
import json
import math
import subprocess
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from conformance.engines.testing import oceanbase_url, opensearch_url, postgres_url
from conformance.tests.programs import answer, each_program, exported, records, run
from hybrid_search.doc_store_adapter.oceanbase.oceanbase_doc_store import OceanBaseDocStore
from hybrid_search.doc_store_adapter.postgres.postgres_doc_store import PostgresDocStore
from python_ref.tests.doc_store_adapter.opensearch_indexes import Indexes

__all__ = ["oceanbase_url", "opensearch_url", "postgres_url"]

pytestmark = [pytest.mark.engines, pytest.mark.nightly]

PLAIN = 300
DIMENSION = 16
QUESTIONS = ("assignment rule 3", "规则 17", "劳动合同的试用期", "6-2-1", "long text of many words")
ODD: list[dict[str, Any]] = [
    {"id": "false", "content": "a record of falsehoods", "available": False, "metadata": {"flag": False, "none": 0}},
    {"id": "zero", "content": "zeros", "page_rank": 0, "positions": [0, [0, 0]], "metadata": {"n": 0, "f": 0.0}},
    {"id": "negative zero", "content": "零", "metadata": {"f": -0.0, "list": [-0.0, 0, False, ""]}},
    {"id": "numbers", "content": "numbers", "metadata": {"n": [1e16, 2**53 + 1, -(2**70), 5e-324, 0.1, 1.7e308]}},
    {"id": "nested", "content": "嵌套", "metadata": {"a": {"b": {"c": {"d": ["é", "太阳", 1, True]}}}, "z": {"y": 0}}},
    {"id": "order of keys", "content": "keys", "metadata": {"z": 1, "a": 2, "m": {"y": 1, "b": 2}}},
    {
        "id": "文档 一",
        "content": "劳动合同的试用期不得超过六个月。",
        "title": "劳动合同法.pdf",
        "kb_id": "法律",
        "doc_id": "法",
    },
    {"id": "identifiers", "content": "part 6-2-1 of AB_12/34, C++ and x_y", "keywords": ["6-2-1", "AB_12/34"]},
    {"id": "tags", "content": "tags", "tags": {"law": 3, "法律": 0.5, "a.b": 7}, "questions": ["何时?", "when?"]},
    {"id": "quotes '\" \\ % _", "content": 'it\'s "quoted" \\ 100 % _ ` \u2028 \x01', "document_name": "d'oh"},
    {"id": "emoji 🜁", "content": "🜁 𠮷 e\u0301 ﬁ", "parent": "false", "metadata": {"🜁": "𠮷"}},
    {"id": "empty", "content": "", "vector": [1.0, *[0.0] * (DIMENSION - 1)]},
    {"id": "long", "content": "long text of many words " * 4_000, "metadata": {"long": "语" * 20_000}},
    {"id": "long token", "content": "x" * 40_000 + " end"},
    {"id": "vector", "content": "a vector", "vector": [1e-30, -0.0, 0.1, 3.0, *[math.pi] * (DIMENSION - 4)]},
    {"id": "large vector", "content": "a vector", "vector": [1e150, -1e150, *[1e-150] * (DIMENSION - 2)]},
    {"id": "rounded vector", "content": "a vector", "vector": [0.5] * DIMENSION},
]


@pytest.fixture(scope="module")
def odd_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of Chinese and English records with all kinds of values, made by the reference."""
    path = tmp_path_factory.mktemp("chain") / "odd.hsx"
    lines = records(PLAIN) + "".join(json.dumps(record) + "\n" for record in ODD).encode()
    done = run("python", "index", "--index", str(path), "--dimension", str(DIMENSION), input=lines)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["added"] == PLAIN + len(ODD)
    return path


@pytest.fixture
def places(
    odd_index: Path, tmp_path: Path, postgres_url: str, opensearch_url: str, oceanbase_url: str
) -> Iterator[list[str]]:
    """The addresses of one store of every kind, from a file to another file."""
    for gem in ("pg", "mysql2"):
        if subprocess.run(["ruby", "-e", f"require '{gem}'"], capture_output=True).returncode:
            pytest.skip(f"the gem {gem} is not installed")
    indexes = Indexes(opensearch_url)
    name = indexes.name()
    cluster = opensearch_url.split(",")[0]
    servers = [f"{url}#{name}" for url in (postgres_url, cluster, oceanbase_url)]
    try:
        yield [str(odd_index), *servers, str(tmp_path / "copy.hsx")]
    finally:
        PostgresDocStore(postgres_url, name).drop()
        OceanBaseDocStore(oceanbase_url, name).drop()
        indexes.remove()


def hits(path: str) -> list[Any]:
    return [answer("python", "search", question, "--index", path)["hits"] for question in QUESTIONS]


@each_program
def test_records_are_the_same_after_a_chain_of_all_stores(program: str, places: list[str]) -> None:
    count = PLAIN + len(ODD)
    counts = [answer(program, "copy", *pair) for pair in pairwise(places)]
    assert [(one["documents"], one["copied"]) for one in counts] == [(count, count)] * 4
    assert len({one["digest"] for one in counts}) == 1
    first, last = exported(Path(places[0])), exported(Path(places[-1]))
    assert len(first.splitlines()) == count
    assert hashlib.sha256(last).hexdigest() == hashlib.sha256(first).hexdigest()
    assert hits(places[-1]) == hits(places[0])
    again = [answer(program, "copy", *pair) for pair in pairwise(places)]
    assert [(one["copied"], one["unchanged"]) for one in again] == [(0, count)] * 4


@each_program
def test_a_value_changed_in_the_last_store_is_noticed(program: str, places: list[str], oceanbase_url: str) -> None:
    """The digests detect one changed number; otherwise the test above would prove nothing."""
    target = places[3]
    assert answer(program, "copy", places[0], target)["documents"] == PLAIN + len(ODD)
    with OceanBaseDocStore(oceanbase_url, target.rpartition("#")[2]) as store:
        before = store.get("zero")
        assert before is not None
        assert store.update([{"id": "zero", "metadata": {"n": False, "f": 0.0}}]) == 1
    repaired = answer(program, "copy", places[0], target)
    assert (repaired["copied"], repaired["unchanged"]) == (1, PLAIN + len(ODD) - 1)
