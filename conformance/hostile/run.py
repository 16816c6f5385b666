"""Runs the jobs of a plan: a process each, some of them at once."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.hostile.plan import KEY, Call, Job
from conformance.paths import ROOT

HERE = Path(__file__).parent
PACKAGE = ROOT / "python_ref/hybrid_search"
WHERE = {"fresh main": "main", "fresh thread": "thread", "again": "main"}
LONGEST = 300


@dataclass(frozen=True)
class Done:
    """What became of a job.

    Attributes:
        job: the job.
        made: what came of its calls, by their numbers.
        later: what happened where nobody had asked, what stood on standard error included.
        threads: how many threads were left.
        descriptors: how many descriptors were left.
    """

    job: Job
    made: dict[int, dict[str, Any]]
    later: list[str]
    threads: int
    descriptors: int


def command(language: str) -> list[str]:
    """What runs the calls of a language."""
    if language == "ruby":
        return ["ruby", "-w", "-I", str(ROOT / "ruby/lib"), str(HERE / "calls.rb")]
    return [sys.executable, "-X", "dev", str(HERE / "calls.py")]


def run(job: Job, certificates: Path, around: tuple[str, ...] = (), patience: float = 1.0) -> Done:
    """Run a job.

    Args:
        job: what to do.
        certificates: where the trusted authority is.
        around: a command that runs the command of the job.
        patience: how many seconds threads may take to end.
    """
    first = job.calls[0]
    told = {
        "package": str(PACKAGE),
        "secret": KEY,
        "where": WHERE.get(first.where, first.where),
        "before": job.before,
        "calls": [call.given for call in job.calls],
        "patience": patience,
    }
    environment = {**os.environ, "SSL_CERT_FILE": str(certificates / "authority.pem"), "SSL_CERT_DIR": "/nowhere"}
    environment["PYTHONPATH"] = str(ROOT / "python_ref")
    ran = subprocess.run(
        [*around, *command(first.language)],
        input=json.dumps(told), capture_output=True, text=True, timeout=LONGEST, env=environment, check=False,
    )  # fmt: skip
    stray = [line for line in ran.stderr.splitlines() if line.strip()]
    if ran.returncode != 0 or not ran.stdout:
        return Done(job, {}, [f"the process ended with {ran.returncode}", *stray[-20:]], 0, 0)
    answer = json.loads(ran.stdout)
    made = {item["id"]: item for item in answer["calls"]}
    return Done(job, made, [*answer["later"], *stray[-20:]], answer["threads"], answer["descriptors"])


def run_all(jobs: list[Job], certificates: Path, at_once: int) -> list[Done]:
    """Run jobs, so many at once; those that cost much last, one at a time."""
    alone = [job for job in jobs if job.calls[0].behaviour.heavy]
    others = [job for job in jobs if not job.calls[0].behaviour.heavy]
    with ThreadPoolExecutor(at_once) as pool:
        done = list(pool.map(lambda job: run(job, certificates), others))
    return [*done, *(run(job, certificates) for job in alone)]


def made_by(done: Done, call: Call) -> dict[str, Any] | None:
    """What came of a call; none if its process did not say."""
    return done.made.get(call.given["id"])
