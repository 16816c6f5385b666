"""Tables and bars, drawn by rich (CUR-5)."""

import io
import re
import sys

import pytest

from hybrid_search import Index
from hybrid_search.cli import page_table, progress_choice, report, table_view
from hybrid_search.cli import progress as progresses
from hybrid_search.cli.console import Console

STYLES = re.compile("\x1b\\[[0-9;?]*[A-Za-z]")
HOSTILE = "rule \x1b[31m\x9b2J \x07 [bold]rule[/bold] [/] :smile: 规则 \u2028 end"


class Terminal(io.BytesIO):
    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return Console(io.BytesIO(), Terminal(), Terminal())


def shown(console):
    return console._stdout.getvalue().decode("utf-8")


def page():
    index = Index(vector_similarity_weight=0.0)
    index.add([{"id": "a", "title": "Guide.pdf", "content": HOSTILE}, {"id": "b", "content": "rule " * 200}])
    return index.search("rule", highlight=True)


def test_texts_of_documents_control_neither_the_terminal_nor_rich(terminal, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    page_table.show(page(), False, terminal)
    drawn = shown(terminal)
    assert {code[-1] for code in STYLES.findall(drawn)} == {"m"}
    assert set(STYLES.findall(drawn)) <= {"\x1b[0m", "\x1b[1m", "\x1b[1;33m"}
    plain = STYLES.sub("", drawn)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\ue000\ue001]", plain)
    assert "[bold]rule[/bold] [/] :smile: 规则" in plain
    assert "\x1b[1;33mrule\x1b[0m" in drawn
    assert plain.split("\n")[0].split() == list(page_table.HEAD)


@pytest.mark.parametrize("columns", [1, 20, 60, 80, 300])
def test_a_row_takes_few_lines_at_any_terminal_width(terminal, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    page_table.show(page(), False, terminal)
    lines = STYLES.sub("", shown(terminal)).split("\n")
    if columns >= 60:
        assert len(lines) <= 1 + 2 * (table_view.MOST_LINES + 2) + 2
        assert all(len(line) <= columns for line in lines[:-2])


def test_a_table_in_a_pipe_has_no_styles(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    piped = Console(io.BytesIO(), io.BytesIO(), io.BytesIO())
    page_table.show(page(), False, piped)
    head, *rows = shown(piped).split("\n")
    assert head.split() == list(page_table.HEAD)
    assert [len(row.split()) > 3 for row in rows[:2]] == [True, True]
    assert all(row.endswith("…") for row in rows[:2])
    assert "\x1b" not in shown(piped)
    assert "[rule]" in shown(piped)


def test_json_output_does_not_load_rich(monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "rich"]:
        monkeypatch.delitem(sys.modules, name)
    piped = Console(io.BytesIO(), io.BytesIO(), io.BytesIO())
    report.report({"read": 10}, report.JSON, piped)
    with progress_choice.progress(progress_choice.LINES, piped, 1000) as bar:
        bar.stored({"read": 10}, 500)
    assert not [name for name in sys.modules if name.partition(".")[0] == "rich"]


def test_a_bar_shows_records_their_rate_and_the_time_left(terminal, monkeypatch):
    seconds = iter(range(10_000))
    monkeypatch.setattr(progresses.time, "monotonic", lambda: float(next(seconds)))
    with progress_choice.progress(progress_choice.BAR, terminal, 1000) as bar:
        bar.stored({"read": 10}, 250)
        bar.stored({"read": 40}, 1000)
    told = STYLES.sub("", terminal._stderr.getvalue().decode("utf-8"))
    assert re.search(r"100 ?%", told)
    assert "40 records" in told
    assert "left" in told
    assert told.endswith("\n")


def test_a_bar_of_unknown_length_shows_no_percentage(terminal):
    with progress_choice.progress(progress_choice.BAR, terminal, None) as bar:
        bar.stored({"read": 10}, 250)
    told = STYLES.sub("", terminal._stderr.getvalue().decode("utf-8"))
    assert "10 records" in told
    assert "%" not in told
