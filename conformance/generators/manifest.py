"""The manifest of the fixtures (CNF-2): versions, a SHA-256 of every file, the cases in each, one digest over all."""

import hashlib
import json
from importlib import metadata
from pathlib import Path
from typing import Any

import jieba

from conformance.cases import pieces

SCHEMA_VERSION = 2
GENERATOR_VERSION = 1
MANIFEST = "manifest.json"
LISTS = ("files", "others")
"""Members that have a line for each of their own members."""


def sha256(content: bytes) -> str:
    """The SHA-256 in hex."""
    return hashlib.sha256(content).hexdigest()


def build(folder: Path, fixtures: dict[str, bytes], case_ids: dict[str, list[str]]) -> dict[str, Any]:
    """Return the manifest as an object, without times and without anything of the machine or the Python that makes it.

    Args:
        folder: `fixtures/`, for the corpora and schemas in it.
        fixtures: path under `fixtures/` → content.
        case_ids: path under `fixtures/` → the ids of its cases.
    """
    files = {
        path: {"cases": dict(zip(case_ids[path], pieces.digests(content), strict=False)), "sha256": sha256(content)}
        for path, content in fixtures.items()
    }
    others = {
        path.relative_to(folder).as_posix(): sha256(path.read_bytes())
        for name in ("corpora", "schema")
        for path in sorted((folder / name).rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
    modules: dict[str, int] = {}
    for path, ids in case_ids.items():
        module = path.partition("/")[0]
        modules[module] = modules.get(module, 0) + len(ids)
    digests = {path: entry["sha256"] for path, entry in files.items()} | others
    whole = "".join(f"{digests[path]}  {path}\n" for path in sorted(digests))
    return {
        "schema_version": SCHEMA_VERSION,
        "generator_version": GENERATOR_VERSION,
        "versions": {"hybrid-search": metadata.version("hybrid-search"), "jieba": metadata.version("jieba")},
        "dictionary_sha256": sha256(_dictionary().read_bytes()),
        "counts": {"total": sum(modules.values()), "modules": modules},
        "files": files,
        "others": others,
        "digest": sha256(whole.encode("utf-8")),
    }


def to_bytes(document: dict[str, Any]) -> bytes:
    """Return the manifest as JSON: a line for each of its members and for each file, so that merges touch few lines."""
    members = ((key, document[key]) for key in sorted(document))
    lines = (_lines(key, value) if key in LISTS else f"{_compact(key)}: {_compact(value)}" for key, value in members)
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _lines(name: str, entries: dict[str, Any]) -> str:
    lines = ",\n".join(f"{_compact(key)}: {_compact(entries[key])}" for key in sorted(entries))
    return f"{_compact(name)}: {{\n{lines}\n}}"


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _dictionary() -> Path:
    return Path(jieba.__file__).resolve().parent / "dict.txt"
