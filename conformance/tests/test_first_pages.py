"""First pages compared with those from memory: differences, their explanations, and a collection without any."""

import json

import pytest

from conformance.commands import main as conformance
from conformance.first_pages import command
from conformance.first_pages.pages import Page, compare
from conformance.paths import CORPORA


def page(names, block, other=()):
    return Page([(name, "0" if name in other else "1") for name in names], list(block))


MEMORY = page("abc", "cabdef")


@pytest.mark.parametrize(
    ("found", "same", "explained", "strangers"),
    [
        (page("abc", "fedcba"), True, True, []),
        (page("abx", "xabdef"), False, True, [("c", 1, 6), ("x", 1, 6)]),
        (page("xab", "cabdex"), False, True, [("x", 6, 6)]),
        (page("abd", "dab"), False, True, [("c", 1, 6)]),
        (page("acb", "cabdef"), False, False, []),
        (page("abd", "cabdef"), False, False, []),
        (page("bax", "xabdef"), False, False, [("c", 1, 6), ("x", 1, 6)]),
        (page("", ""), False, True, [("a", 2, 6), ("b", 3, 6), ("c", 1, 6)]),
    ],
)
def test_a_different_page_is_explained_only_by_a_different_block(found, same, explained, strangers):
    verdict = compare(MEMORY, found)
    assert (verdict.same, verdict.explained) == (same, explained)
    assert list(verdict.strangers) == strangers
    assert verdict.other_bits == []


def test_nothing_explains_a_similarity_with_other_bits():
    verdict = compare(MEMORY, page("abx", "xabdef", other="b"))
    assert verdict.other_bits == ["b"]
    assert verdict.shared == 2
    assert not verdict.explained


def test_one_unexplained_difference_fails():
    counts = command.Counts("c")
    counts.add(compare(MEMORY, page("abx", "xabdef")))
    assert counts.is_well
    assert (counts.others, counts.first_place, counts.block) == (1, 1, 6)
    counts.add(compare(MEMORY, page("acb", "cabdef")))
    assert not counts.is_well
    other = command.Counts("c", ruby_differs=1)
    assert not other.is_well


def test_without_a_cluster_the_error_names_the_command_that_starts_one(monkeypatch, capsys):
    monkeypatch.delenv("HYBRID_SEARCH_OPENSEARCH_URL", raising=False)
    assert conformance.main(["first-pages", "--data", str(CORPORA)]) == 2
    assert "bin/engines run opensearch -- bin/conformance first-pages" in capsys.readouterr().err
    monkeypatch.delenv("HYBRID_SEARCH_OCEANBASE_URL", raising=False)
    assert conformance.main(["first-pages", "--engine", "oceanbase", "--data", str(CORPORA)]) == 2
    assert "HYBRID_SEARCH_OCEANBASE_URL is not set: bin/engines run oceanbase" in capsys.readouterr().err


@pytest.mark.engines
@pytest.mark.parametrize("engine", ["opensearch", pytest.param("oceanbase", marks=pytest.mark.nightly)])
def test_a_collection_has_the_same_first_pages_in_both_languages(engine, request, capsys):
    request.getfixturevalue(f"{engine}_url")
    arguments = ["--data", str(CORPORA), "--collection", "manuals", "--sample", "9", "--engine", engine]
    arguments += ["--format", "json"]
    assert command.main(arguments) == 0
    (counts,) = json.loads(capsys.readouterr().out)
    assert counts["questions"] == counts["same"] > 0
    assert counts["shared"] > counts["questions"]
    assert (counts["other_bits"], counts["ruby_differs"]) == (0, 0)
