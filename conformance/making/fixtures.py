"""Makes the golden fixtures (CNF-1 … CNF-4): case files in, what the reference answers out.

One file an operation and theme. UTF-8, LF, sorted keys, two blanks of indentation, no times. A stage of a trace whose
canonical JSON is longer than `LARGEST_STAGE` bytes is kept as its SHA-256: enough to name the first wrong stage.
"""

import contextlib
import json
import os
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.cases import choices
from conformance.implementations.python import codec, execute, registry
from conformance.making import case_files, manifest
from conformance.making.case_files import Case, CaseFile
from conformance.paths import FIXTURES
from hybrid_search._kernels import PLAIN, VARIABLE

LARGEST_STAGE = 4096
KEPT_FOLDERS = {"cases", "corpora", "schema"}


@dataclass
class Made:
    """What a run made: contents by path under `fixtures/`, the case ids in them, and what went wrong."""

    files: dict[str, bytes] = field(default_factory=dict)
    case_ids: dict[str, list[str]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def make(only: set[str] | None = None, progress: Callable[[str], None] | None = None) -> Made:
    """Run every case of the chosen modules (none: all) in the reference."""
    case_list, problems = case_files.load(only)
    made = Made(problems=problems)
    for case_file in case_list:
        if progress:
            progress(f"{case_file.fixture} ({len(case_file.cases)})")
        cases = []
        for case in case_file.cases:
            try:
                with _plain_kernels():
                    cases.append(expected(case))
            except Exception as problem:
                where = traceback.extract_tb(problem.__traceback__)[-1]
                made.problems.append(
                    f"{case.id}: {type(problem).__name__}: {problem} ({Path(where.filename).name}:{where.lineno})"
                )
        made.files[case_file.fixture] = to_bytes(_document(case_file, cases))
        made.case_ids[case_file.fixture] = [case["id"] for case in cases]
    return made


@contextlib.contextmanager
def _plain_kernels() -> Iterator[None]:
    """Whatever is built meanwhile takes the plain kernels."""
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = PLAIN
    try:
        yield
    finally:
        os.environ.pop(VARIABLE)
        if before is not None:
            os.environ[VARIABLE] = before


def expected(case: Case) -> dict[str, Any]:
    """The case with what the reference answers, as it stands in a fixture (CNF-3)."""
    defaults = registry.find(case.operation).defaults
    params = _sorted(codec.encode({**defaults, **_written(case.params)}))
    given = _sorted(codec.encode(_written(case.input)))
    outcome = choices.shortened(execute.execute(case.operation, params, given))
    outcome["trace"] = [compact(stage) for stage in outcome["trace"]]
    return {
        "id": case.id,
        "fingerprint": fingerprint(case.operation, params, given),
        "summary": case.summary,
        "clauses": list(case.clauses),
        "flags": list(case.flags),
        "level": case.level,
        "compare": case.compare,
        "origin": case.origin,
        "params": params,
        "input": given,
        "expect": outcome,
    }


def fingerprint(operation: str, params: Any, given: Any) -> str:
    """The SHA-256 of the canonical JSON of operation, params and input (encoded)."""
    return codec.digest({"operation": operation, "params": params, "input": given})


def compact(stage: dict[str, Any]) -> dict[str, Any]:
    """A stage, with the SHA-256 of its value in the value's place where that is long."""
    text = codec.canonical(stage["value"]).encode("utf-8")
    if len(text) <= LARGEST_STAGE:
        return stage
    return {"stage": stage["stage"], "sha256": manifest.sha256(text), "size": len(text)}


def to_bytes(document: Any) -> bytes:
    """A fixture as bytes."""
    return (json.dumps(document, ensure_ascii=False, sort_keys=True, indent=2, allow_nan=False) + "\n").encode("utf-8")


def write(made: Made, only: set[str] | None = None, folder: Path = FIXTURES) -> list[str]:
    """Write the fixtures, remove those that no case file makes any more, and write the manifest of all that are there.

    Returns:
        The paths under `folder` that changed, with what happened to them.
    """
    changed = []
    for path, content in made.files.items():
        target = folder / path
        if not target.exists() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            changed.append(f"wrote {path}")
    for path in _present(folder, only):
        if path not in made.files:
            (folder / path).unlink()
            changed.append(f"removed {path}")
    return changed + write_manifest(made if only is None else _from_disk(folder), folder)


def write_manifest(made: Made | None = None, folder: Path = FIXTURES) -> list[str]:
    """Write the manifest of these fixtures, or of those in the folder.

    Returns:
        A line if the manifest changed.
    """
    made = made or _from_disk(folder)
    content = to_bytes(manifest.build(folder, made.files, made.case_ids))
    target = folder / manifest.MANIFEST
    if target.exists() and target.read_bytes() == content:
        return []
    target.write_bytes(content)
    return [f"wrote {manifest.MANIFEST}"]


def _from_disk(folder: Path) -> Made:
    """The fixtures as they are in the folder."""
    made = Made()
    for path in _present(folder, None):
        made.files[path] = (folder / path).read_bytes()
        made.case_ids[path] = [case["id"] for case in json.loads(made.files[path])["cases"]]
    return made


def check(made: Made, only: set[str] | None = None, folder: Path = FIXTURES) -> list[str]:
    """What the committed fixtures differ in from those just made, byte for byte (CNF-1)."""
    wanted = dict(made.files)
    if only is None:
        wanted[manifest.MANIFEST] = to_bytes(manifest.build(folder, made.files, made.case_ids))
    drift = []
    for path, content in wanted.items():
        if not (folder / path).exists():
            drift.append(f"missing: {path}")
        elif (folder / path).read_bytes() != content:
            drift.append(f"differs: {path}")
    return drift + [f"extra: {path}" for path in _present(folder, only) if path not in wanted]


def _present(folder: Path, only: set[str] | None) -> list[str]:
    """Every file under `folder` that a run over these modules should have made."""
    paths = (path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if path.is_file())
    return [
        path
        for path in paths
        if path.partition("/")[0] not in KEPT_FOLDERS
        and path != manifest.MANIFEST
        and (only is None or path.partition("/")[0] in only)
    ]


def _document(case_file: CaseFile, cases: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "schema_version": manifest.SCHEMA_VERSION,
        "operation": case_file.operation,
        "theme": case_file.theme,
        "cases": cases,
    }


def _sorted(encoded: Any) -> Any:
    """Encoded data as it will be read back from the file: objects by key."""
    return json.loads(codec.canonical(encoded))


def _written(value: Any) -> Any:
    """Written values: `{utf8: hex}` made into the text it stands for, `{entries: [[key, value], …]}` into an object."""
    if isinstance(value, list):
        return [_written(item) for item in value]
    if isinstance(value, dict):
        if value.keys() == {"utf8"}:
            return codec.decode(value)
        if value.keys() == {"entries"}:
            return codec.Ordered((_written(key), _written(item)) for key, item in value["entries"])
        return {key: _written(item) for key, item in value.items()}
    return value
