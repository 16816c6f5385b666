"""The implementations to test, from `implementations.yml` (CNF-10)."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance import yaml_files
from conformance.errors import BrokenError
from conformance.paths import CONFORMANCE, ROOT

LIST = CONFORMANCE / "implementations.yml"
KEYS = {"command", "flags_if_accepted", "folder", "timeout", "start_timeout", "partial", "environment"}


@dataclass(frozen=True)
class Implementation:
    """How to start one implementation.

    Attributes:
        name: its name in the list.
        command: the words of the command.
        folder: the folder it runs in.
        timeout: seconds for one case.
        start_timeout: seconds until it must have said hello.
        partial: whether it may leave operations out (`unsupported` is no failure then).
        environment: variables added to the harness's own.
    """

    name: str
    command: tuple[str, ...]
    folder: Path
    timeout: float
    start_timeout: float
    partial: bool
    environment: tuple[tuple[str, str], ...] = ()

    def variables(self) -> dict[str, str]:
        """The environment of its process."""
        return {**os.environ, **dict(self.environment)}


def load(names: list[str] | None = None, path: Path = LIST) -> list[Implementation]:
    """The listed implementations, or those named.

    Raises:
        BrokenError: the list is not usable, or a name is not in it.
    """
    content = yaml_files.load(path)
    if not isinstance(content, dict) or not content:
        raise BrokenError(f"{path.name}: must be an object of implementations")
    chosen = names or [name for name, entry in content.items() if not (entry or {}).get("on_request")]
    unknown = [name for name in chosen if name not in content]
    if unknown:
        raise BrokenError(f"unknown implementation {', '.join(unknown)}; known: {', '.join(content)}")
    return [_implementation(path, name, content[name]) for name in chosen]


def _implementation(path: Path, name: str, entry: Any) -> Implementation:
    if not isinstance(entry, dict) or not isinstance(entry.get("command"), list):
        raise BrokenError(f"{path.name}: {name} must be an object with a command (a list of words)")
    unknown = sorted(set(entry) - KEYS - {"on_request"})
    if unknown:
        raise BrokenError(f"{path.name}: {name} has unknown keys {', '.join(unknown)}")
    words = [sys.executable if word == "{python}" else str(word) for word in entry["command"]]
    flags = [str(flag) for flag in entry.get("flags_if_accepted", [])]
    if flags and _accepts(words[0], flags):
        words[1:1] = flags
    return Implementation(
        name=name,
        command=tuple(words),
        folder=(ROOT / entry.get("folder", ".")).resolve(),
        timeout=float(entry.get("timeout", 10)),
        start_timeout=float(entry.get("start_timeout", 60)),
        partial=bool(entry.get("partial", False)),
        environment=tuple((str(key), str(value)) for key, value in (entry.get("environment") or {}).items()),
    )


def _accepts(program: str, flags: list[str]) -> bool:
    """Whether a program takes these flags (an interpreter built without its compiler does not)."""
    if not shutil.which(program):
        return False
    outcome = subprocess.run([program, *flags, "-e", ""], capture_output=True, stdin=subprocess.DEVNULL, check=False)
    return outcome.returncode == 0
