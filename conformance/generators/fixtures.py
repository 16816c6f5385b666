"""Makes the golden fixtures (CNF-1 … CNF-4): case files in, lines with the answers of the reference out.

One file an operation and theme, one line a case. Wrong case files are found before anything is computed.
"""

import json
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from conformance.generators import case_files, checks, expected, manifest
from conformance.generators.case_files import Case
from conformance.generators.reuse import Committed, Reuse
from conformance.paths import FIXTURES

WRITTEN_FOLDERS = {"cases", "corpora", "schema"}
"""Folders in which nothing is made."""


@dataclass
class Made:
    """The outcome of a run.

    Attributes:
        files: content by path under `fixtures/`.
        case_ids: the ids of the cases in a file, by its path.
        problems: what went wrong; then the files are not whole.
        computed: the number of cases that were computed, and not used again.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    case_ids: dict[str, list[str]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    computed: int = 0


def make(
    only: set[str] | None = None,
    reuse: Reuse | Committed | None = None,
    progress: Callable[[str], None] | None = None,
) -> Made:
    """Run the cases of the chosen modules in the reference.

    Args:
        only: the modules to make; None makes all.
        reuse: decides which committed lines are used again; None computes every case.
        progress: called with each fixture and the number of its cases that will be computed, if there are any.

    Returns:
        The fixtures. If case files are wrong, only their problems: nothing is computed then.
    """
    case_list, problems = case_files.load(only)
    made = Made(problems=problems or checks.problems(case_list, whole=only is None))
    if made.problems:
        return made
    for case_file in case_list:
        lines = reuse.lines(case_file) if reuse else {}
        ahead = [case for case in case_file.cases if case.id not in lines]
        if progress and ahead:
            progress(f"{case_file.fixture} ({len(ahead)})")
        for case, line in _computed(ahead, made.problems):
            lines[case.id] = line
            if reuse:
                reuse.remember(case, line)
        made.computed += len(ahead)
        made.case_ids[case_file.fixture] = [case.id for case in case_file.cases if case.id in lines]
        made.files[case_file.fixture] = b"".join(lines[name] for name in made.case_ids[case_file.fixture])
    return made


def _computed(cases: list[Case], problems: list[str]) -> Iterator[tuple[Case, bytes]]:
    """Each case with its line; what cannot be computed is a problem."""
    for case in cases:
        try:
            yield case, expected.line(case)
        except Exception as problem:
            where = traceback.extract_tb(problem.__traceback__)[-1]
            problems.append(
                f"{case.id}: {type(problem).__name__}: {problem} ({Path(where.filename).name}:{where.lineno})"
            )


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
    content = manifest.to_bytes(manifest.build(folder, made.files, made.case_ids))
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
        made.case_ids[path] = [json.loads(line)["id"] for line in made.files[path].splitlines()]
    return made


def check(made: Made, only: set[str] | None = None, folder: Path = FIXTURES) -> list[str]:
    """What the committed fixtures differ in from those just made, byte for byte (CNF-1)."""
    wanted = dict(made.files)
    if only is None:
        wanted[manifest.MANIFEST] = manifest.to_bytes(manifest.build(folder, made.files, made.case_ids))
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
        if path.partition("/")[0] not in WRITTEN_FOLDERS
        and path != manifest.MANIFEST
        and (only is None or path.partition("/")[0] in only)
    ]
