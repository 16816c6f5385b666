"""Clauses in the page of a run, and the table of stages: complete and readable (CNF-6, CNF-14)."""

import re

import pytest

from conformance.cases import specification, stages
from conformance.reports import html, log, markdown
from conformance.reports.sample import sample_log
from conformance.tests.conftest import committed


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("one\ntwo `a < b`", "<p>one two <code>a &lt; b</code></p>"),
        ("### A heading", "<h5>A heading</h5>"),
        ("**same bits**, *this* [clause](x.md#y)", "<p><strong>same bits</strong>, <em>this</em> clause</p>"),
        ("- one\n  more\n- two", "<ul><li>one more</li><li>two</li></ul>"),
        ("```\na\n\n# b\n```", "<pre>a\n\n# b</pre>"),
        ("a * b * c `**`", "<p>a * b * c <code>**</code></p>"),
        ("| a | b |\n|---|---|\n| 1 | 2 |",
         '<div class="scroll"><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table></div>'),
    ],
)  # fmt: skip
def test_markdown_is_rendered(text: str, shown: str) -> None:
    assert markdown.rendered(text) == shown


def test_every_clause_is_complete_and_ends_before_the_next_heading() -> None:
    for clause in specification.load().values():
        shown = re.sub(r"<[^>]*>", "", markdown.rendered(clause.text))
        assert not re.search(r"^#|</?(?:script|b)\b", clause.text, re.MULTILINE) or "```" in clause.text, clause.number
        assert len(shown.split()) >= 0.9 * len(clause.text.replace("|", " ").split()) - 12, clause.number
    assert "Protocol: any language" not in specification.load()["CNF-8"].text


def test_the_page_shows_whole_clauses_and_no_meaningless_distances() -> None:
    page = html.build(log.parse(sample_log()))
    told = " ".join(markdown.rendered(specification.load()["FUS-2"].text).split())
    assert told in " ".join(page.split())
    assert not re.search(r"\d(?:,\d{3}){4,} ULP", page)
    assert "what fusion.rrf.ties.001 is about" in page


def test_stages_have_the_same_order_in_every_operation() -> None:
    operations: dict[str, list[list[str]]] = {}
    for case in committed().cases:
        operations.setdefault(case.operation, []).append([one["stage"] for one in case.expect["trace"]])
    del operations["doc_store.search"]  # its legs have the order of the request
    for operation, traces in operations.items():
        order = stages.order(traces)
        for trace in traces:
            places = [order.index(name) for name in dict.fromkeys(trace)]
            assert places == sorted(places), operation


def test_the_form_of_a_value_is_described() -> None:
    number = {"bits": "3ff0000000000000", "decimal": "1.0"}
    assert stages.form([["a", number]]) == "list of [text, float]"
    assert stages.form({"ids": [], "total": 1}) == "object of ids, total"
    assert stages.form([None, 1, True]) == "[null, integer, boolean]"
