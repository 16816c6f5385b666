"""The pages of the site: copies of the project's Markdown, with links to other files led to the repository."""

import os
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from conformance.generators import release
from conformance.paths import ROOT

PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "conformance/PORTING.md", "ruby/README.md", "docs/**/*.md")
PICTURES = ("docs/*.svg",)
LEFT_OUT = ("docs/changelog.d/",)
LINK = re.compile(r"(?<=\]\()(?P<target>[^)\s#]+)(?P<anchor>#[^)\s]*)?(?=\))")
SHELF = re.compile(r"^## (?P<group>.+)$|^\| \[(?P<title>[^\]]+)\]\((?P<target>[^)#]+)\)", re.MULTILINE)


def sources(root: Path = ROOT) -> list[Path]:
    """Return the files of the site, relative to the root, in order."""
    found = {path for pattern in (*PAGES, *PICTURES) for path in root.glob(pattern)}
    named = sorted(path.relative_to(root) for path in found)
    return [path for path in named if not path.as_posix().startswith(LEFT_OUT)]


def stage(target: Path, root: Path = ROOT) -> None:
    """Copy the files of the site to a folder; links to files that are not in it lead to the repository."""
    stated = release.load()
    address = f"https://github.com/{stated['owner']}/{stated['repository']}"
    staged = set(sources(root))
    for path in staged:
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            text = (root / path).read_text(encoding="utf-8")
            (target / path).write_text(led(text, path, staged, root, address), encoding="utf-8")
        else:
            shutil.copyfile(root / path, target / path)


def led(text: str, path: Path, staged: set[Path], root: Path, address: str) -> str:
    """Return a page whose links to files outside the site lead to the repository."""

    def link(found: re.Match[str]) -> str:
        if re.match(r"[a-z]+:", found["target"]):
            return found[0]
        inside = Path(os.path.normpath(path.parent / found["target"]))
        there = root / inside
        if inside in staged or not there.exists():
            return found[0]
        if there.is_dir() and inside / "README.md" in staged:
            return f"{found['target'].rstrip('/')}/README.md"
        return f"{address}/{'tree' if there.is_dir() else 'blob'}/main/{inside.as_posix()}"

    return LINK.sub(link, text)


def navigation(root: Path = ROOT) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Yield the groups of the shelf in docs/README.md, each with the titles and paths of its pages.

    The specification's chapters and pages that no group names follow in a group of their own.
    """
    groups: dict[str, list[tuple[str, str]]] = {}
    group = ""
    for found in SHELF.finditer((root / "docs/README.md").read_text(encoding="utf-8")):
        if found["group"]:
            group = found["group"]
        else:
            path = PurePosixPath(os.path.normpath(PurePosixPath("docs") / found["target"])).as_posix()
            groups.setdefault(group, []).append((found["title"], path))
    listed = {path for pages in groups.values() for _, path in pages} | {"README.md", "docs/README.md"}
    others = [path.as_posix() for path in sources(root) if path.suffix == ".md" and path.as_posix() not in listed]
    groups["More"] = [(_title(root / path), path) for path in others]
    yield from groups.items()


def _title(path: Path) -> str:
    return path.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")


def configuration(docs: Path, output: Path, groups: Mapping[str, list[tuple[str, str]]]) -> str:
    """Return the configuration of mkdocs: strict about links and anchors, its navigation the shelf."""
    lines = [
        "site_name: HybridSearch",
        f"docs_dir: {docs}",
        f"site_dir: {output}",
        "theme: {name: readthedocs, highlightjs: false, navigation_depth: 2}",
        "use_directory_urls: false",
        "strict: true",
        "validation: {nav: {omitted_files: warn, not_found: warn}, links: {not_found: warn, anchors: warn}}",
        "markdown_extensions:",
        "  - tables",
        "  - fenced_code",
        "  - sane_lists",
        "  - toc: {permalink: true, slugify: !!python/name:conformance.site.slugs.slug ''}",
        "nav:",
        "  - Home: README.md",
        "  - Contents: docs/README.md",
    ]
    for group, pages in groups.items():
        lines.append(f"  - {group}:")
        lines += [f'    - "{title}": {path}' for title, path in pages]
    return "\n".join(lines) + "\n"
