"""`bin/conformance changed [COMMIT]`: the gates that a difference concerns, each with its command.

`bin/test --changed` runs them. A file of the library concerns the linters, the tests and specs of its folder, the tests
that name its module, and the cases of the operations that use its folder; a file at the root of the library concerns
all tests and cases. A change that passes may still fail in a whole run of the gates.
"""

import argparse
import re
import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import PurePosixPath

from conformance.command_line import CommandParser
from conformance.commands import git
from conformance.paths import ROOT

PYTHON = ".venv/bin/python"
PYTEST = f"{PYTHON} -m pytest -m 'not programs and not engines and not slow and not cases and not nightly'"
MARKED = f"{PYTHON} -m pytest -m"
PAIRS = (
    "python_ref/tests/test_architecture.py",
    "python_ref/tests/test_layout.py",
    "python_ref/tests/test_surface.py",
    "conformance/tests/test_conditions.py",
)
"""Tests of what holds for every file of the library."""
DOCUMENTS = (
    "conformance/tests/test_documents.py",
    "conformance/tests/test_clause_map.py",
    "python_ref/tests/test_readme.py",
    "python_ref/tests/test_shelf.py",
)
SCRIPTS = ("python_ref/tests/test_commands.py", "python_ref/tests/test_programs.py")
LIBRARIES = ("python_ref/hybrid_search/", "ruby/lib/hybrid_search/", "ruby/sig/hybrid_search/")
OPERATIONS = "conformance/implementations/python/operations"
FRAMEWORKS = (
    "python_ref/hybrid_search/integrations/",
    "python_ref/tests/integrations/",
    "bin/frameworks",
    "docs/integrations.md",
    "docs/mcp.md",
    "pyproject.toml",
)
"""What the gate with the packages of other frameworks concerns."""
TUTORIAL = ("conformance/tests/test_rails_tutorial.py", "docs/rails-tutorial.md", "ruby/lib/hybrid_search/rails")
"""What runs the tutorial of Rails, the page itself, and the integration that it is about."""
NATIVE = (
    "python_ref/native/",
    "ruby/native/",
    "python_ref/hybrid_search/accelerated/",
    "ruby/lib/hybrid_search/accelerated/",
)
"""What the gate of the native kernels concerns."""
MADE = ("conformance/generators/", "ruby/data/", "python_ref/hybrid_search/data/")
"""What is made from tables, and what makes it."""
ASKED = ("python", "ruby")
"""The implementations that are asked the cases of changed modules beside the reference."""


@dataclass
class Concerned:
    """What a difference concerns.

    Attributes:
        python: files for ruff.
        typed: whether mypy has to look.
        ruby: files for rubocop.
        library: whether Ruby's library changed.
        signatures: whether signatures have to be checked.
        scripts: whether shell scripts changed.
        prose: whether texts changed that the linter of English reads.
        pages: whether pages of the documentation changed.
        tests: files and folders of tests.
        all_tests: whether all of them are concerned.
        specs: files and folders of specs.
        all_specs: whether all of them are concerned.
        modules: modules of cases.
        all_modules: whether all of them are concerned.
        made: whether tables may have changed.
        frameworks: whether integrations with other frameworks changed.
        tutorial: whether the tutorial of Rails, or what it is about, changed.
        native: whether the native kernels, or what calls them, changed.
    """

    python: set[str] = field(default_factory=set)
    typed: bool = False
    ruby: set[str] = field(default_factory=set)
    library: bool = False
    signatures: bool = False
    scripts: bool = False
    prose: bool = False
    pages: bool = False
    tests: set[str] = field(default_factory=set)
    all_tests: bool = False
    specs: set[str] = field(default_factory=set)
    all_specs: bool = False
    modules: set[str] = field(default_factory=set)
    all_modules: bool = False
    made: bool = False
    frameworks: bool = False
    tutorial: bool = False
    native: bool = False


def main(arguments: list[str] | None = None) -> int:
    """Print a line for each gate: its name, a tabulator, its command."""
    parser = CommandParser("changed", __doc__)
    parser.add_argument("commit", nargs="?", default="main", help="what the checkout is compared with (default main)")
    options: argparse.Namespace = parser.parse_args(arguments)
    for name, command in gates(concerned(git.differing(options.commit))):
        print(f"{name}\t{command}")
    return 0


def concerned(paths: Iterable[str]) -> Concerned:
    """What these paths of the repository concern."""
    found = Concerned()
    for path in paths:
        _linters(path, found)
        found.frameworks = found.frameworks or path.startswith(FRAMEWORKS)
        found.tutorial = found.tutorial or path.startswith(TUTORIAL)
        found.native = found.native or path.startswith(NATIVE)
        for beginning, look in _PLACES:
            if path.startswith(beginning):
                look(path, found)
                break
        else:
            found.all_tests = found.all_tests or path in ("pyproject.toml", "Rakefile", "Gemfile")
        if path.endswith(".md"):
            found.pages = True
            found.tests.update(DOCUMENTS)
    return found


def gates(found: Concerned) -> list[tuple[str, str]]:
    """The gates and their commands, those that take longest first."""
    there = sorted(path for path in found.tests if (ROOT / path).exists())
    specs = sorted(path for path in found.specs if (ROOT / path).exists())
    programs = [path for path in there if path.endswith(".py") and _mentions(path, "mark.programs")]
    modules = sorted(name for name in found.modules if (ROOT / "fixtures" / name).is_dir())
    linted = sorted(path for path in found.python if (ROOT / path).exists())
    ruby = sorted(path for path in found.ruby if (ROOT / path).exists())
    result: list[tuple[str, str]] = []
    if found.all_modules:
        result.append(("conformance", "bin/conformance --no-shuffle --reports reports/changed"))
    elif modules:
        named = " ".join(f"--module {name}" for name in modules)
        asked = " ".join(f"--implementation {name}" for name in ASKED)
        result.append(("fixtures", f"bin/conformance make fixtures --check --only {','.join(modules)}"))
        result.append(("conformance", f"bin/conformance {named} {asked} --no-shuffle --reports reports/changed"))
    if found.all_tests:
        result.append(("pytest", f"{PYTEST} python_ref/tests conformance"))
    elif there:
        # 5: of these files no test is left by the markers.
        result.append(("pytest", f"{PYTEST} {shlex.join(there)} || [ $? = 5 ]"))
    if programs:
        result.append(("programs", f"{MARKED} 'programs and not nightly' {shlex.join(programs)} || [ $? = 5 ]"))
    if found.tutorial:
        result.append(("tutorial", f"{MARKED} programs {TUTORIAL[0]}"))
    if found.all_specs:
        result.append(("rspec", "rake spec"))
    elif specs:
        result.append(("rspec", f"RSPEC_FILES={shlex.quote(' '.join(specs))} rake spec"))
    if found.frameworks:
        result.append(("frameworks", "bin/frameworks newest"))
    if found.native:
        result.append(("native", "bin/test native"))
    if found.made:
        result.append(("data", "rake data:check"))
    if ruby:
        result.append(("rubocop", f"rubocop --format simple --force-exclusion {shlex.join(ruby)}"))
    if found.typed:
        result.append(("mypy", ".venv/bin/mypy"))
    if found.signatures:
        result.append(("rbs", "rake sig:validate"))
    if found.library:
        result.append(("ruby-warnings", "rake warnings"))
    if linted:
        result.append(("ruff", f".venv/bin/ruff check --quiet --force-exclude {shlex.join(linted)}"))
        result.append(("ruff-format", f".venv/bin/ruff format --check --quiet --force-exclude {shlex.join(linted)}"))
    if found.scripts:
        result.append(("shellcheck", ".venv/bin/shellcheck bin/* .ci/*"))
    if found.pages:
        result.append(("site", ".venv/bin/python -m conformance site"))
    if found.prose:
        result.append(("prose", ".venv/bin/python -m conformance prose"))
    return result


def _linters(path: str, found: Concerned) -> None:
    found.prose = found.prose or not path.startswith("fixtures/")
    if path.endswith(".py"):
        found.python.add(path)
        found.typed = found.typed or not path.startswith("docs/")
    if path.endswith((".rb", ".gemspec")) or path in ("Rakefile", "Gemfile"):
        found.ruby.add(path)


def _library(path: str, found: Concerned) -> None:
    """A file of the library: its folder's tests and specs, and the operations that use the folder."""
    inner = PurePosixPath(next(path.removeprefix(start) for start in LIBRARIES if path.startswith(start)))
    found.tests.update(PAIRS)
    found.specs.add("ruby/spec/public_signatures_spec.rb")
    if path.startswith("ruby/"):
        found.library = found.signatures = True
    if path.startswith(MADE):
        found.made = found.all_modules = True
        return
    if len(inner.parts) == 1 or inner.parts[0] == "base":
        found.all_tests = found.all_tests or path.startswith("python_ref/")
        found.all_specs = found.all_specs or path.startswith("ruby/")
        found.all_modules = True
        return
    folder = inner.parts[0]
    found.tests.add(f"python_ref/tests/{folder}")
    found.specs.add(f"ruby/spec/{folder}")
    name = ".".join(("hybrid_search", *inner.with_suffix("").parts))
    package, _, last = name.rpartition(".")
    used = (name, f"from {package} import {last} ", f"from {package} import {last}\n")
    found.tests.update(test for test in _tests() if any(_mentions(test, word) for word in used))
    found.modules.update(stem for stem in _operations() if _mentions(f"{OPERATIONS}/{stem}.py", f".{folder}"))


def _gem(path: str, found: Concerned) -> None:
    """What the gem has beside the library: tables, the program, its documents and dependencies."""
    found.library = True
    found.signatures = found.signatures or path.startswith("ruby/sig/")
    found.tests.update(DOCUMENTS)
    if path.startswith(MADE):
        found.made = found.all_modules = True


def _test(path: str, found: Concerned) -> None:
    """A test, or what a folder of tests shares."""
    inner = PurePosixPath(path)
    if inner.name.startswith("test_"):
        found.tests.add(path)
    elif str(inner.parent) in ("python_ref/tests", "conformance/tests"):
        shared = re.compile(rf"\b{re.escape(inner.stem)}\b")
        found.tests.update(test for test in _tests() if shared.search(_text(test)))
        found.all_tests = found.all_tests or inner.name == "conftest.py"
    else:
        found.tests.add(str(inner.parent))


def _spec(path: str, found: Concerned) -> None:
    if path.endswith("_spec.rb"):
        found.specs.add(path)
    else:
        found.all_specs = True


def _fixtures(path: str, found: Concerned) -> None:
    parts = PurePosixPath(path).parts
    found.tests.update(("conformance/tests/test_case_files.py", "conformance/tests/test_clause_map.py"))
    found.tests.add("conformance/tests/test_conformance.py")
    if parts[1] in ("schema", "corpora"):
        found.all_modules = True
    elif parts[1] != "manifest.json":
        found.modules.add(parts[2] if parts[1] == "cases" else parts[1])


def _implementation(path: str, found: Concerned) -> None:
    stem = PurePosixPath(path).stem
    if "/operations/" in path:
        found.modules.add(stem)
    else:
        found.all_modules = True


def _suite(path: str, found: Concerned) -> None:
    """A file of the conformance suite: the tests that name its folder."""
    inner = PurePosixPath(path)
    if path.startswith(MADE):
        found.made = True
        found.tests.update(("conformance/tests/test_generators.py", "conformance/tests/test_options.py"))
    area = f"conformance.{inner.parts[1]}"
    if len(inner.parts) == 2:
        found.tests.add("conformance/tests")
    else:
        found.tests.update(test for test in _tests() if _mentions(test, area))


def _script(path: str, found: Concerned) -> None:
    del path
    found.scripts = True
    found.tests.update((*SCRIPTS, *DOCUMENTS))


def _page(path: str, found: Concerned) -> None:
    del path
    found.tests.update(DOCUMENTS)


_PLACES: tuple[tuple[str, Callable[[str, Concerned], None]], ...] = (
    *((beginning, _library) for beginning in LIBRARIES),
    ("python_ref/tests/", _test),
    ("conformance/tests/", _test),
    ("conformance/implementations/", _implementation),
    ("conformance/", _suite),
    ("ruby/spec/", _spec),
    ("ruby/", _gem),
    ("fixtures/", _fixtures),
    ("bin/", _script),
    (".ci/", _script),
    ("docs/", _page),
)


@cache
def _tests() -> list[str]:
    """Every file of tests."""
    folders = (ROOT / "python_ref/tests", ROOT / "conformance/tests")
    return sorted(path.relative_to(ROOT).as_posix() for folder in folders for path in folder.rglob("test_*.py"))


def _operations() -> list[str]:
    """The modules of operations, as the files that hold them are called."""
    return sorted(path.stem for path in (ROOT / OPERATIONS).glob("[!_]*.py"))


@cache
def _text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


def _mentions(path: str, word: str) -> bool:
    return word in _text(path)
