"""The boundary between plain and fast forms (docs/architecture.md)."""

import ast
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

from hybrid_search.base import kernels
from python_ref.tests.library_files import (
    LIBRARY,
    PACKAGE,
    imported_by,
    name_of,
    python_files,
    ruby_facts,
    ruby_files,
    shown,
)


def is_accelerated(path: Path) -> bool:
    return "accelerated" in path.parts


def test_only_the_table_of_kernels_names_a_fast_form():
    wrong = [
        f"{shown(path)}:{line} uses {name}"
        for path in python_files()
        if not is_accelerated(path)
        for name, line in imported_by(path)
        if name.split("/")[0] == "accelerated"
    ]
    wrong += [
        f"{shown(path)}:{line} uses Accelerated"
        for path in ruby_files()
        if not is_accelerated(path)
        for name, line in ruby_facts()[name_of(path, LIBRARY)]["constants"]
        if name == "Accelerated"
    ]
    assert wrong == []


def kernel_tables() -> list[dict[str, dict[str, str]]]:
    """The tables of both languages, as names of files without their classes."""
    print_ruby = (
        "require 'hybrid_search'; require 'json'; puts HybridSearch.const_get(:Base)::Kernels::OPERATIONS.to_json"
    )
    command = ["ruby", "-I", str(LIBRARY.parent), "-e", print_ruby]
    ruby = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return [kernels.OPERATIONS, ruby]


def test_both_languages_have_the_same_operations():
    python, ruby = kernel_tables()
    assert sorted(python) == sorted([*ruby, "cutter", "dictionary_table", "sqlite_blocks"])
    for operation, forms in ruby.items():
        assert {name: path.split("::")[-1] for name, path in forms.items()} == {
            name: path.split(".")[-1] for name, path in python[operation].items()
        }


def test_every_fast_form_has_a_plain_form_or_serves_one_that_has():
    entries = {
        path.rpartition(".")[0].replace(".", "/")
        for forms in kernels.OPERATIONS.values()
        for name, path in forms.items()
        if name != "plain"
    }
    assert all(entry.startswith("accelerated/") for entry in entries)
    assert not any(forms["plain"].startswith("accelerated") for forms in kernels.OPERATIONS.values())
    paths = [path for path in python_files() if is_accelerated(path)]
    used = {name for path in paths for name, _ in imported_by(path)}
    assert [name for path in paths if (name := name_of(path, PACKAGE)) not in entries | used] == []


def numpy_arithmetic(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Calls of numpy that do more than store, create and recognise arrays."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("np", "numpy"):
            kind = node.attr.rstrip("_0123456789")
            if kind not in {"ndarray", "array", "float", "floating", "integer", "bool"}:
                yield f"np.{node.attr}", node.lineno


WHOLE_NUMBERS_ALONE = {"doc_store_adapter/sqlite/sqlite_packing"}
"""Files that unpack stored integers with numpy: no score is computed there, and the order of sums does not matter."""


def test_numpy_computes_only_in_fast_forms():
    wrong = []
    for path in python_files():
        if not is_accelerated(path) and name_of(path, PACKAGE) not in WHOLE_NUMBERS_ALONE:
            found = numpy_arithmetic(ast.parse(path.read_text(encoding="utf-8")))
            wrong += [f"{shown(path)}:{line} {what}" for what, line in found]
    assert wrong == []
