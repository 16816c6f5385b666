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


def files() -> list[tuple[Path, bytes]]:
    """Return the file of the cases."""
    cases = "".join(_case(place, damage) for place, damage in enumerate(DAMAGES, start=1))
    return [(CASES, (HEAD + cases).encode("utf-8"))]


def _case(place: int, damage: str) -> str:
    given = json.dumps({"steps": list(_steps(damage))})
    summary = json.dumps(f"everything is asked of a damaged file: {damage}")
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
