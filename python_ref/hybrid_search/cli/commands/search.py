"""The command `hybrid-search search`."""

from collections.abc import Mapping
from typing import Any

from hybrid_search.base import validation
from hybrid_search.cli import filter_flags, page_stream, page_table, rerank_flags
from hybrid_search.cli.command_line import CommandLine
from hybrid_search.cli.console import Console
from hybrid_search.cli.index_file import IndexFile
from hybrid_search.cli.report import JSON, form
from hybrid_search.cli.usage import UsageError
from hybrid_search.errors import DimensionMismatchError
from hybrid_search.index import Index
from hybrid_search.search.page import Page

WITHOUT_TEXT = ("vector", "similar", "match-all")
"""Flags that replace the argument TEXT."""


def run(line: CommandLine, console: Console) -> int:
    """Find documents."""
    _check(line)
    options = line.options
    if filter_flags.are_given(line.flags):
        options["filters"] = filter_flags.filters_of(line.flags)
    if "page" in options:
        options["page"] = validation.integer("--page", options["page"], 1)
    question = line.arguments[0] if line.arguments else ""
    most = validation.integer("--max-results", line.flags["max-results"], 1)
    rerank = rerank_flags.options_of(line.flags)
    with IndexFile(line.flags["index"]) as file:
        index = file.index(max_results=most, **rerank)

        def search(options: Mapping[str, Any]) -> Page:
            return _page(index, line, question, options)

        if "stream" in line.flags:
            page_stream.write(search, question, options, most, console)
            return 0
        page = search(options)
        if form(line.flags.get("format"), console) == JSON:
            console.write_json(page.to_dict())
            page_table.warn(page, console)
        else:
            page_table.show(page, "cursor" in options, console)
    return 0


def _page(index: Index, line: CommandLine, question: str, options: Mapping[str, Any]) -> Page:
    if "similar" in line.flags:
        return index.similar(line.flags["similar"], **options)
    try:
        return index.search(question, **options)
    except DimensionMismatchError as problem:
        if "vector" in options:
            raise UsageError(str(problem)) from None
        raise


def _check(line: CommandLine) -> None:
    """Refuse flags that contradict each other."""
    instead = [f"--{name}" for name in WITHOUT_TEXT if name in line.flags]
    if not line.arguments and not instead:
        raise UsageError("TEXT is missing: what is looked for? --match-all shows all documents")
    if line.arguments and "similar" in line.flags:
        raise UsageError("TEXT and --similar exclude each other")
    if len(instead) > 1:
        raise UsageError(f"{' and '.join(instead)} exclude each other")
    for pair in (("page", "cursor"), ("stream", "format")):
        if all(name in line.flags for name in pair):
            raise UsageError(f"{' and '.join(f'--{name}' for name in pair)} exclude each other")
