"""How much memory this process has."""

import os
from pathlib import Path

STATUS = Path("/proc/self/status")


def resident() -> int:
    """Bytes of memory this process holds; 0 where the system does not say."""
    return _kilobytes("VmRSS") * 1024


def peak() -> int:
    """The most bytes of memory this process has held; 0 where the system does not say."""
    return _kilobytes("VmHWM") * 1024


def _kilobytes(name: str) -> int:
    if os.name != "posix" or not STATUS.exists():
        return 0
    for line in STATUS.read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1])
    return 0
