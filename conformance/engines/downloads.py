"""Fetches what engines are made of, by the ordinary clients of their registries, and checks it before it is used."""

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from conformance.engines.errors import EngineError

PATIENCE = 600.0
ATTEMPTS = 3


def kept(wanted: Mapping[str, str], into: Path, fetch: Callable[[Path], None]) -> list[Path]:
    """Files that are in a folder with the right content; all are fetched when one is not.

    Args:
        wanted: name of each file, and the SHA-256 of its content.
        into: the folder they are kept in.
        fetch: puts them into a folder.
    """
    into.mkdir(parents=True, exist_ok=True)
    if not all(_right(into / name, digest) for name, digest in wanted.items()):
        with tempfile.TemporaryDirectory(dir=into, prefix="incoming-") as folder:
            fetch(Path(folder))
            for name, digest in wanted.items():
                _check(Path(folder) / name, digest)
            for name in wanted:
                (Path(folder) / name).replace(into / name)
    return [into / name for name in wanted]


def client(command: Sequence[str | Path], what: str, folder: Path | None = None) -> None:
    """Run a registry's client, again when it fails; in a folder where one is named."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            done = subprocess.run(
                [str(part) for part in command],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                timeout=PATIENCE,
                check=False,
            )
            status, printed = f"status {done.returncode}", done.stdout
        except subprocess.TimeoutExpired:
            status, printed = f"no end after {PATIENCE:g} s", ""
        except FileNotFoundError:
            raise EngineError(f"{command[0]} is not installed, which fetches {what}") from None
        if status == "status 0":
            return
        if attempt == ATTEMPTS:
            raise EngineError(f"{what} could not be fetched ({status}):\n{printed.strip()[-2000:]}")


def put_in_place(made: Callable[[Path], None], place: Path) -> None:
    """Make a folder whole or not at all: under another name first, which becomes its own at the end."""
    if place.is_dir():
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(dir=place.parent, prefix="unfinished-"))
    try:
        made(unfinished)
        unfinished.chmod(0o755)
        os.rename(unfinished, place)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _right(file: Path, digest: str) -> bool:
    return file.is_file() and _digest(file) == digest


def _check(file: Path, digest: str) -> None:
    if not file.is_file():
        raise EngineError(f"{file.name} was not fetched")
    found = _digest(file)
    if found != digest:
        raise EngineError(f"{file.name} has the SHA-256 {found}, expected {digest}; it is not used")


def _digest(file: Path) -> str:
    with file.open("rb") as reading:
        return hashlib.file_digest(reading, "sha256").hexdigest()
