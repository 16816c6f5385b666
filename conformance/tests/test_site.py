"""The documentation builds as a site without a broken link, and a broken link fails."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from conformance.paths import ROOT
from conformance.site import command, pages
from conformance.site.slugs import slug


def test_links_to_files_outside_the_site_lead_to_the_repository() -> None:
    staged = {Path("docs/a.md"), Path("docs/b/README.md")}
    text = "[a](a.md#x) [b](b/) [c](../LICENSE) [d](../fixtures/cases/http) [e](https://example.com) [f](gone.md)"
    assert pages.led(text, Path("docs/z.md"), staged, ROOT, "https://git") == (
        "[a](a.md#x) [b](b/) [c](https://git/blob/main/LICENSE) [d](https://git/tree/main/fixtures/cases/http) "
        "[e](https://example.com) [f](gone.md)"
    )


def test_the_navigation_equals_the_shelf_and_has_every_page_once() -> None:
    groups = dict(pages.navigation())
    assert list(groups) == ["Start", "How-to", "Reference", "Numbers", "Inside", "More"]
    paths = [path for listed in groups.values() for _, path in listed]
    named = {path.as_posix() for path in pages.sources() if path.suffix == ".md"} - {"README.md", "docs/README.md"}
    assert {path.partition("#")[0] for path in paths} == named


def test_anchors_are_spelled_as_on_github() -> None:
    assert slug("Ten and a hundred million documents, on paper") == "ten-and-a-hundred-million-documents-on-paper"
    assert slug("RAGFlow's ways") == "ragflows-ways"


@pytest.mark.skipif(find_spec("mkdocs") is None, reason="mkdocs is not installed: pip install '.[docs]'")
@pytest.mark.parametrize("link", ["gone.md", "concepts.md#gone"])
def test_a_broken_link_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], link: str
) -> None:
    stage = pages.stage

    def broken(target: Path, root: Path = ROOT) -> None:
        stage(target, root)
        with (target / "docs/tutorial.md").open("a", encoding="utf-8") as page:
            page.write(f"\n[x]({link})\n")

    monkeypatch.setattr(pages, "stage", broken)
    assert command.main(["--output", str(tmp_path / "site")]) == 1
    assert "gone" in capfd.readouterr().err
