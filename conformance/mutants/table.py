"""Mutants, and the lists of those that were written by hand, from `lists/<area>.yml` (CNF-19)."""

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Any

from conformance import yaml_files
from conformance.errors import BrokenError
from conformance.paths import CONFORMANCE, ROOT

LISTS = CONFORMANCE / "mutants" / "lists"
SOURCES = {"python": ("python_ref/hybrid_search", "py"), "ruby": ("ruby/lib/hybrid_search", "rb")}
"""Language → the folder of its sources and how their names end."""

IMPLEMENTATIONS = {
    "python": {
        "plain": "reference",
        "fast": "python",
        "files": "python-sqlite",
        "postgres": "python-postgres",
        "opensearch": "python-opensearch",
    },
    "ruby": {
        "plain": "ruby-plain",
        "fast": "ruby",
        "files": "ruby-sqlite",
        "postgres": "ruby-postgres",
        "opensearch": "ruby-opensearch",
    },
}
"""Language → kernels, or what keeps the documents → the name of the implementation in `implementations.yml`."""
POSTGRES_FILES = ("accelerated/postgres", "data/postgres", "doc_store_adapter/postgres/")
"""How the names of files begin that are used only where stores are in PostgreSQL."""
OPENSEARCH_FILES = ("doc_store_adapter/opensearch/",)
"""How the names of files begin that are used only where stores are in OpenSearch: their tests are asked as well, as the
scores of an engine are its own."""
STORE_FILES = (
    "accelerated/cached_masks",
    "accelerated/cached_states",
    "accelerated/gmp_bytes",
    "accelerated/integer_bytes",
    "accelerated/sketch_columns",
    "accelerated/sqlite",
    "accelerated/stored_inverted_index",
    "accelerated/table_index",
    "doc_store_adapter/documents/stored_json",
    "doc_store_adapter/filters/attributes",
    "doc_store_adapter/sqlite/",
    "doc_store_adapter/tables/",
)
"""How the names of files begin that are used only where stores are files."""
FILE_OPERATIONS = "index_files."
"""How the names of operations begin that make files themselves: implementations with all documents in files lack
them."""
FAST_FILES = ("accelerated/", "doc_store_adapter/dense_scores")
"""How the names of files begin that only fast kernels use; mutants of others are tried with plain ones, unless they say
`fast: true`."""

ASYNC_TESTS = ("async_index/test_answers", "async_index/test_endings", "async_index/test_overlap")
PYTHON_ALONE = {
    **dict.fromkeys(("concurrency/", "base/awaitable", "async_index"), ASYNC_TESTS),
    "code_index/": ("code_index/test_block_cutter", "code_index/test_code_index"),
}
"""How the names of files begin that Python alone has → the files of the tests that are asked in the place of cases."""

COMMAND_FILES = ("cli/",)
"""How the names of files begin that the command line alone uses: mutants of these are asked command lines."""

LIST_KEYS = {"modules", "mutants"}
KINDS = {
    "kept": "what is kept is not told apart by all it depends on, or not forgotten in time",
    "size": "a size at which something changes is another",
    "boundary": "a comparison is right but at its limit",
    "one_off": "a place, a count or a row of a table is one off",
    "logic": "anything else",
}
"""The kinds of faults, of which each mutant is one."""

ENTRY_KEYS = {"name", "does", "kind", "file", "modules", "shuffle", "fast", "python", "ruby"}
CHANGE_KEYS = {"file", "in", "replace", "by"}


@dataclass(frozen=True)
class Mutant:
    """One change to one file.

    Attributes:
        name: `area.change.language`.
        area: the name of its list.
        language: "python" or "ruby".
        kind: which of `KINDS` it is.
        does: what it makes wrong, in words.
        path: the file, from the root of the repository.
        function: where in the file to look for the text; none: anywhere.
        replace: the text that is replaced; it must be there exactly once.
        by: what it is replaced by.
        modules: the modules, or single operations, whose cases are asked first, in this order; may hold `*`.
        shuffle: whether these are asked again in a shuffle.
        fast: whether it shows with fast kernels alone.
        at: where in the file a drawn one has its text, in characters; None: it was written by hand.
        cases: the cases that pass through what a drawn one changes.
    """

    name: str
    area: str
    language: str
    kind: str
    does: str
    path: str
    function: str | None
    replace: str
    by: str
    modules: tuple[str, ...]
    shuffle: bool
    fast: bool
    at: int | None = None
    cases: tuple[str, ...] = ()

    @property
    def is_drawn(self) -> bool:
        """Whether it was drawn, and not written by hand."""
        return self.at is not None

    @property
    def file(self) -> str:
        """How lists call the file, with its ending."""
        return self.path.removeprefix(f"{SOURCES[self.language][0]}/")

    @property
    def is_command(self) -> bool:
        """Whether the command line alone has what it changes."""
        return self.file.startswith(COMMAND_FILES)

    @property
    def has_tests(self) -> bool:
        """Whether tests of a store are asked beside the cases."""
        return self.file.startswith(OPENSEARCH_FILES)

    @property
    def tests(self) -> tuple[str, ...]:
        """The files of the tests that alone are asked; none: cases are."""
        return next((files for prefix, files in PYTHON_ALONE.items() if self.file.startswith(prefix)), ())

    @property
    def implementation(self) -> str:
        """The name of the implementation it is tried in."""
        file = self.file
        if file.startswith(POSTGRES_FILES):
            return IMPLEMENTATIONS[self.language]["postgres"]
        if self.has_tests:
            return IMPLEMENTATIONS[self.language]["opensearch"]
        if file.startswith(STORE_FILES):
            return IMPLEMENTATIONS[self.language]["files"]
        return IMPLEMENTATIONS[self.language]["fast" if self.fast or file.startswith(FAST_FILES) else "plain"]

    def asked(self, operation: str) -> str:
        """Return the name of the implementation that is asked the cases of an operation."""
        if self.file.startswith(STORE_FILES) and operation.startswith(FILE_OPERATIONS):
            return IMPLEMENTATIONS[self.language]["fast"]
        return self.implementation

    def place(self, operation: str) -> int:
        """Where among `modules` an operation is; their number if it is in none."""
        names = (operation, operation.partition(".")[0])
        found = (
            index for index, pattern in enumerate(self.modules) if any(fnmatchcase(name, pattern) for name in names)
        )
        return next(found, len(self.modules))

    def apply(self, source: str) -> str:
        """The file's content with the change.

        Raises:
            BrokenError: the text is not there exactly once, or changes nothing.
        """
        if self.at is not None:
            assert source.startswith(self.replace, self.at)
            return source[: self.at] + self.by + source[self.at + len(self.replace) :]
        start, end = (0, len(source)) if self.function is None else span(source, self.function, self.path)
        count = source.count(self.replace, start, end)
        if count != 1 or self.replace == self.by:
            where = self.path if self.function is None else f"{self.function} of {self.path}"
            raise BrokenError(f"no longer applies: its text is {count} times in {where}, not once")
        place = source.index(self.replace, start, end)
        return source[:place] + self.by + source[place + len(self.replace) :]


def load(folder: Path = LISTS) -> list[Mutant]:
    """All mutants, by area, in the order of their lists.

    Raises:
        BrokenError: a list is not usable, or a name comes twice.
    """
    mutants = [mutant for path in sorted(folder.glob("*.yml")) for mutant in _area(path)]
    names = [mutant.name for mutant in mutants]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice or not mutants:
        raise BrokenError(f"mutants: {'twice: ' + ', '.join(twice) if twice else 'there is none'}")
    return mutants


def read(mutant: Mutant) -> str:
    """The source that a mutant changes, as it is in the checkout.

    Raises:
        BrokenError: there is no such file.
    """
    try:
        return (ROOT / mutant.path).read_text(encoding="utf-8")
    except OSError:
        raise BrokenError(f"no longer applies: there is no file {mutant.path}") from None


def _area(path: Path) -> list[Mutant]:
    content = yaml_files.load(path)
    if not isinstance(content, dict) or set(content) != LIST_KEYS or not isinstance(content["mutants"], list):
        raise BrokenError(f"{path.name}: must be an object with {' and '.join(sorted(LIST_KEYS))}")
    mutants = []
    area = path.stem
    for place, entry in enumerate(content["mutants"]):
        name = f"{path.name}: mutants[{place}]"
        _check(name, entry, ENTRY_KEYS, {"name", "does"})
        languages = [language for language in SOURCES if language in entry]
        if not languages:
            raise BrokenError(f"{name} changes neither the reference nor the port")
        for language in languages:
            mutants.append(_mutant(f"{name}.{language}", area, language, entry, content["modules"]))
    return mutants


def _mutant(name: str, area: str, language: str, entry: dict[str, Any], modules: list[str]) -> Mutant:
    change = entry[language]
    _check(name, change, CHANGE_KEYS, {"replace", "by"})
    file = change.get("file", entry.get("file"))
    if not isinstance(file, str):
        raise BrokenError(f"{name} names no file")
    folder, ending = SOURCES[language]
    kind = entry.get("kind", "logic")
    if kind not in KINDS:
        raise BrokenError(f"{name} is of no kind: {kind}; must be one of {', '.join(KINDS)}")
    return Mutant(
        name=f"{area}.{entry['name']}.{language}",
        area=area,
        language=language,
        kind=kind,
        does=str(entry["does"]),
        path=_path(folder, file, ending),
        function=change.get("in"),
        replace=str(change["replace"]),
        by=str(change["by"]),
        modules=tuple(entry.get("modules", modules)),
        shuffle=bool(entry.get("shuffle", False)),
        fast=bool(entry.get("fast", False)),
    )


def _path(folder: str, file: str, ending: str) -> str:
    """The file, as it is called; data have an ending."""
    return str(PurePosixPath(folder, file if "." in file else f"{file}.{ending}"))


def _check(name: str, entry: Any, known: set[str], needed: set[str]) -> None:
    if not isinstance(entry, dict) or not needed <= set(entry) <= known:
        raise BrokenError(f"{name} must have {', '.join(sorted(needed))}, and may have {', '.join(sorted(known))}")


def span(source: str, function: str, path: str) -> tuple[int, int]:
    """Where a function begins and ends: from its `def` to the next line that is indented no deeper."""
    found = list(re.finditer(rf"^([ ]*)def (?:self\.)?{re.escape(function)}(?![A-Za-z0-9_?!])", source, re.MULTILINE))
    if len(found) != 1:
        raise BrokenError(f"no longer applies: {path} has {len(found)} functions {function}, not one")
    start = found[0].end()
    after = re.compile(rf"^[ ]{{0,{len(found[0].group(1))}}}[^ )\n]", re.MULTILINE).search(source, start)
    return start, after.start() if after else len(source)
