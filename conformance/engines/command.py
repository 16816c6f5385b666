"""Installs, starts and stops real engines for tests and for trying things out: PostgreSQL, OpenSearch, OceanBase.

Nothing is asked. Programs, downloads and data stay in the checkout's folder .engines (or where HYBRID_SEARCH_ENGINES
says), every server listens on a free port (of the loopback address alone, but for OceanBase, which has no setting for
that and asks for a random password), and only what was started here is stopped.
"""

import argparse
import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from conformance.engines.account import Account, account
from conformance.engines.engine import Engine
from conformance.engines.errors import EngineError
from conformance.engines.folders import Folders, folders
from conformance.engines.oceanbase import OceanBase
from conformance.engines.opensearch import OpenSearch
from conformance.engines.postgres import Postgres
from conformance.engines.postgres_programs import NEWEST, RELEASES
from conformance.reports.terminal import new_console, new_table

KINDS = (Postgres.kind, OpenSearch.kind, OceanBase.kind)
OTHERS = tuple(f"{Postgres.kind} {release}" for release in RELEASES if release != NEWEST)
Engines = dict[str, Engine]
EPILOG = """\
engines:
  postgres [R]    PostgreSQL with pgvector, release R (18, 16 or 15; default 18)
  opensearch [N]  OpenSearch, N nodes (1 or 3; default 1)
  oceanbase       OceanBase seekdb, one node

actions:
  start   start those named, all when none is named; one that runs already is left alone
  stop    stop those named, all when none is named; their data stay
  clean   stop them, and remove their data
  status  tell what runs
  env     print lines for a shell:  eval "$(bin/engines env)"
  run     start those named, run the command behind -- with their environment, and stop those that were not running

examples:
  bin/engines start postgres
  bin/engines start postgres opensearch 3
  eval "$(bin/engines env)" && psql "$HYBRID_SEARCH_POSTGRES_URL"
  bin/engines stop
  bin/engines run postgres -- rake engines
  bin/engines run postgres 15 -- rake engines

A table is printed on a terminal, JSON into a pipe (--format says otherwise).

exit status:
  0  done    1  status: not everything named runs    2  it did not work, stderr tells why
  run ends with its command's own status
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
    result.add_argument("action", choices=[*ACTIONS, "run"], metavar="ACTION", help="what to do")
    named = "postgres, postgres R, opensearch, opensearch N, oceanbase"
    result.add_argument("engine", nargs="*", metavar="ENGINE", help=named)
    result.add_argument("--format", choices=["table", "json"], help="what is printed")
    result.add_argument(
        "--if-possible", action="store_true", help="start, run: go on without an engine that cannot be started"
    )
    result.add_argument(
        "--brief", action="store_true", help="start, run: for tests of some minutes; not for timings, nor for data"
    )
    return result


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    own, command = (given[: given.index("--")], given[given.index("--") + 1 :]) if "--" in given else (given, [])
    reading = parser()
    options = reading.parse_intermixed_args(own)
    if (options.action == "run") != bool(command):
        reading.error("run takes a command behind --, and nothing else does")
    os.umask(0o022)
    try:
        named = chosen(options.engine)
    except ValueError as problem:
        reading.error(str(problem))
    options.format = options.format or ("table" if sys.stdout.isatty() else "json")
    try:
        who = account()
        places = folders(who)
        engines = {name: engine_of(name, places, who) for name in named}
        if not options.engine and options.action in ("stop", "clean", "status"):  # whatever was started
            others = {name: engine_of(name, places, who) for name in OTHERS}
            engines |= {name: engine for name, engine in others.items() if engine.place.exists()}
        for engine in engines.values():
            engine.brief = options.brief
        if command:
            return run(engines, named, options, command)
        return ACTIONS[options.action](engines, named, options)
    except EngineError as problem:
        print(f"engines: {problem}", file=sys.stderr)
        return 2


def engine_of(name: str, places: Folders, who: Account) -> Engine:
    """The engine of a name."""
    if name == OpenSearch.kind:
        return OpenSearch(places, who)
    if name == OceanBase.kind:
        return OceanBase(places, who)
    return Postgres(places, who, release=name.removeprefix(Postgres.kind).strip() or NEWEST)


def chosen(words: Sequence[str]) -> dict[str, int | None]:
    """The engines that are named, each with how many nodes were said; one of each kind where none is."""
    found: dict[str, int | None] = {}
    last = ""
    for word in words:
        name = f"{last} {word}" if last == Postgres.kind and word in RELEASES else word
        if word in KINDS and word not in found:
            found[word] = None
        elif name != word and found.get(last, 0) is None and name not in found:
            del found[last]
            found[last if word == NEWEST else name] = None
        elif last == OpenSearch.kind and word in ("1", "3"):
            found[last] = int(word)
        else:
            raise ValueError(
                f"unexpected {word!r}; engines are {', '.join(KINDS)}; postgres may be followed by "
                f"{', '.join(RELEASES)}, and opensearch by 1 or 3"
            )
        last = word
    return found or dict.fromkeys(KINDS)


def started(engines: Engines, named: Mapping[str, int | None], if_possible: bool) -> Engines:
    """Start engines; returns those that run, which are all of them unless others may be left out."""
    running: Engines = {}
    for name, engine in engines.items():
        print(f"engines: starting {name}", file=sys.stderr, flush=True)
        try:
            engine.start(named[name] or 1)
        except EngineError as problem:
            if not if_possible:
                raise
            print(f"engines: going on without {name}: {problem}", file=sys.stderr, flush=True)
        else:
            running[name] = engine
    return running


def run(engines: Engines, named: Mapping[str, int | None], options: argparse.Namespace, command: Sequence[str]) -> int:
    """Run a command beside engines; what did not run before is stopped when it has ended, however it ends."""
    before = {name for name, engine in engines.items() if (state := engine.state) and state.running}
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        running = started(engines, named, options.if_possible)
        return subprocess.run(command, env={**os.environ, **environment(running)}, check=False).returncode
    finally:
        for name, engine in engines.items():
            if name not in before:
                engine.stop()


def environment(engines: Engines) -> dict[str, str]:
    """The variables that tell clients where those engines are that run."""
    states = {engine.variable: engine.state for engine in engines.values()}
    return {variable: state.url for variable, state in states.items() if state and state.running}


def _start(engines: Engines, named: Mapping[str, int | None], options: argparse.Namespace) -> int:
    started(engines, named, options.if_possible)
    status = _show(engines, options.format)
    return 0 if options.if_possible else status


def _stop(engines: Engines, named: Mapping[str, int | None], options: argparse.Namespace) -> int:
    del named
    for engine in engines.values():
        engine.stop()
    _show(engines, options.format)
    return 0


def _clean(engines: Engines, named: Mapping[str, int | None], options: argparse.Namespace) -> int:
    del named
    for engine in engines.values():
        engine.clean()
    _show(engines, options.format)
    return 0


def _status(engines: Engines, named: Mapping[str, int | None], options: argparse.Namespace) -> int:
    del named
    return _show(engines, options.format)


def _env(engines: Engines, named: Mapping[str, int | None], options: argparse.Namespace) -> int:
    del named, options
    for variable, value in environment(engines).items():
        print(f"export {variable}={shlex.quote(value)}")
    return 0


def told(engine: Engine) -> dict[str, Any]:
    """What is told of an engine."""
    state = engine.state
    if state is None:
        return {"engine": engine.instance, "version": engine.version(), "status": "stopped", "nodes": 0}
    running = state.running
    status = "running" if running == len(state.programs) else "dead" if running == 0 else "degraded"
    return {
        "engine": engine.instance,
        "version": engine.version(),
        "status": status,
        "nodes": running,
        "ports": list(state.ports),
        "processes": [program.pid for program in state.programs if program.alive()],
        "environment": {engine.variable: state.url},
        "data": str(engine.place),
    }


def _show(engines: Engines, form: str) -> int:
    rows = [told(engine) for engine in engines.values()]
    if form == "json":
        print(json.dumps(rows, indent=2))
    else:
        table = new_table(console := new_console())
        for title in ("engine", "version", "status", "nodes"):
            table.add_column(title)
        for row in rows:
            table.add_row(row["engine"], row["version"], row["status"], str(row["nodes"]))
        console.print(table)
        for row in rows:
            for name, value in row.get("environment", {}).items():
                console.print(f"{name}={value}", soft_wrap=True, highlight=False, markup=False)
    return 0 if all(row["status"] == "running" for row in rows) else 1


ACTIONS: dict[str, Callable[[Engines, Mapping[str, int | None], argparse.Namespace], int]] = {
    "start": _start,
    "stop": _stop,
    "clean": _clean,
    "status": _status,
    "env": _env,
}
"""What it can do beside running a command."""
