"""Reads the case files that people write: YAML in `cases/<module>/`, checked against the lists of clauses and flags.

The YAML is read in the plain sense of YAML 1.2: only `true` and `false` are booleans, `1e-3` is a number, a date is a
text, and a key that comes twice is an error.
"""

import itertools
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from conformance.cases.fixtures import SUFFIX
from conformance.paths import CASES, CONFORMANCE
from conformance.yaml_files import SAFE_LOADER

LEVELS = ("must", "may")
ORIGINS = ("hand", "generated", "fuzz", "regression")
COMPARE = re.compile(r"bits|text|order|ulp:[1-9][0-9]*", re.ASCII)
NAME = re.compile(r"[a-z0-9_]+(\.[a-z0-9_]+)+", re.ASCII)
FILE_KEYS = {"operation", "theme", "clauses", "flags", "level", "params", "compare", "origin", "cases"}
CASE_KEYS = {"id", "summary", "clauses", "flags", "level", "params", "input", "compare", "origin"}


class CaseFileError(Exception):
    """A case file cannot be used; the message names the file and the case."""


class PlainLoader(SAFE_LOADER):  # type: ignore[misc]  # which one it is depends on how PyYAML was built
    """YAML 1.2's core scalars, and no repeated keys."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 (PyYAML's own class attribute)


def _mapping(loader: PlainLoader, node: yaml.MappingNode) -> dict[Any, Any]:
    keys = [loader.construct_object(key) for key, _ in node.value]
    for index, key in enumerate(keys):
        if key in keys[:index]:
            raise yaml.constructor.ConstructorError(None, None, f"the key {key!r} comes twice", node.start_mark)
    mapping: dict[Any, Any] = loader.construct_mapping(node, deep=True)
    return mapping


PlainLoader.add_constructor("tag:yaml.org,2002:map", _mapping)
for _tag, _pattern, _first in (
    ("bool", r"^(?:true|false)$", "tf"),
    ("null", r"^(?:null|~|)$", ["n", "~", ""]),
    ("int", r"^[-+]?[0-9]+$", "-+0123456789"),
    (
        "float",
        r"^(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf)|\.(?:nan|NaN))$",
        "-+0123456789.",
    ),
    ("merge", r"^<<$", "<"),
):
    PlainLoader.add_implicit_resolver("tag:yaml.org,2002:" + _tag, re.compile(_pattern), list(_first))


def _integer(loader: PlainLoader, node: yaml.ScalarNode) -> int:
    return int(node.value)


def _float(loader: PlainLoader, node: yaml.ScalarNode) -> float:
    text = node.value.lower()
    return float(text.replace(".inf", "inf").replace(".nan", "nan"))


PlainLoader.add_constructor("tag:yaml.org,2002:int", _integer)
PlainLoader.add_constructor("tag:yaml.org,2002:float", _float)


@dataclass(frozen=True)
class Case:
    """One case as written, with the file's defaults filled in."""

    id: str
    summary: str
    operation: str
    theme: str
    clauses: tuple[str, ...]
    flags: tuple[str, ...]
    level: str
    compare: str
    origin: dict[str, Any]
    params: dict[str, Any]
    input: Any


@dataclass(frozen=True)
class CaseFile:
    """A case file: one operation, one theme, its cases in order."""

    path: Path
    operation: str
    theme: str
    cases: list[Case] = field(default_factory=list)

    @property
    def module(self) -> str:
        """The first part of the operation's name."""
        return self.operation.partition(".")[0]

    @property
    def fixture(self) -> str:
        """The fixture's path under `fixtures/`."""
        return f"{self.module}/{self.operation.partition('.')[2]}.{self.theme}{SUFFIX}"


def load_yaml(path: Path) -> Any:
    """A YAML file in the plain sense above."""
    try:
        return yaml.load(path.read_text(encoding="utf-8"), PlainLoader)
    except (yaml.YAMLError, UnicodeDecodeError) as problem:
        raise CaseFileError(f"{path}: {problem}") from None


def known_clauses() -> dict[str, Any]:
    """The numbered clauses: id → {cases}."""
    clauses: dict[str, Any] = load_yaml(CONFORMANCE / "clauses.yml")
    return clauses


def known_flags() -> dict[str, Any]:
    """The glossary of flags: name → {means, missed}."""
    flags: dict[str, Any] = load_yaml(CONFORMANCE / "flags.yml")
    return flags


def load(only: set[str] | None = None) -> tuple[list[CaseFile], list[str]]:
    """Every case file, sorted by fixture path, and the problems found.

    Args:
        only: the modules to read; none reads all.

    Returns:
        The files that can be used, and what is wrong with them or with others: texts that name file and case.
    """
    problems: list[str] = []
    files: list[CaseFile] = []
    clauses, flags = known_clauses(), known_flags()
    seen: dict[str, Path] = {}
    for path in sorted(CASES.glob("*/*.yml")):
        if only and path.parent.name not in only:
            continue
        try:
            case_file = read(path)
        except CaseFileError as problem:
            problems.append(str(problem))
            continue
        files.append(case_file)
        problems.extend(_check(case_file, clauses, flags, seen))
    files.sort(key=lambda case_file: case_file.fixture)
    for one, other in itertools.pairwise(files):
        if one.fixture == other.fixture:
            problems.append(f"{other.path}: {one.path.name} has the same operation and theme")
    return files, problems


def read(path: Path) -> CaseFile:
    """One case file.

    Raises:
        CaseFileError: the file does not hold cases as it should.
    """
    content = load_yaml(path)
    if not isinstance(content, dict) or not isinstance(content.get("cases"), list):
        raise CaseFileError(f"{path}: must be an object with operation, theme, clauses and a list of cases")
    unknown = sorted(set(content) - FILE_KEYS)
    if unknown:
        raise CaseFileError(
            f"{path}: unknown keys {', '.join(map(str, unknown))}; known: {', '.join(sorted(FILE_KEYS))}"
        )
    operation, theme = content.get("operation"), content.get("theme")
    if not isinstance(operation, str) or not NAME.fullmatch(operation) or not isinstance(theme, str):
        raise CaseFileError(f"{path}: operation must be module.name in [a-z0-9_], theme a text")
    return CaseFile(path, operation, theme, [_case(path, content, case) for case in content["cases"]])


def _case(path: Path, content: dict[str, Any], case: Any) -> Case:
    if not isinstance(case, dict) or not isinstance(case.get("id"), str):
        raise CaseFileError(f"{path}: a case must be an object with an id")
    identifier = case["id"]
    unknown = sorted(set(case) - CASE_KEYS)
    if unknown:
        raise CaseFileError(f"{path}: {identifier}: unknown keys {', '.join(map(str, unknown))}")

    def value(key: str, default: Any) -> Any:
        return case.get(key, content.get(key, default))

    params = {**(content.get("params") or {}), **(case.get("params") or {})}
    return Case(
        id=identifier,
        summary=str(case.get("summary") or ""),
        operation=content["operation"],
        theme=content["theme"],
        clauses=tuple(value("clauses", [])),
        flags=tuple(sorted(set(content.get("flags") or []) | set(case.get("flags") or []))),
        level=value("level", "must"),
        compare=value("compare", "bits"),
        origin=value("origin", {"kind": "hand"}),
        params=params,
        input=case.get("input"),
    )


def _check(case_file: CaseFile, clauses: dict[str, Any], flags: dict[str, Any], seen: dict[str, Path]) -> list[str]:
    problems = []
    prefix = f"{case_file.operation}.{case_file.theme}."
    if case_file.path.parent.name != case_file.module:
        problems.append(f"{case_file.path}: {case_file.operation} belongs into the folder {case_file.module}")
    if not case_file.cases:
        problems.append(f"{case_file.path}: has no cases")
    for case in case_file.cases:
        found = []
        if not case.id.startswith(prefix) or not NAME.fullmatch(case.id):
            found.append(f"the id must start with {prefix}")
        if case.id in seen:
            found.append(f"the id is used in {seen[case.id].name} already")
        seen[case.id] = case_file.path
        if not case.summary:
            found.append("has no summary")
        if not case.clauses:
            found.append("has no clause")
        found += [f"unknown clause {clause}" for clause in case.clauses if clause not in clauses]
        found += [f"unknown flag {flag}" for flag in case.flags if flag not in flags]
        if case.level not in LEVELS:
            found.append(f"level must be one of {', '.join(LEVELS)}")
        if not isinstance(case.compare, str) or not COMPARE.fullmatch(case.compare):
            found.append("compare must be bits, text, order or ulp:N")
        if not isinstance(case.origin, dict) or case.origin.get("kind") not in ORIGINS:
            found.append(f"origin.kind must be one of {', '.join(ORIGINS)}")
        problems += [f"{case_file.path.relative_to(CASES)}: {case.id}: {text}" for text in found]
    return problems
