"""Finds what the expected values of an operation depend on, besides their cases: sources, data, other packages.

The sources are those that the operation's file imports, and those that these import, wherever the import is in a file.
Names that a package loads on first use, and kernels, are found by the texts that name them. The data are the files and
folders of data that a text in these sources names.
"""

import ast
import hashlib
import platform
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from pathlib import Path

from conformance.cases import choices
from conformance.paths import CONFORMANCE, CORPORA, ROOT
from hybrid_search.base.kernels import FAST, OPERATIONS, PLAIN

PACKAGES = (ROOT, ROOT / "python_ref")
"""Folders in which packages of this project are."""
LIBRARY = "hybrid_search"
PACKAGE = "__init__.py"
KERNELS = f"{LIBRARY}.base.kernels"
DATA = ROOT / "python_ref" / LIBRARY / "data"
MAKER = "conformance.generators.expected"
ASKED = "conformance.implementations.python.operations"
COLLECTIONS = "conformance.implementations.python.corpora"
"""Reads any of the corpora."""
SESSIONS = "conformance.command_lines.session"
COMMAND_LINES = CONFORMANCE / "command_lines"


@cache
def digest(module: str, fast: bool) -> str:
    """Return the SHA-256 over everything that a case of a module of operations depends on.

    Args:
        module: the name of a file in `operations/`, as `fusion`.
        fast: whether the case asks for the fast kernels, too.
    """
    whole = hashlib.sha256()
    paths = sources(module, fast)
    for path in [*sorted(paths), *sorted(data(paths))]:
        whole.update(f"{path.relative_to(ROOT)} {_file_digest(path)}\n".encode())
    for line in (f"python {platform.python_version()}", *_packages(paths), *choices.lists()):
        whole.update(f"{line}\n".encode())
    return whole.hexdigest()


@cache
def sources(module: str, fast: bool) -> frozenset[Path]:
    """Return the files of this project that are imported to compute a case of a module of operations."""
    kernels = (PLAIN, FAST) if fast else (PLAIN,)
    found: set[Path] = set()
    ahead = [path for name in (MAKER, f"{ASKED}.{module}") for path in _files(name)]
    while ahead:
        path = ahead.pop()
        if path not in found:
            found.add(path)
            ahead += [file for name in _read(path)[0] | _kernels(path, kernels) for file in _files(name)]
    around = {folder / PACKAGE for path in found for folder in path.parents if (folder / PACKAGE).is_file()}
    return frozenset(found | around)


def data(paths: frozenset[Path]) -> set[Path]:
    """Return the data files that these sources name."""
    texts = _texts(paths)
    stems = {path for path in DATA.iterdir() if texts & {path.name, path.stem, f"{DATA.name}/{path.name}"}}
    stems |= set(COMMAND_LINES.rglob("*.yml")) if paths.issuperset(_files(SESSIONS)) else set()
    collections = CORPORA.rglob("*") if paths.issuperset(_files(COLLECTIONS)) else ()
    return stems | {path for path in collections if path.is_file() and "__pycache__" not in path.parts}


def _texts(paths: frozenset[Path]) -> frozenset[str]:
    return frozenset(text for path in paths for text in _read(path)[1])


@cache
def _read(path: Path) -> tuple[frozenset[str], frozenset[str]]:
    """The names that a source imports, with those that may be attributes of modules, and its texts."""
    names: set[str] = set()
    texts: set[str] = set()
    for node in _executed(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            texts.add(node.value)
    if path.name == PACKAGE:
        names.update(f"{LIBRARY}.{text}" for text in texts if "." in text)
    return frozenset(names), frozenset(texts)


def _kernels(path: Path, kernels: tuple[str, ...]) -> set[str]:
    """The names of the kernels that a source may choose."""
    names, texts = _read(path)
    if not any(name.startswith(KERNELS) for name in names):
        return set()
    return {f"{LIBRARY}.{OPERATIONS[text][one]}" for text in texts & OPERATIONS.keys() for one in kernels}


def _executed(tree: ast.AST) -> Iterator[ast.AST]:
    """Every node but those that only a type checker reads."""
    ahead = [tree]
    while ahead:
        node = ahead.pop()
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            ahead += node.orelse
            continue
        yield node
        ahead += ast.iter_child_nodes(node)


@cache
def _files(name: str) -> tuple[Path, ...]:
    """The file of a module or a package, or of the one with this attribute; nothing if it is not of this project."""
    for folder in PACKAGES:
        place = folder.joinpath(*name.split("."))
        for path in (place.with_suffix(".py"), place / PACKAGE):
            if path.is_file():
                return (path,)
    package, _, attribute = name.rpartition(".")
    return _files(package) if attribute and package else ()


@cache
def _packages(paths: frozenset[Path]) -> tuple[str, ...]:
    """The versions of the other packages that these sources import or name."""
    named = {name.partition(".")[0] for path in paths for name in _read(path)[0]} | _texts(paths)
    found = {name for top, names in _distributions().items() if top in named and top != LIBRARY for name in names}
    return tuple(f"{name} {metadata.version(name)}" for name in sorted(found))


@cache
def _distributions() -> dict[str, list[str]]:
    return dict(metadata.packages_distributions())


@cache
def _file_digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
