"""A copy of the implementations in which one file is changed (CNF-19)."""

import compileall
import contextlib
import dataclasses
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from conformance.implementations import listing
from conformance.implementations.listing import Implementation
from conformance.mutants import table
from conformance.mutants.table import IMPLEMENTATIONS, Mutant
from conformance.paths import FIXTURES, ROOT

COPIED = (
    "python_ref/hybrid_search",
    "ruby/lib",
    "conformance/implementations/python",
    "conformance/implementations/ruby",
)
PACKAGES = ("conformance", "conformance/implementations")
"""Packages of which the copied implementations need the name alone."""
HALF_WRITTEN = "*.pyc.*"
"""What another process is compiling at the moment."""
TIMEOUT = 30.0
"""Seconds for one case; a mutant that takes longer is killed. One that waits for a server has the time of the list."""


class Workshop:
    """A folder with both implementations; holds one mutant at a time.

    Args:
        folder: an empty folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for path in COPIED:
            # What Python has compiled is good for the copy too, as that has the same times.
            shutil.copytree(ROOT / path, folder / path, ignore=shutil.ignore_patterns(HALF_WRITTEN))
        for package in PACKAGES:
            shutil.copy(ROOT / package / "__init__.py", folder / package / "__init__.py")
        (folder / "ruby" / "data").symlink_to(ROOT / "ruby" / "data")
        (folder / "fixtures").symlink_to(FIXTURES)
        compileall.compile_dir(folder / "python_ref", quiet=2)
        names = [name for kernels in IMPLEMENTATIONS.values() for name in kernels.values()]
        self._implementations = {one.name: self._moved(one) for one in listing.load(names)}

    @contextlib.contextmanager
    def holding(self, mutant: Mutant) -> Iterator[Callable[[str], Implementation]]:
        """The mutant: gives for an operation the implementation that is asked its cases.

        Raises:
            BrokenError: it no longer applies.
        """
        path = self.folder / mutant.path
        changed = mutant.apply(table.read(mutant))
        content, times = path.read_bytes(), path.stat()
        path.write_text(changed, encoding="utf-8")
        # Python tells by the time and the size whether what it has compiled is of this file.
        os.utime(path, (times.st_atime, times.st_mtime + 10_000))
        try:
            yield lambda operation: self._implementations[mutant.asked(operation)]
        finally:
            path.write_bytes(content)
            os.utime(path, (times.st_atime, times.st_mtime))

    def _moved(self, one: Implementation) -> Implementation:
        environment = (*one.environment, ("PYTHONDONTWRITEBYTECODE", "1"))
        timeout = TIMEOUT if one.needs is None else one.timeout
        return dataclasses.replace(one, folder=self.folder, timeout=timeout, environment=environment)
