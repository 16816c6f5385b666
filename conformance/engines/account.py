"""The account that engines run under: a system user when root starts them, as neither of them runs as root."""

import os
import pwd
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.engines.errors import EngineError

NAME = "hybrid-search"
"""The system user that is made for it."""


@dataclass(frozen=True)
class Account:
    """A user that programs run as.

    Attributes:
        name: its name.
        uid: its number.
        gid: the number of its group.
        switch: whether a program has to be told to become it.
    """

    name: str
    uid: int
    gid: int
    switch: bool

    def popen(self, command: Sequence[str | Path], folder: Path, environment: Mapping[str, str], **how: Any) -> Any:
        """Start a program as this user, in a session of its own, so that no key pressed here ends it."""
        become: dict[str, Any] = {"user": self.uid, "group": self.gid, "extra_groups": []} if self.switch else {}
        return subprocess.Popen(
            [str(part) for part in command],
            cwd=folder,
            env={**environment, "HOME": str(folder), "USER": self.name, "LOGNAME": self.name},
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            umask=0o077,
            **become,
            **how,
        )

    def run(self, command: Sequence[str | Path], folder: Path, environment: Mapping[str, str], seconds: float) -> str:
        """Run a program as this user to its end, and return what it printed; raises `EngineError` when it fails."""
        process = self.popen(
            command, folder, environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
        )
        try:
            printed: str = process.communicate(timeout=seconds)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # with whatever it has started
            printed = f"{process.communicate()[0]}\nit was ended after {seconds:g} s"
        if process.returncode:
            name = Path(command[0]).name
            raise EngineError(f"{name} failed with status {process.returncode}:\n{printed.strip()}")
        return printed

    def reaches(self, folder: Path) -> bool:
        """Whether this user can go into a folder."""
        if not self.switch:
            return os.access(folder, os.X_OK)
        become: dict[str, Any] = {"user": self.uid, "group": self.gid, "extra_groups": []}
        return subprocess.run(["test", "-x", str(folder)], check=False, cwd="/", **become).returncode == 0

    def own(self, folder: Path) -> None:
        """Make a folder, and give it to this user alone."""
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if self.switch:
            os.chown(folder, self.uid, self.gid)


def account() -> Account:
    """Whom engines run as: this user, or when that is root the system user, made where it is not there yet."""
    if os.geteuid() != 0:
        name = _name_of(os.geteuid())
        return Account(name, os.geteuid(), os.getegid(), switch=False)
    entry = _entry() or _made()
    if entry is None or entry.pw_uid == 0:
        raise EngineError(f"there is no usable system user {NAME}, and useradd could not make it")
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid, switch=True)


def _name_of(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        raise EngineError(f"user number {uid} has no entry in /etc/passwd; PostgreSQL does not start without") from None


def _entry() -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(NAME)
    except KeyError:
        return None


def _made() -> pwd.struct_passwd | None:
    program = shutil.which("useradd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
    if program is None:
        raise EngineError("engines do not run as root, and useradd is missing (Debian's package passwd)")
    about = ["--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent", "--shell", "/bin/false"]
    # Another start may have made it meanwhile: only the entry counts.
    subprocess.run([program, *about, NAME], check=False, capture_output=True)
    return _entry()
