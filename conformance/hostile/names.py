"""A name server that keeps silent, in namespaces of its own: `python -m conformance.hostile.names FOLDER COMMAND …`."""

import fcntl
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from conformance.hostile.behaviours import LATE, Behaviour
from conformance.hostile.plan import OPTIONS, QUERY_KEY, Call, Job
from conformance.hostile.run import Done, run
from conformance.paths import ROOT

SETTINGS = "nameserver 127.0.0.53\noptions timeout:1 attempts:2\n"
RESOLVER_SECONDS = 6.0
SILENT = Behaviour("silent_name_server", told=(LATE, "host name"))
HOSTS = 12
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 1
ALONE = ("unshare", "--user", "--map-root-user", "--mount", "--net")


def run_in_namespace(languages: tuple[str, ...], certificates: Path, only: str) -> tuple[list[Done], list[str]]:
    """Look up hosts that no server answers for: one from each thread, more than may be looked up at once, and fresh.

    Returns:
        What became of it; why it was left out, if it was.
    """
    if only not in SILENT.name:
        return [], []
    if reason := not_allowed():
        return [], [f"{SILENT.name} skipped: {reason}"]
    jobs = [
        Job([call_of(number, language, where) for number in range(hosts)])
        for language in languages
        for where, hosts in (("fresh main", 1), ("fresh thread", 1), ("crowd", HOSTS))
    ]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(len(jobs)) as pool:
        (Path(folder) / "resolv.conf").write_text(SETTINGS)
        (Path(folder) / "nsswitch.conf").write_text("hosts: files dns\n")
        around = (*ALONE, sys.executable, "-m", "conformance.hostile.names", folder)
        return list(pool.map(lambda job: run(job, certificates, around, RESOLVER_SECONDS), jobs)), []


def call_of(number: int, language: str, where: str) -> Call:
    """A call to a host of its own."""
    given = {
        "id": number,
        "kind": "reranker",
        "url": f"http://host{number}.silent.test/rerank?key={QUERY_KEY}",
        "options": {**OPTIONS, "deadline": 0.5},
        "texts": ["a", "b"],
        "repeat": 1,
    }
    return Call(SILENT, language, where, given)


def not_allowed() -> str:
    """Why there can be no namespaces; empty if there can."""
    if shutil.which("unshare") is None:
        return "there is no unshare"
    tried = subprocess.run([*ALONE, "true"], capture_output=True, text=True, check=False)
    return "" if tried.returncode == 0 else tried.stderr.strip()


def bring_up_loopback() -> None:
    """Make the loopback interface of this namespace usable."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as some:
        request = struct.pack("16sh", b"lo", 0)
        flags = struct.unpack("16sh", fcntl.ioctl(some, SIOCGIFFLAGS, request.ljust(40, b"\0"))[:18])[1]
        fcntl.ioctl(some, SIOCSIFFLAGS, struct.pack("16sh", b"lo", flags | IFF_UP).ljust(40, b"\0"))


def main() -> int:
    """Inside the namespaces: no name is answered for while a command runs; its status."""
    folder, *command = sys.argv[1:]
    bring_up_loopback()
    for name in ("resolv.conf", "nsswitch.conf"):
        subprocess.run(["mount", "--bind", f"{folder}/{name}", f"/etc/{name}"], check=True)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.53", 53))
        return subprocess.run(command, check=False, cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
