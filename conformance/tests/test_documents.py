"""Links between the documents of the repository have targets."""

import re
import subprocess
from pathlib import Path

import pytest

from conformance.paths import ROOT

LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)
ANCHOR = re.compile(r'<a id="([^"]+)"></a>')
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
PATH = re.compile(r"`((?:\.ci|bin|conformance|docs|fixtures|python_ref|ruby)/[\w./-]*)[ `]")


def documents() -> list[Path]:
    """Every Markdown file of the repository."""
    return sorted(
        path for pattern in ("*.md", "docs/**/*.md", "conformance/*.md", "ruby/*.md") for path in ROOT.glob(pattern)
    )


def anchors(path: Path) -> set[str]:
    """The targets of links into a document: its anchors and its headings, as Markdown pages spell them."""
    text = path.read_text(encoding="utf-8")
    headings = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in HEADING.findall(text)}
    return headings | set(ANCHOR.findall(text))


@pytest.mark.parametrize("document", documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_links_have_existing_targets(document: Path) -> None:
    broken = []
    for link in LINK.findall(CODE.sub("", document.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = (document.parent / name).resolve() if name else document
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "docs/spec/README.md"])
def test_files_named_in_documents_exist(name: str) -> None:
    named = set(PATH.findall((ROOT / name).read_text(encoding="utf-8")))
    assert {path for path in named if not re.search("/a/b[.]|NAME", path) and not (ROOT / path).exists()} == set()


@pytest.mark.parametrize(
    ("document", "options"), [("CONTRIBUTING.md", ["--list"]), ("docs/conformance.md", ["--nightly", "--list"])]
)
def test_every_gate_is_explained(document: str, options: list[str]) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    command = [str(ROOT / "bin/test"), *options]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    table = text[text.index("| gate | what it checks") :].partition("\n\n")[0]
    explained = re.findall(r"`([\w-]+)`", "".join(re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)))
    assert sorted(explained) == sorted(listed.split())


def test_the_checked_documents_exist() -> None:
    names = {str(path.relative_to(ROOT)) for path in documents()}
    assert {"README.md", "docs/clauses.md", "docs/spec/README.md", "docs/spec/04-retrieval.md"} <= names
