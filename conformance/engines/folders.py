"""Where engines keep their programs and data."""

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from conformance.engines.account import Account
from conformance.engines.errors import EngineError
from conformance.paths import ROOT

VARIABLE = "HYBRID_SEARCH_ENGINES"
"""The environment variable that names another folder."""


class Folders:
    """The folders of a checkout's engines.

    Args:
        base: the folder that has them all.
    """

    def __init__(self, base: Path) -> None:
        self.base = base
        self.downloads = base / "downloads"
        self.programs = base / "programs"
        self.data = base / "data"
        self.states = base / "states"

    def make(self) -> "Folders":
        """Make those that are missing."""
        for folder in (self.base, self.downloads, self.programs, self.data):
            folder.mkdir(parents=True, exist_ok=True, mode=0o755)
        self.states.mkdir(exist_ok=True, mode=0o700)
        return self

    @contextmanager
    def locked(self, name: str) -> Iterator[None]:
        """Keeps a second start or stop of the same thing waiting until the block ends."""
        with (self.states / f"{name}.lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def folders(account: Account) -> Folders:
    """The folders of this checkout: `.engines` in it, or where that cannot be reached by the account, in /var/tmp.

    A checkout below a folder that only root may enter, as /root, is such a place.
    """
    told = os.environ.get(VARIABLE)
    base = Path(told).absolute() if told else ROOT / ".engines"
    base.mkdir(parents=True, exist_ok=True, mode=0o755)
    if account.reaches(base):
        return Folders(base).make()
    if told:
        raise EngineError(f"user {account.name} may not enter {base}, which {VARIABLE} names; name another folder")
    return Folders(_elsewhere()).make()


def _elsewhere() -> Path:
    mark = hashlib.sha256(str(ROOT).encode()).hexdigest()[:12]
    base = Path("/var/tmp") / f"hybrid-search-engines-{mark}"
    base.mkdir(exist_ok=True, mode=0o755)
    found = base.lstat()
    if base.is_symlink() or found.st_uid != os.geteuid() or found.st_mode & 0o022:
        raise EngineError(f"{base} belongs to somebody else; name another folder by {VARIABLE}")
    return base
