"""Builds the documentation as a site with mkdocs, strict about links: `bin/conformance site`.

It needs mkdocs (`pip install '.[docs]'`). Exit status: 0 built, 1 mkdocs warned or failed, 2 mkdocs is missing.
"""

import os
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from conformance.command_line import CommandParser
from conformance.errors import BrokenError
from conformance.paths import REPORTS, ROOT
from conformance.site import pages


def main(arguments: list[str]) -> int:
    """Build the site and return the exit status."""
    parser = CommandParser("site", __doc__)
    parser.add_argument("--output", type=Path, default=REPORTS / "site", metavar="DIR", help="the folder of the site")
    output = parser.parse_args(arguments).output.resolve()
    if find_spec("mkdocs") is None:
        raise BrokenError("mkdocs is not installed: pip install '.[docs]'")
    with tempfile.TemporaryDirectory() as folder:
        docs = Path(folder) / "docs"
        pages.stage(docs)
        configuration = Path(folder) / "mkdocs.yml"
        configuration.write_text(pages.configuration(docs, output, dict(pages.navigation())), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", str(configuration)],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            check=False,
        )
    if done.returncode == 0:
        print(f"site: {len(list(output.rglob('*.html')))} pages in {output}")
    return 0 if done.returncode == 0 else 1
