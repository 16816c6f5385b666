"""Calls of new users who come from other libraries (ERR-1): every entry of `conformance/mistakes.yml`."""

import ast
import asyncio
import copy
import dataclasses
import inspect
import io
import json
import os
import pathlib
import pickle
import shlex
from urllib.parse import quote

import numpy as np
import pytest

from conformance import yaml_files
from conformance.paths import CONFORMANCE
from hybrid_search import AsyncIndex, HashingEmbedder, HttpService, Index, errors
from hybrid_search.cli.console import Console
from hybrid_search.cli.main import main

ALL = yaml_files.load(CONFORMANCE / "mistakes.yml")
ENTRIES = [entry for entry in ALL if "ruby" not in entry or "python" in entry]
RECORDS = [
    {"id": "1", "title": "Expressions", "content": "Rule 6-2-1: no assignment in sub-expressions",
     "metadata": {"lang": "en", "year": 2020}},
    {"id": "2", "title": "Arithmetic", "content": "Rule 5-0-15: array indexing is the only pointer arithmetic",
     "metadata": {"lang": "en", "year": 2021}},
    {"id": "3", "title": "中文", "content": "混合检索", "metadata": {"lang": "zh", "year": 2022}},
]  # fmt: skip


def shown(entry):
    return str(
        entry.get("python") or entry.get("both") or entry.get("run") or f"{entry.get('http')} {entry.get('body', '')}"
    )


def filled(index):
    index.add(RECORDS)
    return index


@pytest.fixture(scope="module")
def handbook(tmp_path_factory):
    path = tmp_path_factory.mktemp("mistakes") / "handbook.hsx"
    filled(Index.open(path, embedding=HashingEmbedder())).close()
    return str(path)


def typed(code, handbook):
    """Return the value of the last line of the code."""
    index = filled(Index())
    page = index.search("rule")
    names = {
        "index": index, "page": page, "hit": page[0],
        "vectors": filled(Index(embedding=HashingEmbedder())) if "vectors" in code else None,
        "handbook": handbook, "aindex": AsyncIndex(store=index.store), "Index": Index, "AsyncIndex": AsyncIndex,
        "HashingEmbedder": HashingEmbedder, "np": np, "os": os, "pathlib": pathlib, "pickle": pickle, "copy": copy,
        "dataclasses": dataclasses,
    }  # fmt: skip
    *lines, last = ast.parse(code).body
    if not isinstance(last, ast.Expr):
        lines, last = [*lines, last], ast.parse("None").body[0]
    value = None
    for tree, mode in ((ast.Module(lines, []), "exec"), (ast.Expression(last.value), "eval")):
        made = compile(tree, "typed", mode, flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        value = eval(made, names)
        if inspect.iscoroutine(value):
            value = asyncio.run(value)
    return value


def told_by(line):
    streams = [io.BytesIO() for _ in range(3)]
    status = main(shlex.split(line), Console(*streams))
    return status, b"".join(stream.getvalue() for stream in streams).decode("utf-8")


def answered(entry):
    service = HttpService(filled(Index()), allow_anonymous_writes=True)
    method, target = entry["http"].split(" ")
    path, _, query = target.partition("?")
    body = json.dumps(entry["body"]).encode() if "body" in entry else b""
    headers = [(b"host", b"localhost"), (b"content-length", str(len(body)).encode())]
    if entry.get("type", "application/json") is not None:
        headers.append((b"content-type", entry.get("type", "application/json").encode()))
    scope = {"type": "http", "method": method, "path": path, "root_path": "", "raw_path": path.encode()}
    scope |= {"query_string": quote(query, safe="=&[]%.").encode(), "headers": headers if body else headers[:1]}
    told = []

    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message):
        told.append(message)

    asyncio.run(service(scope, receive, send))
    return told[0]["status"], b"".join(message.get("body", b"") for message in told[1:]).decode("utf-8")


def expected_error(entry):
    name = entry.get("raises", "InvalidInputError")
    name = name if isinstance(name, str) else name["python"]
    others = {"AttributeError": AttributeError, "FrozenInstanceError": dataclasses.FrozenInstanceError}
    return getattr(errors, name, None) or others[name]


def plain(value):
    return list(value) if isinstance(value, tuple) else value


@pytest.mark.parametrize("entry", [entry for entry in ENTRIES if not {"run", "http"} & entry.keys()], ids=shown)
def test_a_call_works_as_intended_or_its_error_names_the_right_word(entry, handbook):
    code = entry.get("python") or entry["both"]
    if "gives" in entry:
        assert plain(typed(code, handbook)) == entry["gives"]
        return
    with pytest.raises(expected_error(entry)) as caught:
        typed(code, handbook)
    assert entry["says"] in str(caught.value)


@pytest.mark.parametrize("entry", [entry for entry in ENTRIES if "run" in entry], ids=shown)
def test_a_command_line_works_as_intended_or_its_error_names_the_right_word(entry, handbook):
    status, output = told_by(entry["run"].replace("HANDBOOK", handbook))
    assert entry["says"] in output
    assert status == entry.get("status", 2)


@pytest.mark.parametrize("entry", [entry for entry in ENTRIES if "http" in entry], ids=shown)
def test_a_request_works_as_intended_or_its_error_names_the_right_word(entry):
    status, body = answered(entry)
    assert entry["says"] in body
    assert status == entry["status"]


def test_the_list_contains_many_mistakes():
    assert len({(shown(entry), str(entry.get("type"))) for entry in ENTRIES}) == len(ENTRIES)
    assert len([entry for entry in ENTRIES if not {"run", "http"} & entry.keys()]) >= 120
