"""What git says of this repository: where a branch left a commit, and what has changed since."""

import subprocess

from conformance.errors import BrokenError
from conformance.paths import ROOT


def base(commit: str) -> str:
    """Return the commit at which this branch left another commit.

    Raises:
        BrokenError: git does not know the commit.
    """
    return git("merge-base", commit, "HEAD").decode("utf-8").strip()


def differing(commit: str, *paths: str) -> list[str]:
    """Return the paths that differ from where this branch left a commit, and those that git does not know yet.

    Args:
        commit: any commit.
        paths: only what is in these folders.

    Raises:
        BrokenError: git does not know the commit.
    """
    listed = git("diff", "--name-only", "-z", "--no-renames", base(commit), "--", *paths)
    others = git("ls-files", "--others", "--exclude-standard", "-z", "--", *paths)
    return sorted({path.decode("utf-8") for path in (listed + others).split(b"\0")} - {""})


def content(commit: str, path: str) -> bytes:
    """Return a file as it was in a commit; empty if it was not there."""
    there = git("ls-tree", "--name-only", commit, "--", path)
    return git("show", f"{commit}:{path}") if there else b""


def git(*words: str) -> bytes:
    """Return the output of a git command, run at the root of the repository.

    Raises:
        BrokenError: the command failed.
    """
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        raise BrokenError(f"git {' '.join(words)}: {done.stderr.decode('utf-8', 'replace').strip()}")
    return done.stdout
