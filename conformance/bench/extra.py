"""Packages that only the bench needs; they are installed when they are first needed."""

import importlib.util
import subprocess
import sys
from collections.abc import Callable

from conformance.errors import BrokenError
from conformance.paths import ROOT


def need(package: str, say: Callable[[str], None]) -> None:
    """Install the extra `bench` of the project if a package of it is missing.

    Raises:
        BrokenError: it cannot be installed.
    """
    if importlib.util.find_spec(package) is not None:
        return
    say(f"installing the extra 'bench' for {package}, once")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-input", "-e", f"{ROOT}[bench]"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    importlib.invalidate_caches()
    if done.returncode or importlib.util.find_spec(package) is None:
        raise BrokenError(f"{package} cannot be installed (pip install -e '.[bench]'):\n{done.stderr[-1000:]}")
