"""Operations of the readers of files (FIL-1 … FIL-6)."""

import base64
import contextlib
import dataclasses
import tempfile
from pathlib import Path
from typing import Any

from conformance.implementations.python.registry import Trace, operation
from hybrid_search.chunker.chunker import Chunker
from hybrid_search.errors import HybridSearchError, InvalidInputError
from hybrid_search.index import Index
from hybrid_search.readers.file_reader import FileReader
from hybrid_search.readers.file_walk import FileWalk
from hybrid_search.readers.glob_pattern import GlobPattern


def _write(folder: Path, files: dict[str, str], encoded: dict[str, str]) -> None:
    """Write files, whose contents are texts or base64."""
    contents = {name: text.encode("utf-8") for name, text in files.items()}
    contents |= {name: base64.b64decode(text) for name, text in encoded.items()}
    for name, content in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def _without(folder: str, value: Any) -> Any:
    """The same plain data without the path of a folder."""
    if isinstance(value, str):
        return value.replace(folder, "")
    if isinstance(value, list):
        return [_without(folder, each) for each in value]
    return {key: _without(folder, each) for key, each in value.items()} if isinstance(value, dict) else value


@operation("readers.records", {"options": {}, "mapping": {}, "other_keys": None})
def records(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The records of the files that `paths` name in a folder with `files`, and the files that are skipped."""
    with tempfile.TemporaryDirectory() as name:
        _write(Path(name), given.get("files", {}), given.get("encoded", {}))
        try:
            walk = FileWalk([f"{name}/{path}" for path in given["paths"]])
        except InvalidInputError as problem:
            raise InvalidInputError(_without(f"{name}/", str(problem))) from None
        reader = FileReader(Chunker(**params["options"]), params["mapping"], params["other_keys"])
        found = list(walk.files())
        trace.stage("read", [[_without(f"{name}/", file.path), file.kind] for file in found])
        read = [
            [record.path, record.number, record.record, record.text, record.reason]
            for file in found
            for record in reader.records(file)
        ]
        skipped = [[file.path, file.reason] for file in walk.skipped]
        return _without(f"{name}/", {"records": read, "skipped": skipped})


@operation("readers.matches", {})
def matches(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The paths that a pattern matches."""
    pattern = GlobPattern(given["pattern"])
    return {"folder": pattern.folder, "paths": [path for path in given["paths"] if pattern.matches(path)]}


@operation("readers.added", {})
def added(_params: dict[str, Any], given: Any, _trace: Trace) -> Any:
    """The answers of `steps` in a folder with `files`: an index reads `paths`, relative ones or within `{folder}`.

    A step is [method, argument, options]: `add` reads files, `write`, `remove` and `link` change them, `records` adds
    other documents, and `documents` answers with all ids, paths and contents.
    """
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        _write(Path(name), given.get("files", {}), given.get("encoded", {}))
        index = Index(embedding=None)
        return [_step(index, name, *step) for step in given["steps"]]


def _step(index: Index, folder: str, method: str, argument: Any = None, options: dict[str, Any] | None = None) -> Any:
    if method == "write":
        return _write(Path(folder), argument, options or {})
    if method == "remove":
        return Path(folder, argument).unlink()
    if method == "link":
        return Path(folder, argument).symlink_to("nowhere")
    if method == "records":
        return index.add(argument)
    if method == "documents":
        found = _without(folder, [index.get(hit.id) for hit in index.each(match_all=True)])
        return sorted([each["id"], each.get("metadata", {}).get("path"), each["content"]] for each in found)
    try:
        paths = [path.replace("{folder}", folder) for path in argument]
        answer = dataclasses.asdict(index.add_files(paths, **(options or {})))
    except HybridSearchError as error:
        answer = {"error": type(error).__name__, "message": str(error)}
    return _without(folder, answer)
