"""The data tables of both languages, byte for byte reproducible.

A table that both languages read is written twice, with the same bytes: into the wheel's `hybrid_search/data` and
into the gem's `ruby/data`. Tables that are made from Python's `unicodedata` name their version of Unicode; a Python of
another version leaves them as they are.
"""

import json
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from conformance.generators.tables import (
    characters,
    commands,
    completion,
    dictionary,
    habits,
    hidden_markov_model,
    idf,
    lowercase,
    sentences,
    simplified,
    sql_statements,
    stop_words,
    words,
)
from conformance.paths import ROOT

PYTHON_DATA = ROOT / "python_ref" / "hybrid_search" / "data"
RUBY_DATA = ROOT / "ruby" / "data"


def json_bytes(table: Any) -> bytes:
    """A table as JSON: one top-level entry a line, UTF-8, LF."""
    entries = ",\n".join(
        f"{json.dumps(key, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False, separators=(',', ':'))}"
        for key, value in table.items()
    )
    return ("{\n" + entries + "\n}\n").encode("utf-8")


SHARED_TABLES: dict[str, Callable[[], Any]] = {
    "characters.json": characters.build,
    "commands.json": commands.build,
    "completion.json": completion.build,
    "habits.json": habits.build,
    "lowercase.json": lowercase.build,
    "oceanbase.json": lambda: sql_statements.build("oceanbase"),
    "postgres.json": lambda: sql_statements.build("postgres"),
    "sentences.json": sentences.build,
    "simplified.json": simplified.build,
    "stop_words.json": stop_words.build,
    "words.json": words.build,
}
"""JSON tables that both languages read: file name → what makes the table."""

RUBY_FILES: dict[str, Callable[[], bytes]] = {
    "dictionary.bin": dictionary.build,
    "hidden_markov_model.bin": hidden_markov_model.build,
    "idf.bin": idf.build,
}
"""Files that the gem alone needs: file name → what makes the bytes."""


def files() -> Iterator[tuple[Path, bytes]]:
    """Every generated data file with its content."""
    for name, build in SHARED_TABLES.items():
        content = _of_other_unicode(name) or json_bytes(build())
        yield PYTHON_DATA / name, content
        yield RUBY_DATA / name, content
    for name, make in RUBY_FILES.items():
        yield RUBY_DATA / name, make()


def _of_other_unicode(name: str) -> bytes | None:
    """Return the committed table, if it names another version of Unicode than this Python has."""
    path = PYTHON_DATA / name
    content = path.read_bytes() if path.exists() else b"{}"
    version = json.loads(content).get("unicode_version", unicodedata.unidata_version)
    return None if version == unicodedata.unidata_version else content
