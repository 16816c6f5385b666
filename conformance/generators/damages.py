"""Damages each column of each table of an index file in turn, and asks everything that can be asked of it (SQL-4)."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from conformance.paths import ROOT

CASES = ROOT / "fixtures/cases/index_files/script.damages.yml"
HEAD = """operation: index_files.script
theme: damages
clauses: [SQL-4]
flags: [bad_input]
cases:
"""
DOCUMENTS = [
    {"id": "a", "content_ltks": "x y x", "title_tks": "y", "kb_id": "k1", "n_int": 1, "q_2_vec": [1.0, 0.5]},
    {"id": "b", "content_ltks": "y", "kb_id": "k2", "n_int": 2, "q_2_vec": [0.1, 0.5], "q_3_vec": [1.0, 0.0, 0.5]},
    {"id": "c", "content_ltks": "z y", "kb_id": "k1"},
]
DAMAGES = [
    "UPDATE state SET checksum = checksum + 1",
    "UPDATE documents SET id = x'61' || id WHERE number = 0",
    "UPDATE documents SET id_checksum = id_checksum + 1",
    "UPDATE documents SET attributes = '{}' WHERE number = 1",
    "UPDATE documents SET checksum = checksum + 1 WHERE number = 1",
    "DELETE FROM documents WHERE number = 1",
    "UPDATE texts SET content = x'00' WHERE number = 1",
    "UPDATE texts SET checksum = checksum + 1 WHERE number = 0",
    "DELETE FROM texts WHERE number = 2",
    "UPDATE fields SET checksum = checksum + 1",
    "UPDATE fields SET terms = terms + 1",
    "UPDATE fields SET blocks = 7",
    "DELETE FROM fields WHERE kind = 1",
    "UPDATE terms SET places = x'0000'",
    "UPDATE terms SET checksum = checksum + 1",
    "UPDATE terms SET documents = documents + 1",
    "DELETE FROM terms WHERE token = x'79'",
    "UPDATE frequencies SET terms = terms + 1",
    "UPDATE frequencies SET checksum = checksum + 1",
    "UPDATE lengths SET checksum = checksum + 1",
    "DELETE FROM lengths",
    "UPDATE vectors SET checksum = checksum + 1",
    "UPDATE vectors SET content = substr(content, 1, 8)",
    "DELETE FROM vectors",
    "UPDATE sketches SET errors = zeroblob(8)",
    "UPDATE sketches SET checksum = checksum + 1",
    "DELETE FROM sketches",
    "INSERT INTO vector_models VALUES (x'71', x'61', x'', 5)",
]
QUESTIONS: list[list[Any]] = [
    ["count"],
    ["vector_fields"],
    ["stats"],
    ["get", "a"],
    ["get", "b"],
    ["text", {"fields": [["content_ltks", 1.0]], "tree": {"term": "y"}, "topn": 3}],
    ["text", {"fields": [["content_ltks", 1.0]], "tree": {"phrase": ["x", "y"]}, "topn": 3}, {"kb_id": "k1"}],
    ["dense", {"field": "q_2_vec", "vector": [1.0, 1.0], "topn": 1}],
    ["dense", {"field": "q_2_vec", "vector": [1.0, 1.0], "topn": 9}, {"n_int": {"gt": 0}}],
    ["rank", [], {"kb_id": "k1"}],
    ["search", [], {"select_fields": ["content_ltks", "q_2_vec"], "limit": 3}],
    ["search", [], {"select_fields": [], "order_by": [{"n_int": "desc"}], "agg_fields": ["kb_id"]}],
    ["keep_vector_model", "q_2_vec", "small"],
    ["insert", [{"id": "d", "content_ltks": "y w", "q_2_vec": [0.5, 0.5]}]],
    ["update", [{"id": "b", "content_ltks": "y y", "q_2_vec": [0.5, 1.0]}]],
    ["delete", ["a"]],
    ["generation"],
]


COLUMNS = {
    "state": ["generation", "documents", "numbers", "fields", "mark", "before", "checksum"],
    "documents": ["number", "id", "id_checksum", "attributes", "checksum"],
    "texts": ["number", "content", "checksum"],
    "notes": ["name", "text", "checksum"],
    "free_numbers": ["number"],
    "fields": ["field", "kind", "name", "documents", "tokens", "terms", "blocks", "checksum"],
    "terms": ["field", "token", "documents", "chunks", "places", "checksum"],
    "postings": ["chunk", "places", "checksum"],
    "frequencies": ["field", "documents", "terms", "checksum"],
    "lengths": ["block", "lengths", "checksum"],
    "vectors": ["vector", "content", "checksum"],
    "sketches": ["block", "generation", "ratios", "errors", "steps", "checksum"],
    "vector_models": ["field", "model", "origin", "checksum"],
    "changes": ["generation", "mark", "numbers", "checksum"],
}
"""Table → its columns, but the key of `terms`, which nothing covers."""
BLOBS = {
    *("mark", "before", "id", "content", "name", "text", "token", "places", "lengths", "ratios", "errors", "steps"),
    *("model", "origin", "numbers", "field"),
}
NUMBERS = {("state", "numbers"), *((table, "field") for table in ("fields", "terms", "frequencies"))}
"""Those that are no blobs in spite of their names."""
CHECKED = "a check names the table of which one column of the last row is another, for each column; then nothing"


def files() -> list[tuple[Path, bytes]]:
    """Return the file of the cases."""
    cases = "".join(
        _case(place, f"everything is asked of a damaged file: {damage}", _steps(damage))
        for place, damage in enumerate(DAMAGES, start=1)
    )
    cases += _case(len(DAMAGES) + 1, CHECKED, _checked())
    return [(CASES, (HEAD + cases).encode("utf-8"))]


def _case(place: int, named: str, steps: Iterator[list[Any]]) -> str:
    given = json.dumps({"steps": list(steps)})
    summary = json.dumps(named)
    return f"  - id: index_files.script.damages.{place:03}\n    summary: {summary}\n    input: {given}\n"


def _steps(damage: str) -> Iterator[list[Any]]:
    """A store is opened for each question, as one may keep what an earlier question has read."""
    yield ["open"]
    yield ["insert", DOCUMENTS]
    yield ["sql", damage]
    for question in QUESTIONS:
        for memory in (256, 0) if question[0] in ("text", "dense") else (256,):
            yield ["open", {"kernels": "fast", "memory": memory}]
            yield question
            yield ["close"]
    yield ["open"]
    yield ["check"]


def _checked() -> Iterator[list[Any]]:
    """Each column is changed and changed back, while the file is open."""
    yield ["open"]
    yield ["insert", [{"id": "gone"}, *DOCUMENTS, {"id": "m", "title_tks": " ".join(["x"] * 513)}]]
    yield ["insert", [{"id": "n", "title_tks": "x"}]]
    yield ["delete", ["gone"]]
    yield ["set_note", "a", "b"]
    yield ["keep_vector_model", "q_2_vec", "small"]
    back: list[str] = []
    for table, columns in COLUMNS.items():
        for column in columns:
            last = f"WHERE {columns[0]} = (SELECT max({columns[0]}) FROM {table})"
            other, former = (f"UPDATE {table} SET {column} = {value} {last}" for value in _otherwise(table, column))
            yield ["meanwhile", *back, other]
            yield ["check"]
            back = [former]
    yield ["meanwhile", *back]
    yield ["check"]


def _otherwise(table: str, column: str) -> tuple[str, str]:
    """Another value of a column, and the former one, as expressions."""
    if column == "attributes":
        return "attributes || ' '", "substr(attributes, 1, length(attributes) - 1)"
    if column in BLOBS and (table, column) not in NUMBERS:
        return f"CAST({column} || x'01' AS BLOB)", f"substr({column}, 1, length({column}) - 1)"
    return f"{column} + 100", f"{column} - 100"
