"""The manifest of the fixtures (CNF-2): versions, a SHA-256 of every file, the cases in each, one digest over all."""

import hashlib
import unicodedata
from importlib import metadata
from pathlib import Path
from typing import Any

import jieba

from conformance.cases import pieces

SCHEMA_VERSION = 1
GENERATOR_VERSION = 1
MANIFEST = "manifest.json"


def sha256(content: bytes) -> str:
    """The SHA-256 in hex."""
    return hashlib.sha256(content).hexdigest()


def build(folder: Path, fixtures: dict[str, bytes], case_ids: dict[str, list[str]]) -> dict[str, Any]:
    """The manifest as an object; it holds no times and nothing of the machine.

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
        "unicode_version": unicodedata.unidata_version,
        "dictionary_sha256": sha256(_dictionary().read_bytes()),
        "counts": {"total": sum(modules.values()), "modules": modules},
        "files": files,
        "others": others,
        "digest": sha256(whole.encode("utf-8")),
    }


def _dictionary() -> Path:
    return Path(jieba.__file__).resolve().parent / "dict.txt"
