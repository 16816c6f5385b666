"""Writes the options of `options.yml` to every place that lists them (RET-1, CUR-1, FUS-1).

Each target holds a block between the marks `options:begin` and `options:end`, in comments of its own kind; what is
between them is made here, and a test compares it.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from conformance.errors import BrokenError
from conformance.generators import options_in_python as in_python
from conformance.generators import options_in_ruby as in_ruby
from conformance.generators.stated_options import (
    CITATION,
    SOURCE,
    WIDTH,
    Lines,
    Option,
    fusion_methods,
    load,
    of_method,
)
from conformance.paths import ROOT

__all__ = ["CITATION", "SOURCE", "TARGETS", "WIDTH", "Lines", "Option", "files", "load", "of_method", "placed"]


def files(options: list[Option]) -> Iterator[tuple[Path, bytes]]:
    """Every file that tells the options, with the content it should have.

    Raises:
        BrokenError: a fusion method has no file, or a target has no marks.
    """
    if missing := [path for path in files_of_methods(options) if not (ROOT / path).exists()]:
        raise BrokenError(f"a fusion method of options.yml has no file: {', '.join(missing)}")
    for path, blocks in TARGETS.items():
        text = (ROOT / path).read_text(encoding="utf-8")
        for mark, block in blocks.items():
            text = placed(path, text, mark, block(options))
        yield ROOT / path, text.encode("utf-8")


def files_of_methods(options: list[Option]) -> list[str]:
    """Return the files that fusion methods are written in."""
    homes = ("python_ref/hybrid_search/fusion/{}.py", "ruby/lib/hybrid_search/fusion/{}.rb",
             "ruby/sig/hybrid_search/fusion/{}.rbs")  # fmt: skip
    return [home.format(method) for method in fusion_methods(options) for home in homes]


def placed(path: str, text: str, mark: str, block: list[str]) -> str:
    """The text with the lines between its marks replaced, each as far in as the first mark is."""
    lines = text.split("\n")
    begins = [place for place, line in enumerate(lines) if f" {mark}:begin" in line]
    ends = [place for place, line in enumerate(lines) if f" {mark}:end" in line]
    if len(begins) != 1 or len(ends) != 1 or begins[0] > ends[0]:
        raise BrokenError(f"{path} must have {mark}:begin and {mark}:end once each")
    indent = lines[begins[0]][: len(lines[begins[0]]) - len(lines[begins[0]].lstrip())]
    inner = [f"{indent}{line}" if line else "" for line in block]
    return "\n".join([*lines[: begins[0] + 1], *inner, *lines[ends[0] :]])


def _table(literal: Callable[[Any], str], method: str, clauses: str | None = None) -> Lines:
    """The table of a page; where there is a page of clauses, names link to where an option acts."""

    def shown(option: Option) -> str:
        name = f"`{option.name}`"
        return name if clauses is None else f"[{name}]({clauses}#{option.clause.lower()})"

    def lines(options: list[Option]) -> list[str]:
        head = ["| option | default | meaning |", "|---|---|---|"]
        rows = of_method(options, method)
        return head + [f"| {shown(one)} | `{literal(one.default_of(method))}` | {one.of(method)} |" for one in rows]

    return lines


TARGETS: Mapping[str, Mapping[str, Lines]] = {
    "python_ref/hybrid_search/retriever/request.py": {
        "options": in_python.python_retrieve,
        "request": in_python.python_request,
    },
    "python_ref/hybrid_search/search/search_options.py": {"options": in_python.python_search_options},
    "python_ref/hybrid_search/search/index_searches.py": {
        "search": in_python.python_search(
            in_python.SEARCH_HEAD,
            (
                *in_python.SEARCH_ENDING,
                "return self._searcher.page("
                "question, {name: value for name, value in options.items() if value is not NOT_GIVEN})",
            ),
            "Page",
        ),
    },
    "python_ref/hybrid_search/async_index.py": {
        "search": in_python.python_search(
            in_python.SEARCH_HEAD,
            (
                *in_python.SEARCH_ENDING,
                "return await self._workers.run(partial(self._index.search, question, **_awaited(options)))",
            ),
            "Page",
            "async ",
        ),
    },
    "ruby/lib/hybrid_search/retriever/request.rb": {
        "options": in_ruby.ruby("retrieve", "{Retriever#retrieve}", "RetrievalOptions"),
        "request": in_ruby.ruby_request,
    },
    "ruby/lib/hybrid_search/search/index_searches.rb": {"search": in_ruby.ruby_search},
    "ruby/lib/hybrid_search/search/search_options.rb": {
        "options": in_ruby.ruby("search", "{Index#search}", "SearchOptions"),
    },
    "python_ref/hybrid_search/fusion/fusion_methods.py": {
        "imports": in_python.python_method_imports,
        "methods": in_python.python_methods,
    },
    "ruby/lib/hybrid_search/fusion/fusion_methods.rb": {"methods": in_ruby.ruby_methods},
    "ruby/lib/hybrid_search.rb": {"methods": in_ruby.ruby_method_autoloads},
    "python_ref/hybrid_search/retriever/profiles.py": {"choices": in_python.python_choices},
    "ruby/lib/hybrid_search/retriever/profiles.rb": {"choices": in_ruby.ruby_choices},
    "ruby/sig/hybrid_search/retriever/request.rbs": {"request": in_ruby.rbs_request},
    "ruby/sig/hybrid_search/retriever/retriever.rbs": {
        "initialize": in_ruby.rbs_constructor("retrieve", in_ruby.RETRIEVER),
        "retrieve": in_ruby.rbs_method("retrieve", "def retrieve: ", " -> RetrievalResult"),
        "each_page": in_ruby.rbs_method("retrieve", "def each_page: ", in_ruby.PAGES),
    },
    "ruby/sig/hybrid_search/index.rbs": {"initialize": in_ruby.rbs_constructor("search", in_ruby.INDEX)},
    "ruby/sig/hybrid_search/search/index_searches.rbs": {
        "search": in_ruby.rbs_method("search", "def search: ", " -> Page"),
        "each": in_ruby.rbs_method("search", "def each: ", in_ruby.HITS),
    },
    "docs/options.md": {
        "options": _table(json.dumps, "search", "clauses.md"),
        "retrieval": _table(json.dumps, "retrieve", "clauses.md"),
    },
}
"""File → mark → what makes the lines between the marks."""
