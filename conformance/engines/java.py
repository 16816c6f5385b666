"""Finds a Java that OpenSearch runs on."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from conformance.engines.errors import EngineError

VARIABLES = ("OPENSEARCH_JAVA_HOME", "JAVA_HOME")
LEAST, MOST = 11, 21


def home() -> Path:
    """The folder of a Java of the right age: what the environment names, else what is on the path."""
    told = {name: os.environ[name] for name in VARIABLES if os.environ.get(name)}
    found = [Path(value) / "bin/java" for value in told.values()]
    on_path = shutil.which("java")
    if on_path:
        found.append(Path(on_path).resolve())
    if not found:
        raise EngineError("OpenSearch runs on Java, which is missing: bin/setup installs it on Debian as root")
    ages = {program: _age(program) for program in found}
    for program, age in ages.items():
        if age is not None and LEAST <= age <= MOST:
            return program.parents[1]
    seen = ", ".join(f"{program} is {age or 'none'}" for program, age in ages.items())
    raise EngineError(f"OpenSearch needs Java {LEAST} to {MOST}; {seen}")


def has_file_stores() -> bool:
    """Whether the root is in the table of mounts; without it, as in a plain chroot, Java tells of no file system."""
    table = Path("/proc/self/mounts")
    return any(line.split()[1] == "/" for line in table.read_text("utf-8").splitlines())


def _age(program: Path) -> int | None:
    try:
        printed = subprocess.run([program, "-version"], capture_output=True, text=True, check=False, timeout=60).stderr
    except OSError:
        return None
    version = re.search(r'version "(\d+)', printed)
    return int(version[1]) if version else None
