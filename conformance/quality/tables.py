"""Shows the figures: a table on a terminal, Markdown for documents, JSON for programs."""

import json
from collections.abc import Sequence
from typing import Any

from rich.console import Console

from conformance.quality.comparisons import LEVEL
from conformance.quality.metrics import Scores
from conformance.reports.terminal import new_table

Row = dict[str, Any]
"""A way of searching a collection: `collection`, `way`, `scores` by implementation, `same`, `baseline`, and how many
queries were `asked` of how many `queries`."""


def show(rows: list[Row], compared: list[Row], style: str, console: Console) -> None:
    """Print the rows; JSON is a list of them, or an object of `ways` and `comparisons` where there are such.

    Args:
        rows: one per collection and way.
        compared: one per collection and pair, as `comparisons.compare` makes them; may be empty.
        style: "table", "markdown" or "json".
        console: where the table goes; the other two go to standard output.
    """
    if style == "json":
        plain = [{**row, "scores": {name: vars(scores) for name, scores in row["scores"].items()}} for row in rows]
        shown = {"ways": plain, "comparisons": compared} if compared else plain
        print(json.dumps(shown, ensure_ascii=False, indent=2))
    elif style == "markdown":
        note = sampled(rows)
        print(markdown(rows), end=f"\n{note}\n" if note else "")
        if compared:
            print(f"\n{comparisons_markdown(compared)}", end="")
    else:
        _table(rows, console)
        if compared:
            _comparisons_table(compared, console)


def plain(head: Sequence[str], rows: Sequence[Sequence[str]], style: str, console: Console) -> None:
    """Print rows of texts under a head; JSON is a list of rows."""
    if style == "json":
        print(json.dumps([list(row) for row in rows], ensure_ascii=False, indent=2))
    elif style == "markdown":
        lines = [head, ["---"] * len(head), *rows]
        print("".join(f"| {' | '.join(line)} |\n" for line in lines), end="")
    else:
        table = new_table(console)
        for name in head:
            table.add_column(name)
        for row in rows:
            table.add_row(*row)
        console.print(table)


def markdown(rows: list[Row]) -> str:
    """A line a collection, a column a way; nDCG@10 in bold where it is the best, the baseline's in brackets."""
    ways = list(dict.fromkeys(row["way"] for row in rows))
    head = ["collection", *ways, "same in " + " and ".join(rows[0]["scores"]) if rows else ""]
    lines = [head, ["---"] * len(head)]
    for collection in dict.fromkeys(row["collection"] for row in rows):
        own = {row["way"]: row for row in rows if row["collection"] == collection}
        best = max(_first(row).ndcg_at_10 for row in own.values())
        cells = [_cell(own[way], best) if way in own else "" for way in ways]
        lines.append([collection, *cells, "yes" if all(row["same"] for row in own.values()) else "NO"])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def comparisons_markdown(compared: list[Row]) -> str:
    """A line a collection and way, a column each other way; the mean difference and its interval, bold but for ties."""
    others = list(dict.fromkeys(row["against"] for row in compared))
    head = ["collection", "way", *others]
    lines = [head, ["---"] * len(head)]
    for collection, way in dict.fromkeys((row["collection"], row["way"]) for row in compared):
        own = {row["against"]: row for row in compared if (row["collection"], row["way"]) == (collection, way)}
        lines.append([collection, way, *(_difference(own[other]) if other in own else "" for other in others)])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _difference(row: Row) -> str:
    mean = f"{row['mean']:+.3f}"
    shown = mean if row["verdict"] == "tie" else f"**{mean}**"
    return f"{shown} ({row['low']:+.3f} … {row['high']:+.3f})"


def sampled(rows: list[Row]) -> str:
    """Of which collections only a sample of the queries was asked; empty when of none."""
    counts = {row["collection"]: f"{row['asked']} of {row['queries']}" for row in rows if row["asked"] < row["queries"]}
    shown = ", ".join(f"{collection} {count}" for collection, count in counts.items())
    return f"Queries, evenly spread: {shown}; the baselines are over all." if shown else ""


def _cell(row: Row, best: float) -> str:
    scores = _first(row)
    ndcg = f"{scores.ndcg_at_10:.3f}"
    baseline = "" if row["baseline"] is None else f" ({row['baseline']:.3f})"
    shown = f"**{ndcg}**" if scores.ndcg_at_10 == best else ndcg
    return f"{shown}{baseline} · {scores.recall_at_50:.3f} · {scores.mrr_at_10:.3f}"


def _first(row: Row) -> Scores:
    scores: Scores = next(iter(row["scores"].values()))
    return scores


def _table(rows: list[Row], console: Console) -> None:
    names = list(rows[0]["scores"]) if rows else []
    caption = f"baseline: public figures stated beside the collection. {sampled(rows)}".strip()
    table = new_table(console)
    for title in (
        "collection",
        "way",
        *(f"{name}: nDCG@10 Recall@50 MRR@10" for name in names),
        "same",
        "baseline nDCG@10",
    ):
        table.add_column(title)
    for row in rows:
        table.add_row(
            row["collection"],
            row["way"],
            *(_figures(row["scores"][name]) for name in names),
            "yes" if row["same"] else "NO",
            "" if row["baseline"] is None else f"{row['baseline']:.4f}",
        )
    console.print(table)
    console.print(caption, markup=False, soft_wrap=True)


def _comparisons_table(compared: list[Row], console: Console) -> None:
    table = new_table(console)
    for title in ("collection", "way", "against", "nDCG@10", "its nDCG@10", "difference", "interval", "verdict"):
        table.add_column(title)
    for row in compared:
        table.add_row(
            row["collection"],
            row["way"],
            row["against"],
            f"{row['ndcg_at_10']:.4f}",
            f"{row['ndcg_at_10_against']:.4f}",
            f"{row['mean']:+.4f}",
            f"{row['low']:+.4f} … {row['high']:+.4f}",
            row["verdict"],
        )
    console.print(table)
    console.print(
        f"interval: {100 * LEVEL:.0f} %, by paired bootstrap; a tie is one that 0 lies in. Each pair is judged alone: "
        "of twenty pairs without a difference one is no tie by chance.",
        markup=False,
        soft_wrap=True,
    )


def _figures(scores: Scores) -> str:
    return f"{scores.ndcg_at_10:.4f} {scores.recall_at_50:.4f} {scores.mrr_at_10:.4f}"
