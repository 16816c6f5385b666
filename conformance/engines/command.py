"""Installs, starts and stops real engines for tests and for trying things out: PostgreSQL and OpenSearch.

Nothing is asked. Programs, downloads and data stay in the checkout's folder .engines (or where HYBRID_SEARCH_ENGINES
says), every server listens on a free port of the loopback address alone, and only what was started here is stopped.
"""

import argparse
import json
import os
import shlex
import sys
from collections.abc import Sequence
from typing import Any

from rich.console import Console

from conformance.engines.account import account
from conformance.engines.engine import Engine
from conformance.engines.errors import EngineError
from conformance.engines.folders import Folders, folders
from conformance.engines.opensearch import OpenSearch
from conformance.engines.postgres import Postgres
from conformance.reports.terminal import new_table

KINDS: tuple[type[Engine], ...] = (Postgres, OpenSearch)
EPILOG = """\
engines:
  postgres        PostgreSQL with pgvector
  opensearch [N]  OpenSearch, N nodes (1 or 3; default 1)

actions:
  start   start those named, all when none is named; one that runs already is left alone
  stop    stop those named, all when none is named; their data stay
  clean   stop them, and remove their data
  status  tell what runs
  env     print lines for a shell:  eval "$(bin/engines env)"

examples:
  bin/engines start postgres
  bin/engines start postgres opensearch 3
  eval "$(bin/engines env)" && psql "$HYBRID_SEARCH_POSTGRES_URL"
  bin/engines stop

A table is printed on a terminal, JSON into a pipe (--format says otherwise).

exit status:
  0  done    1  status: not everything named runs    2  it did not work, stderr tells why
"""


def parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    result = argparse.ArgumentParser(
        prog="engines",
        description=__doc__,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    result.add_argument("action", choices=list(ACTIONS), metavar="ACTION", help=f"one of {', '.join(ACTIONS)}")
    result.add_argument("engine", nargs="*", metavar="ENGINE", help="postgres, opensearch, opensearch N")
    result.add_argument("--format", choices=["table", "json"], help="what is printed")
    return result


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    reading = parser()
    options = reading.parse_args(arguments)
    os.umask(0o022)
    try:
        named = chosen(options.engine)
    except ValueError as problem:
        reading.error(str(problem))
    form = options.format or ("table" if sys.stdout.isatty() else "json")
    try:
        return ACTIONS[options.action](named, form)
    except EngineError as problem:
        print(f"engines: {problem}", file=sys.stderr)
        return 2


def chosen(words: Sequence[str]) -> dict[str, int | None]:
    """The engines that are named, each with how many nodes were said; all of them where none is."""
    names = [kind.kind for kind in KINDS]
    found: dict[str, int | None] = {}
    last = ""
    for word in words:
        if word in names and word not in found:
            found[word] = None
        elif last == "opensearch" and word in ("1", "3"):
            found[last] = int(word)
        else:
            raise ValueError(
                f"unexpected {word!r}; engines are {', '.join(names)}, and opensearch may be followed by 1 or 3"
            )
        last = word
    return found or dict.fromkeys(names)


def _engines(named: dict[str, int | None]) -> dict[str, Engine]:
    who = account()
    places: Folders = folders(who)
    return {kind.kind: kind(places, who) for kind in KINDS if kind.kind in named}


def _start(named: dict[str, int | None], form: str) -> int:
    engines = _engines(named)
    for name, engine in engines.items():
        print(f"engines: starting {name}", file=sys.stderr, flush=True)
        engine.start(named[name] or 1)
    return _show(engines, form)


def _stop(named: dict[str, int | None], form: str) -> int:
    engines = _engines(named)
    for engine in engines.values():
        engine.stop()
    _show(engines, form)
    return 0


def _clean(named: dict[str, int | None], form: str) -> int:
    engines = _engines(named)
    for engine in engines.values():
        engine.clean()
    _show(engines, form)
    return 0


def _status(named: dict[str, int | None], form: str) -> int:
    return _show(_engines(named), form)


def _env(named: dict[str, int | None], form: str) -> int:
    del form  # always lines for a shell
    for engine in _engines(named).values():
        state = engine.state
        if state is not None and state.running:
            print(f"export {engine.variable}={shlex.quote(state.url)}")
    return 0


def told(engine: Engine) -> dict[str, Any]:
    """What is told of an engine."""
    state = engine.state
    if state is None:
        return {"engine": engine.kind, "version": engine.version(), "status": "stopped", "nodes": 0}
    running = state.running
    status = "running" if running == len(state.programs) else "dead" if running == 0 else "degraded"
    return {
        "engine": engine.kind,
        "version": engine.version(),
        "status": status,
        "nodes": running,
        "ports": list(state.ports),
        "processes": [program.pid for program in state.programs if program.alive()],
        "environment": {engine.variable: state.url},
        "data": str(engine.place),
    }


def _show(engines: dict[str, Engine], form: str) -> int:
    rows = [told(engine) for engine in engines.values()]
    if form == "json":
        print(json.dumps(rows, indent=2))
    else:
        table = new_table(console := Console())
        for title in ("engine", "version", "status", "nodes", "ports"):
            table.add_column(title)
        for row in rows:
            ports = " ".join(str(port) for port in row.get("ports", []))
            table.add_row(row["engine"], row["version"], row["status"], str(row["nodes"]), ports)
        console.print(table)
        for row in rows:
            for name, value in row.get("environment", {}).items():
                console.print(f"{name}={value}", soft_wrap=True, highlight=False, markup=False)
    return 0 if all(row["status"] == "running" for row in rows) else 1


ACTIONS = {"start": _start, "stop": _stop, "clean": _clean, "status": _status, "env": _env}
"""What it can do."""
