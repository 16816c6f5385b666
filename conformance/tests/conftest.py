"""A small set of fixtures and a scripted implementation, for the tests of the harness itself."""

import gc
import json
import shutil
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from conformance.cases import fixtures, pieces
from conformance.cases.fixtures import Fixtures
from conformance.engines.testing import oceanbase_url, opensearch_url, postgres_url
from conformance.generators.expected import to_line
from conformance.implementations.listing import Implementation
from conformance.paths import FIXTURES
from conformance.wire import values

__all__ = ["oceanbase_url", "opensearch_url", "postgres_url"]


def pytest_collection_finish() -> None:
    """Let Python look for unused cycles less often: it would go through all collected tests."""
    gc.set_threshold(50_000, 20, 50)


_load = fixtures.load


@cache
def committed() -> Fixtures:
    """The fixtures of this repository, read once for all tests of a process; no test changes them."""
    return _load()


@pytest.fixture(autouse=True)
def read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands that tests call in their own process use the fixtures of this repository that were read once."""

    def load(folder: Path = FIXTURES, modules: tuple[str, ...] = ()) -> Fixtures:
        if folder != FIXTURES or modules:
            return _load(folder, modules)
        return Fixtures(list(committed().cases), list(committed().problems))

    monkeypatch.setattr(fixtures, "load", load)


ECHO = """
import json, os, sys, time

def echo(message):
    given = message["input"] or {}
    value = given.get("value")
    trace = [{"stage": "tokenise", "value": given.get("tokens")}, {"stage": "fuse", "value": value}]
    return {"seq": message["seq"], "value": value, **({"trace": trace} if message["want_trace"] else {})}

def say(reply):
    print(json.dumps(reply), flush=True)

BEHAVIOUR = %r
count = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        say({"type": "hello", "protocol": 1, "name": "echo", "language": "python", "version": "1",
             "versions": {}, "capabilities": []})
        continue
    if message["type"] == "bye":
        say({"type": "bye"})
        break
    count += 1
    reply = echo(message)
    third = (message["input"] or {}).get("tokens") == ["third"]
    exec(BEHAVIOUR)
    say(reply)
"""
"""An implementation that answers with its input; `BEHAVIOUR` may change `reply` or do worse."""


def encode(value: float) -> dict[str, str]:
    """A float as fixtures contain it."""
    import struct

    return {"bits": struct.pack(">d", value).hex(), "decimal": repr(value)}


def make_case(number: int, tokens: list[str], value: Any) -> dict[str, Any]:
    """A case of the operation `echo.value`."""
    params: dict[str, Any] = {}
    given = {"tokens": tokens, "value": value}
    return {
        "id": f"echo.value.small.{number:03}",
        "operation": "echo.value",
        "fingerprint": values.digest({"operation": "echo.value", "params": params, "input": given}),
        "summary": "answers with its input",
        "clauses": ["FUS-2"],
        "flags": [],
        "level": "must",
        "compare": "bits",
        "origin": {"kind": "hand"},
        "params": params,
        "input": given,
        "expect": {
            "trace": [{"stage": "tokenise", "value": tokens}, {"stage": "fuse", "value": value}],
            "value": value,
        },
    }


def write_fixtures(folder: Path, cases: list[dict[str, Any]]) -> Path:
    """One fixture file with its manifest; returns the file."""
    import hashlib

    content = b"".join(map(to_line, cases))
    (folder / "echo").mkdir(parents=True)
    (folder / "echo" / "value.small.jsonl").write_bytes(content)
    shutil.copytree(FIXTURES / "schema", folder / "schema")
    digest = hashlib.sha256(content).hexdigest()
    others = {
        f"schema/{path.name}": hashlib.sha256(path.read_bytes()).hexdigest() for path in (folder / "schema").iterdir()
    }
    digests = {"echo/value.small.jsonl": digest, **others}
    whole = "".join(f"{digests[path]}  {path}\n" for path in sorted(digests))
    manifest = {
        "schema_version": 2,
        "generator_version": 1,
        "versions": {},
        "dictionary_sha256": "0" * 64,
        "counts": {"total": len(cases), "modules": {"echo": len(cases)}},
        "files": {"echo/value.small.jsonl": {"sha256": digest, "cases": _digests(content, cases)}},
        "others": others,
        "digest": hashlib.sha256(whole.encode()).hexdigest(),
    }
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder / "echo" / "value.small.jsonl"


def _digests(content: bytes, cases: list[dict[str, Any]]) -> dict[str, str]:
    return dict(zip([case["id"] for case in cases], pieces.digests(content), strict=True))


@pytest.fixture
def fixture_file(tmp_path: Path) -> Path:
    """Three cases: `fixtures/echo/value.small.jsonl` under the test's folder."""
    ranking = [["a", encode(0.75)], ["b", encode(0.5)], ["c", encode(0.5)]]
    cases = [make_case(1, ["first"], ranking), make_case(2, ["second"], []), make_case(3, ["third"], ranking)]
    return write_fixtures(tmp_path / "fixtures", cases)


@pytest.fixture
def scripted(tmp_path: Path) -> Callable[..., Implementation]:
    """Makes an implementation with a behaviour, which is a piece of Python."""

    def make(behaviour: str = "pass", name: str = "echo", **changes: Any) -> Implementation:
        script = tmp_path / f"{name}.py"
        script.write_text(ECHO % behaviour)
        settings: dict[str, Any] = {"timeout": 3.0, "start_timeout": 20.0, **changes}
        return Implementation(name=name, command=(sys.executable, str(script)), folder=tmp_path, **settings)

    return make
