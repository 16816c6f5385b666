"""The files of both languages, and what is in them, for the tests of architecture."""

import ast
import json
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGE = REPOSITORY / "python_ref/hybrid_search"
LIBRARY = REPOSITORY / "ruby/lib/hybrid_search"
CONFORMANCE = REPOSITORY / "conformance"
RUBY_ROOT = REPOSITORY / "ruby/lib/hybrid_search.rb"
ONLY_RUBY = {
    "railtie",
    "value",  # values are dataclasses in Python
    "listing",  # results of Python are asked for their list
    "short_inspect",  # Python shows objects by their class alone
    "accelerated",  # the list of what is in that folder; Python's is empty
    "common_sums",  # adds by large Integers what numpy adds as arrays
    "slices",  # Python's slices take integers of any size
}
ONLY_PYTHON = {
    "async_index",  # asyncio is Python's; Ruby's threads and fibres call the same Index
    "async_calls",
    "async_providers",
    "worker_threads",
    "awaitable",
    "process_lock",  # Ruby opens the locks of threads that a forked child does not have
    "reranker/cross_encoder",  # these two run models of Python's own libraries
    "embedding/local_models",
    "text/cutter",  # jieba itself, which Ruby does not have
    "accelerated/cutter",  # in Ruby the segmenter's one form cuts
    "accelerated/row_dots",  # numpy adds up many rows at once; Ruby takes them one by one
}
RUBY_TWINS = {  # Ruby has one form for these, in the room of the clause
    "accelerated/hidden_markov_model": "text/hidden_markov_model",
    "accelerated/route_finder": "text/route_finder",
}


def python_files() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if path.name not in ("__init__.py", "__main__.py"))


def paired_python_files() -> list[Path]:
    return [path for path in python_files() if name_of(path, PACKAGE) not in ONLY_PYTHON]


def ruby_files() -> list[Path]:
    return sorted(path for path in LIBRARY.rglob("*.rb") if path.stem not in ONLY_RUBY)


def name_of(path: Path, root: Path) -> str:
    """`text/tokenizer` for a file of either language."""
    return path.relative_to(root).with_suffix("").as_posix()


def twin_of(path: Path) -> str:
    """The name of the Ruby file that mirrors a Python file."""
    name = name_of(path, PACKAGE)
    return RUBY_TWINS.get(name, name)


def shown(path: Path) -> str:
    return path.relative_to(REPOSITORY).as_posix()


@cache
def ruby_facts() -> dict[str, dict[str, Any]]:
    """What ruby_facts.rb tells, by the name of the file (`text/tokenizer`)."""
    paths = ruby_files()
    command = ["ruby", str(Path(__file__).with_name("ruby_facts.rb")), *map(str, paths)]
    told = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return {name_of(path, LIBRARY): told[str(path)] for path in paths}


@cache
def autoloads() -> dict[str, str]:
    """File by constant, from the list of autoloads."""
    found = re.findall(r'autoload :(\w+), "hybrid_search/([\w/]+)"', RUBY_ROOT.read_text(encoding="utf-8"))
    return dict(found)


def imported_by(path: Path) -> Iterator[tuple[str, int]]:
    """The library's modules that a Python file imports, anywhere in it, as `text/tokenizer` or `text`."""
    package = ["hybrid_search", *path.relative_to(PACKAGE).parts[:-1]]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        modules: list[str] = []
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            modules = [f"{module}.{alias.name}" for alias in node.names] if module == "hybrid_search" else [module]
        for module in modules:
            parts = module.split(".")
            if parts[0] == "hybrid_search" and len(parts) > 1:
                yield "/".join(parts[1:]), node.lineno
