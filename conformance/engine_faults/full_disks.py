"""Small disks that fill up under a database."""

import os
import random
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from conformance.engine_faults.database_faults import Acts, AnEngine, Database, done, port_of
from conformance.engine_faults.load import Load
from conformance.engine_faults.proxy import Proxy
from conformance.engine_faults.scene import Outcome, Plan
from conformance.engines.account import Account, account
from conformance.engines.errors import EngineError
from conformance.engines.folders import folders

PATIENCE = 120.0
"""For how many seconds a full disk may stay without an effect."""


@contextmanager
def small_disk(place: Path, owner: Account, room: str) -> Iterator[None]:
    """A block in which a folder is a small disk of its own."""
    if os.geteuid() != 0:
        raise EngineError("a small disk of its own is made by root alone")
    owner.own(place)
    options = f"size={room},mode=700,uid={owner.uid},gid={owner.gid}"
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", place], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", place], check=True)


def fill(ballast: Path) -> None:
    """Fill a disk with a file."""
    with ballast.open("wb") as file, suppress(OSError):
        while True:
            file.write(b"\0" * 1_048_576)
            file.flush()


def full_disk(
    database: Database[AnEngine],
    room: str,
    plan: Plan,
    strain: Callable[[AnEngine], object] | None = None,
    revive: Callable[[Acts[Any], Load], float] = Acts.started,
) -> Outcome:
    """A disk that fills up under the server, and has room again.

    Args:
        database: the kind of server.
        room: how large the disk is.
        plan: how much is done.
        strain: called again and again while the disk is full, to have the server need room.
        revive: called once there is room again.
    """
    who = account()
    engine = database.engine(folders(who), who, f"disk-{database.kind}")
    engine.clean()
    with small_disk(engine.place, who, room):
        try:
            engine.start()
            ballast = engine.place / "ballast"

            def happen(load: Load, chance: random.Random) -> list[float]:
                greens = []
                for _ in range(min(plan.times, 3)):
                    fill(ballast)
                    _until_refused(load, engine, strain)
                    time.sleep(chance.uniform(0.2, 1.0))
                    begun = time.monotonic()
                    ballast.unlink()
                    load.until_all_succeed(revive(acts, load))
                    greens.append(time.monotonic() - begun)
                return greens

            with Proxy(port_of(engine)) as proxy:
                acts = Acts(database, engine, proxy)
                outcome = done(database, engine, plan, "a full disk", happen, database.options(engine), acts.settled)
                outcome.notes += acts.notes
                return outcome
        finally:
            engine.stop()
            shutil.rmtree(engine.place, ignore_errors=True)


def _until_refused(load: Load, engine: Any, strain: Callable[[Any], object] | None) -> None:
    """Wait until a call has failed; a change counts only once its outcome was read, which a silent server prevents."""
    failed = sum(load.tally.messages.values())
    until = time.monotonic() + PATIENCE
    while sum(load.tally.messages.values()) == failed:
        if time.monotonic() > until:
            load.tally.fault("the disk was full, and no call failed")
            return
        if strain:
            strain(engine)
        time.sleep(0.05)
