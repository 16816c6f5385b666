"""Makes all fixtures again as on another machine and compares them byte for byte (CNF-16).

    bin/conformance perturbations [NAME…]     all eight, or those named; 0 when none makes a difference

Each perturbation changes what must not matter: the kernels of the linear algebra library, the vector instructions that
numpy uses, the order of hashes, the locale, the time zone.
"""

import argparse
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from conformance.paths import ROOT
from conformance.reports.terminal import new_console, new_table

COMMAND = ("-m", "conformance", "make", "fixtures", "--check")


def dispatched() -> str:
    """The processor features numpy would choose code by on this machine, for its own variable."""
    core = np._core._multiarray_umath  # type: ignore[attr-defined]
    return " ".join(name for name in core.__cpu_dispatch__ if core.__cpu_features__.get(name))


def all_of_them() -> dict[str, dict[str, str]]:
    """Name → environment variables."""
    plain = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    without = {"NPY_DISABLE_CPU_FEATURES": dispatched()}
    single = {
        "blas-oldest": {"OPENBLAS_CORETYPE": "Prescott"},
        "blas-haswell": {"OPENBLAS_CORETYPE": "Haswell", "OPENBLAS_NUM_THREADS": "1"},
        "numpy-baseline": without,
        "hash-seed-0": {"PYTHONHASHSEED": "0"},
        "hash-seed-4242": {"PYTHONHASHSEED": "4242"},
        "locale-c": plain,
        "time-zone": {"TZ": "Pacific/Kiritimati"},
    }
    together = {"OPENBLAS_CORETYPE": "Nehalem", "PYTHONHASHSEED": "1", "TZ": "America/St_Johns", **plain, **without}
    return {**single, "all-at-once": together}


def drift(variables: dict[str, str]) -> tuple[str, float]:
    """What regeneration under these variables finds, empty for nothing, and its seconds."""
    began = time.monotonic()
    command = [sys.executable, "-W", "error::UserWarning", *COMMAND]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, **variables},
        capture_output=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    told = (done.stdout + done.stderr).decode("utf-8", "replace").strip()
    return ("" if done.returncode == 0 else told or f"exit status {done.returncode}"), time.monotonic() - began


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    known = all_of_them()
    parser = argparse.ArgumentParser(prog="conformance perturbations", description=__doc__.split("\n\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(known)}")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many at once")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in known]
    if unknown:
        parser.error(f"there is no perturbation {unknown[0]}; there are {', '.join(known)}")
    names = options.names or list(known)
    console = new_console()
    table = new_table(console)
    for title in ("perturbation", "variables", "fixtures", "s"):
        table.add_column(title)
    failures = []
    with ThreadPoolExecutor(max(options.jobs, 1)) as pool:
        for name, (found, seconds) in zip(names, pool.map(lambda one: drift(known[one]), names), strict=True):
            shown = " ".join(f"{key}={value}" for key, value in known[name].items())
            table.add_row(name, shown, "[red]differ[/]" if found else "[green]the same bytes[/]", f"{seconds:.1f}")
            failures += [f"{name}: {found}"] if found else []
    console.print(table)
    for failure in failures:
        console.print(failure, markup=False, soft_wrap=True)
    return 1 if failures else 0
