"""The layout of both languages (docs/architecture.md): no circles, unique class names, modules like folders."""

import ast
import re
import subprocess

from python_ref.tests.library_files import (
    LIBRARY,
    PACKAGE,
    REPOSITORY,
    autoloads,
    facts_of_ruby,
    file_of,
    imported_by,
    name_of,
    python_files,
    ruby_facts,
    shown,
)

SHARED_IN_RUBY = {
    "ClassMethods": "the name that ActiveSupport::Concern looks for",
    "Documents": "a private class of `Generations`, and the module of a folder",
    "Filters": "a public class, and the module of its folder",
    "Railtie": "Rails' own name: the gem's, and that of its integration",
    "Tables": "a private module of `Normalizer`, and the module of a folder",
}
"""Names that two Ruby classes or modules share, with the reason."""


def circles(uses: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return the rest of a graph after repeatedly removing nodes that use no other remaining node."""
    left = {name: others - {name} for name, others in uses.items()}
    while done := {name for name, others in left.items() if not others & left.keys()}:
        left = {name: others for name, others in left.items() if name not in done}
    return {name: others & left.keys() for name, others in left.items()}


def test_python_files_have_no_circular_imports():
    """Imports only for types and within functions count too."""
    assert circles({name_of(path, PACKAGE): {name for name, _ in imported_by(path)} for path in python_files()}) == {}


def test_ruby_files_have_no_circular_references():
    uses = {}
    for own, facts in ruby_facts().items():
        defined_here = {name for name, _ in facts["classes"]}
        others = {file_of(name, own) for name, _ in facts["constants"] if name not in defined_here}
        uses[own] = {other for other in others if other is not None}
    assert circles(uses) == {}


def test_the_check_finds_circles():
    assert circles({"a": {"b"}, "b": {"c", "d"}, "c": {"b"}, "d": set()}) == {"a": {"b"}, "b": {"c"}, "c": {"b"}}


def test_no_two_folders_have_a_class_of_the_same_name():
    """Private classes and modules within a class count too: a traceback shows which one ran."""
    python: dict[str, list[str]] = {}
    for path in python_files():
        # Users import from only one framework's file, where each class has the name that the framework requires.
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if path.parent.name != "integrations" else ()
        for node in nodes:
            if isinstance(node, ast.ClassDef):
                python.setdefault(node.name, []).append(shown(path))
    assert {name: paths for name, paths in python.items() if len(paths) > 1} == {}
    ruby: dict[str, set[str]] = {}
    for facts in facts_of_ruby().values():
        for constant, _ in facts["paths"]:  # a class that several files open has one path
            ruby.setdefault(constant.rpartition("::")[2], set()).add(constant)
    assert {name for name, constants in ruby.items() if len(constants) > 1} == set(SHARED_IN_RUBY)


def modules_of_ruby() -> dict[str, str]:
    """Folder → module, where it is not the folder's own name, from docs/architecture.md."""
    text = (REPOSITORY / "docs/architecture.md").read_text(encoding="utf-8")
    table = text.split("| folder | module in Ruby |")[1].split("\n\n")[0]
    return dict(re.findall(r"\| `(\w+)` \| `(\w+)` \|", table))


def module_of(file: str) -> str:
    """The module that a file's folder is named like: `Stores::Sqlite` for `doc_store_adapter/sqlite/sqlite_pool`."""
    others = modules_of_ruby()
    folders = file.split("/")[:-1]
    return "::".join(others.get(name, name.title().replace("_", "")) for name in folders)


def test_ruby_modules_are_named_like_their_folders():
    public = set(public_constants())
    wrong = {
        constant: file
        for constant, file in autoloads().items()
        if constant.partition("::")[0] not in public and "/" in file and constant.rpartition("::")[0] != module_of(file)
    }
    assert wrong == {}
    assert len(modules_of_ruby()) > 5


def public_constants() -> list[str]:
    """The public constants of the gem."""
    program = "require 'hybrid_search'; puts HybridSearch.constants"
    command = ["ruby", "-I", str(LIBRARY.parent), "-e", program]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def test_no_python_file_or_folder_begins_with_an_underscore():
    """`__all__` alone defines what is public."""
    names = {path.name for path in PACKAGE.rglob("_*") if "__pycache__" not in path.parts}
    assert names == {"__init__.py", "__main__.py"}
