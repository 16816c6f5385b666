"""The rules of docs/architecture.md, checked in both languages by parsing the sources."""

import ast
import json
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import hybrid_search
from python_ref.tests.library_files import (
    AUTOLOADING,
    CONFORMANCE,
    LIBRARY,
    ONLY_PYTHON_FUNCTIONS,
    PACKAGE,
    REPOSITORY,
    autoloads,
    file_of,
    imported_by,
    name_of,
    paired_python_files,
    public_classes,
    python_files,
    ruby_facts,
    ruby_files,
    shown,
    twin_of,
)

WITHOUT_LIBRARY = ("commands", "wire", "cases", "judging", "reports", "live")
MOST_LINES = 400

# A class that cannot have the same name in both languages.
RUBY_CLASS_NAMES = {"HybridSearchError": "Error"}
# Methods that each language names by its own custom.
RUBY_METHOD_NAMES = {"to_dict": "to_h", "from_dict": "from_h"}
# Methods that only one language needs, and why.
ONLY_PYTHON_METHODS = {
    "IndexDocuments.to_arrow": "a table of a Python library",
    "Dictionary.words_in": "Ruby asks its packed table for one word after another",
    "DictionaryTable.words_in": "likewise",
    "Vectors": "rows of numpy; Ruby has a list for each number",
    "LargeInteger": "Ruby's hash of an integer depends on the process already",
    "NotGiven": "the type of the sentinel `NOT_GIVEN`, for annotations",
    "VectorSource": "a Struct in Ruby",
    "TermRow": "likewise",
    "Basis.of": "`new` in Ruby",
    "RetrieverSettings.of": "`new` in Ruby",
    "TagOptions.of": "`new` in Ruby",
    "Page.to_json": "`Value::ToJson` has it for all values",
    "Page.count": "`Enumerable` has it",
    "KnownClassNames": "a class of classes; in Ruby a class extends `KnownNames`",
    "Posting.add_scores": "numpy adds the scores of many documents at once; Ruby asks for one",
    "Posting.add_all_scores": "likewise",
    "FirstSums": "the exact sums of all documents at once, by numpy; Ruby gains nothing by them",
    "BestSums.first": "likewise",
    "NativeSums.first": "likewise",
    "TextCandidates.fewest": "likewise",
    "TextCandidates.beside": "likewise",
    "SqliteTables.packed_vectors": "numpy reads packed vectors; Ruby unpacks them",
    "Bm25fLeg.first": "the exact sums of all documents at once, by numpy",
    "Posting.slack": "numpy adds up steps; Ruby has scores of which it knows how near they are",
    "NearPosting.slack": "likewise",
    "NearPosting.steps_by": "likewise",
    "MovedPosting.slack": "likewise",
    "MovedPosting.steps": "likewise",
    "MovedPosting.add_scores": "numpy adds the scores of many documents at once; Ruby asks for one",
    "Counts": "arrays of numpy; Ruby has Arrays in an Array",
    "Vectors.without": "rows of numpy; Ruby selects from a list",
    "Nearest": "a Struct in Ruby",
    "ReadState": "a Struct in Ruby",
    "ReadState.changes_since": "`changes` of `PostgresState` in Ruby",
}

# The ends of lines that may add in any order: their results are not scores (NUM-2), or the order does not matter.
RECALL_ONLY = "# recall only"
WHOLE_NUMBERS = "# whole numbers"

FORBIDDEN_PYTHON_NAMES = {"sum", "round", "pow"}
FORBIDDEN_PYTHON_ATTRIBUTES = {
    "sum", "nansum", "dot", "vdot", "inner", "matmul", "einsum", "tensordot", "mean", "average", "prod", "norm", "pow",
    "power", "float_power", "fsum", "sumprod", "hypot", "dist", "round", "around", "cumsum", "trace",
}  # fmt: skip
FORBIDDEN_NUMPY_ATTRIBUTES = {"log", "log10", "log2", "log1p", "exp", "expm1"}
FORBIDDEN_RUBY_CALLS = {"sum", "round", "pow", "hypot", "cbrt", "inner_product"}


@cache
def layers() -> dict[str, int]:
    """The layer of each folder, from the drawing in docs/architecture.md; higher may use lower."""
    text = (REPOSITORY / "docs/architecture.md").read_text(encoding="utf-8")
    drawing = text.split("## Layers")[1].split("\n\n")[1]
    levels = [level.split() for level in drawing.split("←")]
    return {module: level for level, modules in enumerate(levels) for module in modules}


def room_of(name: str) -> str:
    """The name of a file's part in the drawing: its folder, or the file itself at the root."""
    return name.rpartition("/")[0] or name


def layer_of(name: str) -> int:
    room = room_of(name)
    place = room if room in layers() else room.split("/")[0]
    assert place in layers(), f"{room} has no place in the layers of docs/architecture.md"
    return layers()[place]


def may_use(name: str, other: str) -> bool:
    """Whether a file may use another: within a folder, or from a folder further to the left."""
    return room_of(name) == room_of(other) or layer_of(other) < layer_of(name)


# --- pairing ---------------------------------------------------------------------------------------------------------


def test_every_file_of_the_reference_has_a_twin_and_vice_versa():
    python = {twin_of(path) for path in paired_python_files()}
    ruby = {name_of(path, LIBRARY) for path in ruby_files()}
    assert sorted(python ^ ruby) == []
    assert len(python) > 5


def is_left_open(owner: ast.ClassDef, method: ast.FunctionDef) -> bool:
    """Whether an internal class leaves a method to its subclasses: Ruby defines it only there."""
    internal = owner.name not in hybrid_search.__all__
    return internal and "abstractmethod" in map(ast.unparse, method.decorator_list)


def twins() -> Iterator[tuple[Path, dict[str, Any]]]:
    """Each file of the reference with the facts of its twin; the test of pairs finds a file without one."""
    for path in paired_python_files():
        facts = ruby_facts().get(twin_of(path))
        if facts is not None:
            yield path, facts


def missing_in_ruby(path: Path, facts: dict[str, Any]) -> Iterator[str]:
    """The public classes and methods of a file that its twin does not have."""
    ruby_classes = {name for name, _ in facts["classes"]}
    ruby_methods = {name.rstrip("?!=") for name, _ in facts["methods"]}
    ruby_methods |= {name[1:] for name, _ in facts["calls"] if name.startswith(":")}  # attr_reader :name
    for node in public_classes(path):
        if RUBY_CLASS_NAMES.get(node.name, node.name) not in ruby_classes:
            yield node.name
        for member in node.body:
            if (
                isinstance(member, ast.FunctionDef)
                and not member.name.startswith("_")
                and not is_left_open(node, member)
            ):
                name = RUBY_METHOD_NAMES.get(member.name, member.name)
                if not {name, name.removeprefix("is_").removeprefix("has_")} & ruby_methods:
                    yield f"{node.name}.{member.name}"


def test_twins_define_the_same_classes_and_methods():
    missing = [(shown(path), name) for path, facts in twins() for name in missing_in_ruby(path, facts)]
    assert [(path, name) for path, name in missing if name not in ONLY_PYTHON_METHODS] == []


def test_twins_define_the_same_functions():
    missing = set()
    for path, facts in twins():
        ruby = {name.rstrip("?!=") for name, _ in facts["methods"]}
        nodes = ast.parse(path.read_text(encoding="utf-8")).body
        names = {node.name for node in nodes if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")}
        lost = {name for name in names if not {name, name.removeprefix("is_").removeprefix("has_")} & ruby}
        missing |= {f"{name_of(path, PACKAGE)}.{name}" for name in lost}
    assert missing - ONLY_PYTHON_FUNCTIONS.keys() == set()


def test_the_list_of_autoloads_is_complete():
    missing = [path for path in autoloads().values() if not (LIBRARY / f"{path}.rb").exists()]
    assert missing == []


# --- one-way dependencies --------------------------------------------------------------------------------------------


def test_python_dependencies_point_in_one_direction():
    wrong = [
        f"{shown(path)}:{line} uses {name}"
        for path in python_files()
        for name, line in imported_by(path)
        if not may_use(name_of(path, PACKAGE), name)
    ]
    assert wrong == []


def test_ruby_dependencies_point_in_one_direction():
    wrong = []
    for path in ruby_files():
        own = name_of(path, LIBRARY)
        facts = ruby_facts()[own]
        defined_here = {name for name, _ in facts["classes"]}
        wrong += [
            f"{shown(path)}:{line} uses {name}"
            for name, line in facts["constants"]
            if name not in defined_here and (file := file_of(name, own)) and not may_use(own, file)
        ]
    assert wrong == []


def modules_imported_by(path: Path) -> set[str]:
    """Every module that a Python file imports by its whole name, anywhere in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def test_the_library_does_not_depend_on_the_suite():
    wrong = [
        shown(path)
        for path in python_files()
        if any(name.startswith("conformance") for name in modules_imported_by(path))
    ]
    assert wrong == []


def test_code_that_runs_and_judges_cases_uses_the_library_only_through_the_protocol():
    paths = [path for folder in WITHOUT_LIBRARY for path in (CONFORMANCE / folder).glob("*.py")]
    wrong = [
        shown(path) for path in paths if any(name.startswith("hybrid_search") for name in modules_imported_by(path))
    ]
    assert len(paths) > 10
    assert wrong == []


def test_the_packages_of_the_suite_have_no_circular_imports():
    folders = {path.parent.relative_to(CONFORMANCE).parts[0] for path in CONFORMANCE.glob("*/__init__.py")} - {"tests"}
    uses: dict[str, set[str]] = {}
    for folder in folders:
        modules = {name for path in (CONFORMANCE / folder).rglob("*.py") for name in modules_imported_by(path)}
        named = {name.split(".")[1] for name in modules if name.startswith("conformance.")}
        uses[folder] = (named & folders) - {folder}
    while done := {folder for folder, others in uses.items() if not others}:
        uses = {folder: others - done for folder, others in uses.items() if folder not in done}
    assert uses == {}


# --- arithmetic ------------------------------------------------------------------------------------------------------


def counts_only(node: ast.AST) -> bool:
    """`sum(1 for …)`: a count, exact in any order."""
    match node:
        case ast.Call(func=ast.Name(id="sum"), args=[ast.GeneratorExp(elt=ast.Constant(value=1))]):
            return True
    return False


def is_number(node: ast.AST) -> bool:
    operand = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(operand, ast.Constant)


def forbidden_python(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Sums, products, rounding and powers that only `numeric` may use (NUM-2, NUM-3); constants like 2**53 are free."""
    called = {node.func for node in ast.walk(tree) if isinstance(node, ast.Call)}
    counts = {node.func for node in ast.walk(tree) if isinstance(node, ast.Call) and counts_only(node)}
    for node in ast.walk(tree):
        if node in counts or (isinstance(node, ast.BinOp) and is_number(node.left) and is_number(node.right)):
            continue
        if isinstance(node, ast.Name) and node.id in FORBIDDEN_PYTHON_NAMES and isinstance(node.ctx, ast.Load):
            yield node.id, node.lineno
        elif isinstance(node, ast.Attribute):
            owner = node.value.id if isinstance(node.value, ast.Name) else ""
            if owner == "numeric":
                continue
            numpy = owner in ("np", "numpy")
            used = node in called or numpy or owner in ("math", "statistics")  # not a plain attribute of an object
            if (used and node.attr in FORBIDDEN_PYTHON_ATTRIBUTES) or (
                numpy and node.attr in FORBIDDEN_NUMPY_ATTRIBUTES
            ):
                yield f".{node.attr}", node.lineno
        elif isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Pow | ast.MatMult):
            yield "**" if isinstance(node.op, ast.Pow) else "@", node.lineno
        elif isinstance(node, ast.ImportFrom) and node.module in ("math", "statistics", "numpy"):
            yield f"from {node.module} import: name the module where it is used", node.lineno
        elif isinstance(node, ast.Import) and any(alias.name == "statistics" for alias in node.names):
            yield "statistics", node.lineno


ADVICE = f"use `numeric`; where no score depends on it, end the line with `{RECALL_ONLY}` or `{WHOLE_NUMBERS}`"


def exempt(text: str, line: int) -> bool:
    return text.splitlines()[line - 1].endswith((RECALL_ONLY, WHOLE_NUMBERS))


def scoring_python_files() -> list[Path]:
    operations = CONFORMANCE / "implementations/python/operations"
    return [path for path in [*paired_python_files(), *sorted(operations.glob("*.py"))] if path.stem != "numeric"]


def test_python_arithmetic_is_only_in_numeric():
    wrong = []
    for path in scoring_python_files():
        text = path.read_text(encoding="utf-8")
        found = [item for item in forbidden_python(ast.parse(text)) if not exempt(text, item[1])]
        wrong += [f"{shown(path)}:{line} {what}" for what, line in found]
    assert wrong == [], ADVICE


def test_the_check_finds_arithmetic_in_python():
    source = "sum(x); np.sum(x); x.sum(); np.dot(a, b); a @ b; round(x); x ** 2; math.pow(x, 2); np.exp(x); x **= 2"
    assert len(list(forbidden_python(ast.parse(source)))) == 10
    allowed = "numeric.dot(a, b); f(**options); math.exp(x); np.add.accumulate(x); 2**-53; sum(1 for x in y)"
    assert list(forbidden_python(ast.parse(allowed))) == []


def test_ruby_arithmetic_is_only_in_numeric():
    wrong = []
    for path in ruby_files():
        name = name_of(path, LIBRARY)
        if name == "base/numeric":
            continue  # the one place
        facts = ruby_facts()[name]
        found = [(call, line) for call, line in facts["calls"] if call.lstrip(":") in FORBIDDEN_RUBY_CALLS]
        found += [(operator, line) for operator, line in facts["operators"] if operator in ("**", "**=")]
        text = path.read_text(encoding="utf-8")
        wrong += [f"{name}.rb:{line} {what}" for what, line in found if not exempt(text, line)]
    assert wrong == [], ADVICE


def test_the_check_finds_facts_in_ruby(tmp_path):
    source = (
        "class Here\n  def go(a) = a.sum + a.map(&:round)\n  X = HybridSearch::Fusion\n  Y = Text::Stemmer.new\n"
        "  a **= 2 ** b\nend\n::Integer\n"
    )
    file = tmp_path / "here.rb"
    file.write_text(source, encoding="utf-8")
    command = ["ruby", str(Path(__file__).with_name("ruby_facts.rb")), str(file)]
    facts = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)[str(file)]
    assert facts["classes"] == [["Here", 1]]
    assert facts["methods"] == [["go", 2]]
    assert {name for name, _ in facts["calls"]} >= {"sum", ":round"}
    assert {name for name, _ in facts["operators"]} >= {"**", "**="}
    assert ["Fusion", 3] in facts["constants"]
    assert ["Text::Stemmer", 4] in facts["constants"]
    assert "Integer" not in {name for name, _ in facts["constants"]}


# --- size ------------------------------------------------------------------------------------------------------------


def test_files_are_short():
    """The list of autoloads, which has a line for each class, is excepted."""
    folders = [REPOSITORY / name for name in ("python_ref", "ruby", "conformance")]
    files = [
        path
        for folder in folders
        for pattern in ("*.py", "*.rb")
        for path in folder.rglob(pattern)
        if path not in AUTOLOADING
    ]
    long = {shown(path): count for path in files if (count := len(path.read_text("utf-8").splitlines())) >= MOST_LINES}
    assert long == {}


def test_the_top_level_contains_only_expected_files():
    listed = ["git", "ls-files"]
    tracked = subprocess.run(listed, cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout.splitlines()
    names = {name.partition("/")[0] for name in tracked}
    folders = {"bin", "conformance", "docs", "fixtures", "python_ref", "ruby"}
    files = {
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "Gemfile",
        "LICENSE",
        "NOTICE",
        "README.md",
        "Rakefile",
        "pyproject.toml",
    }
    assert {name for name in names if not name.startswith(".")} == folders | files
