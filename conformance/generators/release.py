"""Writes the version and the address of `release.yml` to every place that states them."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from conformance import yaml_files
from conformance.errors import BrokenError
from conformance.paths import CONFORMANCE, ROOT

SOURCE = CONFORMANCE / "generators" / "release.yml"
VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
NAME = re.compile(r"[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?")
VERSIONS = {
    "pyproject.toml": re.compile(r'(?<=^version = ")[^"]+(?="$)', re.MULTILINE),
    "python_ref/hybrid_search/__init__.py": re.compile(r'(?<=^__version__ = ")[^"]+(?="$)', re.MULTILINE),
    "python_ref/native/pyproject.toml": re.compile(r'(?<=^version = ")[^"]+(?="$)', re.MULTILINE),
    "ruby/native/hybrid_search-native.gemspec": re.compile(r'(?<=^  spec.version = ")[^"]+(?="$)', re.MULTILINE),
    "ruby/lib/hybrid_search.rb": re.compile(r'(?<=^  VERSION = ")[^"]+(?="$)', re.MULTILINE),
}
"""File → the version in it."""
ADDRESS = re.compile(
    r"(?<=https://github\.com/)[\w.-]+/[\w.-]+?(?=[/#)\"\s]|\.git\b)|(?<=uses: )[\w.-]+/[\w.-]+(?=/\.github/)"
)
ADDRESSES = (
    "pyproject.toml",
    "ruby/hybrid_search.gemspec",
    "python_ref/native/pyproject.toml",
    "python_ref/native/README.md",
    "ruby/native/hybrid_search-native.gemspec",
    "ruby/native/README.md",
    "README.md",
    "ruby/README.md",
    "docs/conformance.md",
    ".github/ISSUE_TEMPLATE/config.yml",
)
"""Files that name the repository and no other one at GitHub."""


def load(path: Path = SOURCE) -> Mapping[str, str]:
    """Return the version, the owner and the name of the repository.

    Raises:
        BrokenError: a key is missing or unknown, the version is not of the form 1.2.3, or a name has other characters.
    """
    stated: Mapping[str, str] = yaml_files.load(path)
    if set(stated) != {"version", "owner", "repository"}:
        raise BrokenError(f"{path.name} must state version, owner and repository, and nothing else")
    if not VERSION.fullmatch(str(stated["version"])):
        raise BrokenError(f"{path.name}: version must be like 1.2.3, not {stated['version']}")
    for key in ("owner", "repository"):
        if not NAME.fullmatch(str(stated[key])):
            raise BrokenError(f"{path.name}: {key} must be a name at GitHub, not {stated[key]}")
    return stated


def files(stated: Mapping[str, str], root: Path = ROOT) -> Iterator[tuple[Path, bytes]]:
    """Yield every file that states the version or the address, with the content it should have.

    Raises:
        BrokenError: a file does not state the version exactly once, or does not name the repository.
    """
    address = f"{stated['owner']}/{stated['repository']}"
    for name in dict.fromkeys((*VERSIONS, *ADDRESSES)):
        text = (root / name).read_text(encoding="utf-8")
        if name in VERSIONS:
            text, count = VERSIONS[name].subn(stated["version"], text)
            if count != 1:
                raise BrokenError(f"{name} must state the version once, not {count} times")
        if name in ADDRESSES:
            text, count = ADDRESS.subn(address, text)
            if count == 0:
                raise BrokenError(f"{name} must name the repository")
        yield root / name, text.encode("utf-8")
