"""The implementations to test, from `implementations.yml` (CNF-10)."""

import difflib
import os
import shutil
import socket
import subprocess
import sys
import urllib.parse
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from conformance import yaml_files
from conformance.errors import BrokenError
from conformance.paths import CONFORMANCE, ROOT

LIST = CONFORMANCE / "implementations.yml"
PROMISES = ("exact_text", "exact_dense", "counted_changes", "counted_tokens")
"""What a store may not promise: the reference's scores of texts, its cosines, generations that are numbers which count
changes, statistics with tokens (DOC-8, DOC-1)."""
REACHED_WITHIN = 5.0
"""Seconds until the server of an engine must have accepted a connection."""
KEYS = {
    "command",
    "flags_if_accepted",
    "folder",
    "timeout",
    "start_timeout",
    "capabilities",
    "needs",
    "needs_folder",
    "optional",
    "on_request",
    "slow",
    "environment",
    "without",
    "ulp_when_drawn",
    "unasked",
}


@dataclass(frozen=True)
class Implementation:
    """How to start one implementation.

    Attributes:
        name: its name in the list.
        command: the words of the command.
        folder: the folder it runs in.
        timeout: seconds for one case.
        start_timeout: seconds until it must have said hello.
        capabilities: the operations it has (`fusion.rrf`), or whole modules (`fusion`); none: it has them all.
            Of the others it must say that they are unsupported, and that is no failure.
        needs: the variable that says where a server for it runs, or none; without it a run leaves it out.
        needs_folder: a folder that `rake native` makes, or none; without it a run leaves it out.
        optional: whether a run may leave it out where its program is not installed.
        slow: whether it is asked about whole collections only when it is named.
        environment: variables added to the harness's own.
        without: which of `promises.PROMISES` its store does not keep.
        unasked: patterns of cases that it is not asked, each with the reason.
        ulp_when_drawn: how many ULP its answers to drawn inputs may be off, for operations of which the last bit is the
            C library's (NUM-3) and it has none.
    """

    name: str
    command: tuple[str, ...]
    folder: Path
    timeout: float
    start_timeout: float
    capabilities: tuple[str, ...] | None = None
    needs: str | None = None
    needs_folder: Path | None = None
    optional: bool = False
    slow: bool = False
    environment: tuple[tuple[str, str], ...] = ()
    without: frozenset[str] = frozenset()
    unasked: tuple[tuple[str, str], ...] = ()
    ulp_when_drawn: tuple[tuple[str, int], ...] = ()

    def variables(self) -> dict[str, str]:
        """The environment of its process."""
        return {**os.environ, **dict(self.environment)}

    def supports(self, operation: str) -> bool:
        """Whether it is listed to have an operation."""
        if self.capabilities is None:
            return True
        return any(operation == listed or operation.startswith(f"{listed}.") for listed in self.capabilities)

    def left_out(self, case: str) -> str | None:
        """Why it is not asked a case, or none where it is."""
        return next((reason for pattern, reason in self.unasked if fnmatchcase(case, pattern)), None)

    def asked(self, operation: str, case: str) -> bool:
        """Whether it is asked a case of an operation."""
        return self.supports(operation) and self.left_out(case) is None

    def missing(self) -> str | None:
        """Why a run may leave it out, or none where it can run."""
        if self.needs is not None and not os.environ.get(self.needs):
            engine = self.needs.removeprefix("HYBRID_SEARCH_").removesuffix("_URL").lower()
            return f"{self.needs} is not set (bin/engines run {engine} -- bin/conformance ... sets it)"
        if self.without and not _is_served(os.environ[self.needs or ""]):
            raise BrokenError(
                f"{self.name} has without, which is for a store whose engine ranks, and {self.needs} is no URL of a "
                "server that can be reached"
            )
        if self.needs_folder is not None and not self.needs_folder.is_dir():
            return f"there is no folder {self.needs_folder} (rake native makes it, with a C compiler)"
        if self.optional and not self.is_installed():
            return f"{self.command[0]} is not installed (bin/setup installs it where it can)"
        return None

    def is_installed(self) -> bool:
        """Whether the program of its command is there."""
        return shutil.which(self.command[0]) is not None or (self.folder / self.command[0]).exists()


def load(names: list[str] | None = None, path: Path = LIST) -> list[Implementation]:
    """The listed implementations, or those named. Optional ones may not be installed.

    Raises:
        BrokenError: the list is not usable, or a name is not in it.
    """
    content = _content(path)
    chosen = names or [name for name, entry in content.items() if not (entry or {}).get("on_request")]
    for name in chosen:
        if name not in content:
            near = difflib.get_close_matches(name, list(content), n=1)
            hint = f"; did you mean {near[0]}?" if near else ";"
            raise BrokenError(f"unknown implementation {name}{hint} Known: {', '.join(content)}")
    return [_implementation(path, name, content[name]) for name in dict.fromkeys(chosen)]


def for_collections(names: list[str] | None, operation: str) -> list[Implementation]:
    """Those named, or else those that are not slow, of those that have an operation on whole collections."""
    chosen = load(names)
    return [one for one in chosen if one.supports(operation) and (names or not one.slow)]


def names(path: Path = LIST) -> list[str]:
    """The names of all listed implementations, those on request too."""
    return list(_content(path))


def installed(chosen: list[Implementation], named: bool) -> tuple[list[Implementation], list[str]]:
    """Those that can run, and for each optional one that is left out a line that says why.

    Args:
        chosen: what `load` gave.
        named: whether they were asked for by name; then none is left out silently.

    Raises:
        BrokenError: one that was asked for by name is not installed, or none is left.
    """
    left_out = []
    present = []
    for one in chosen:
        reason = one.missing()
        if reason is None:
            present.append(one)
            continue
        line = f"{one.name} is left out: {reason}"
        if named:
            raise BrokenError(line)
        left_out.append(line)
    if not present:
        raise BrokenError("; ".join(["there is no implementation to run", *left_out]))
    return present, left_out


def _content(path: Path) -> dict[str, Any]:
    content = yaml_files.load(path)
    if not isinstance(content, dict) or not content:
        raise BrokenError(f"{path.name}: must be an object of implementations")
    return {str(name): entry for name, entry in content.items()}


def _implementation(path: Path, name: str, entry: Any) -> Implementation:
    if not isinstance(entry, dict) or not isinstance(entry.get("command"), list) or not entry["command"]:
        raise BrokenError(f"{path.name}: {name} must be an object with a command (a list of words)")
    unknown = sorted(set(entry) - KEYS)
    if unknown:
        raise BrokenError(
            f"{path.name}: {name} has unknown keys {', '.join(unknown)}. Known: {', '.join(sorted(KEYS))}"
        )
    words = [sys.executable if word == "{python}" else str(word) for word in entry["command"]]
    flags = [str(flag) for flag in entry.get("flags_if_accepted", [])]
    if flags and _accepts(words[0], flags):
        words[1:1] = flags
    base = ROOT if path == LIST else path.resolve().parent
    return Implementation(
        name=name,
        command=tuple(words),
        folder=(base / entry.get("folder", ".")).resolve(),
        timeout=_seconds(path, name, entry, "timeout", 10),
        start_timeout=_seconds(path, name, entry, "start_timeout", 60),
        capabilities=_capabilities(path, name, entry),
        needs=entry.get("needs"),
        needs_folder=base / str(entry["needs_folder"]) if "needs_folder" in entry else None,
        optional=bool(entry.get("optional", False)),
        slow=bool(entry.get("slow", False)),
        environment=tuple((str(key), str(value)) for key, value in (entry.get("environment") or {}).items()),
        without=_without(path, name, entry),
        unasked=_unasked(path, name, entry),
        ulp_when_drawn=_ulp_when_drawn(path, name, entry),
    )


def _seconds(path: Path, name: str, entry: dict[str, Any], key: str, default: float) -> float:
    value = entry.get(key, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1e6:
        raise BrokenError(f"{path.name}: {name}: {key} must be seconds above 0, not {value!r}")
    return float(value)


def _capabilities(path: Path, name: str, entry: dict[str, Any]) -> tuple[str, ...] | None:
    listed = entry.get("capabilities")
    if listed is None:
        return None
    if not isinstance(listed, list) or not all(isinstance(item, str) and item for item in listed):
        raise BrokenError(f"{path.name}: {name}: capabilities must be a list of operations or modules")
    return tuple(listed)


def _without(path: Path, name: str, entry: dict[str, Any]) -> frozenset[str]:
    listed = entry.get("without", [])
    if not isinstance(listed, list) or not set(listed) <= set(PROMISES):
        raise BrokenError(f"{path.name}: {name}: without must be a list of {', '.join(PROMISES)}")
    if listed and not entry.get("needs"):
        raise BrokenError(
            f"{path.name}: {name}: without is for a store whose engine ranks: it must also have needs, the variable "
            "with the URL of the engine's server; an implementation that ranks by itself has the reference's scores"
        )
    return frozenset(listed)


def _unasked(path: Path, name: str, entry: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    listed = entry.get("unasked") or {}
    if not isinstance(listed, dict) or not all(isinstance(reason, str) and reason for reason in listed.values()):
        raise BrokenError(f"{path.name}: {name}: unasked must be an object of patterns of cases, each with a reason")
    return tuple((str(pattern), reason) for pattern, reason in listed.items())


def _ulp_when_drawn(path: Path, name: str, entry: dict[str, Any]) -> tuple[tuple[str, int], ...]:
    listed = entry.get("ulp_when_drawn") or {}
    if not isinstance(listed, dict) or not all(type(ulp) is int and ulp > 0 for ulp in listed.values()):
        raise BrokenError(f"{path.name}: {name}: ulp_when_drawn must be an object of integers above 0")
    return tuple((str(operation), ulp) for operation, ulp in listed.items())


def _is_served(url: str) -> bool:
    """Whether something listens where a URL says."""
    try:
        parts = urllib.parse.urlsplit(url)
        with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=REACHED_WITHIN):
            return bool(parts.scheme)
    except (OSError, ValueError):
        return False


def _accepts(program: str, flags: list[str]) -> bool:
    """Whether a program takes these flags (an interpreter built without its compiler does not)."""
    if not shutil.which(program):
        return False
    outcome = subprocess.run([program, *flags, "-e", ""], capture_output=True, stdin=subprocess.DEVNULL, check=False)
    return outcome.returncode == 0
