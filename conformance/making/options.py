"""Writes what `options.yml` says of each retrieval option to wherever it is told (RET-1, FUS-1).

Each target holds a block between the marks `options:begin` and `options:end`, in comments of its own kind; what is
between them is made here, and a test compares it.
"""

import json
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance import yaml_files
from conformance.errors import BrokenError
from conformance.paths import CONFORMANCE, ROOT

SOURCE = CONFORMANCE / "making" / "options.yml"
WIDTH = 120
CITATION = re.compile(r" \(([A-Z]+-\d+)\)\Z")
"""The clause that tells how an option acts; pages for newcomers do without, but for a link."""


@dataclass(frozen=True)
class Option:
    """One option.

    Attributes:
        name: its name, the same in both languages.
        default: what counts where it is not given.
        says: what it means.
        given: its type where it is given, in Python and in RBS.
        checked: its type in a checked request; none: it has no part of its own there.
    """

    name: str
    default: Any
    says: str
    given: tuple[str, str]
    checked: tuple[str, str] | None

    @property
    def clause(self) -> str:
        """The clause that tells how it acts: what its meaning ends with.

        Raises:
            BrokenError: it ends otherwise.
        """
        found = CITATION.search(self.says)
        if found is None:
            raise BrokenError(f"{SOURCE}: what is said of {self.name} must end with a clause in brackets")
        return found[1]


def load(path: Path = SOURCE) -> list[Option]:
    """The options, in the order in which they are told."""
    return [_option(name, entry) for name, entry in yaml_files.load(path).items()]


def files(options: list[Option]) -> Iterator[tuple[Path, bytes]]:
    """Every file that tells the options, with the content it should have."""
    for path, blocks in TARGETS.items():
        text = (ROOT / path).read_text(encoding="utf-8")
        for mark, block in blocks.items():
            text = _placed(path, text, mark, block(options))
        yield ROOT / path, text.encode("utf-8")


def _option(name: str, entry: Mapping[str, Any]) -> Option:
    given = (entry["given"][0], entry["given"][1])
    listed = entry.get("checked", given)
    return Option(name, entry["default"], entry["says"], given, None if listed is None else (listed[0], listed[1]))


def _placed(path: str, text: str, mark: str, block: list[str]) -> str:
    """The text with the lines between its marks replaced, each as far in as the first mark is."""
    lines = text.split("\n")
    begins = [place for place, line in enumerate(lines) if f"{mark}:begin" in line]
    ends = [place for place, line in enumerate(lines) if f"{mark}:end" in line]
    if len(begins) != 1 or len(ends) != 1 or begins[0] > ends[0]:
        raise BrokenError(f"{path} must have {mark}:begin and {mark}:end once each")
    indent = lines[begins[0]][: len(lines[begins[0]]) - len(lines[begins[0]].lstrip())]
    inner = [f"{indent}{line}" if line else "" for line in block]
    return "\n".join([*lines[: begins[0] + 1], *inner, *lines[ends[0] :]])


def _wrapped(text: str, first: str, later: str, room: int) -> list[str]:
    return textwrap.wrap(
        text, room, initial_indent=first, subsequent_indent=later, break_long_words=False, break_on_hyphens=False
    )


def _python(options: list[Option]) -> list[str]:
    """The table of defaults, and the keyword options as a type."""
    lines = ["DEFAULTS: dict[str, Any] = {"]
    lines += [f'    "{option.name}": {_python_literal(option.default)},' for option in options]
    lines += ["}", '"""Every option of `Retriever.retrieve` with its default."""', "", ""]
    lines += ["class RetrievalOptions(TypedDict, total=False):"]
    lines += ['    """The keyword options of `Retriever.retrieve` and `Index.search`.', "", "    Attributes:"]
    for option in options:
        lines += _wrapped(f"{option.name}: {option.says}.", " " * 8, " " * 12, WIDTH)
    lines += ['    """', ""]
    return [*lines, *(f"    {option.name}: {option.given[0]}" for option in options), "", ""]


def _python_request(options: list[Option]) -> list[str]:
    return [f"{option.name}: {option.checked[0]}" for option in options if option.checked]


def _python_literal(value: Any) -> str:
    return json.dumps(value) if isinstance(value, str) else repr(value)


def _ruby(options: list[Option]) -> list[str]:
    lines = ["", "# The keyword options of {Retriever#retrieve} and {Index#search}:"]
    for option in options:
        lines += _wrapped(f"- `{option.name}`: {option.says}.", "# ", "#   ", WIDTH - 2)
    lines += ["module RetrievalOptions", "  # Every option of {Retriever#retrieve} with its default.", "  DEFAULTS = {"]
    rows = [f'    "{option.name}" => {_ruby_literal(option.default)}' for option in options]
    return lines + [f"{row}," for row in rows[:-1]] + [rows[-1], "  }.freeze", "end"]


def _ruby_request(options: list[Option]) -> list[str]:
    lines = []
    for option in options:
        if option.checked:
            lines += [f"# @return [{_yard(option.checked[1])}]", f"attr_reader :{option.name}"]
    return [*lines, ""]


YARD_TYPES = {
    "bool": "Boolean",
    "rerank_source?": "#similarity, #call, nil",
    "filters": "Hash{String=>Object}",
    "Array[[String, String]]": "Array<Array(String, String)>",
}


def _yard(kind: str) -> str:
    """An RBS type in YARD's words."""
    shown = YARD_TYPES.get(kind)
    if shown:
        return shown
    optional = kind.endswith("?")
    plain = (
        kind.removesuffix("?")
        .replace("Hash[String, String]", "Hash{String=>String}")
        .replace("Hash[String, Float]", "Hash{String=>Float}")
    )
    return f"{plain}, nil" if optional else plain


def _ruby_literal(value: Any) -> str:
    return "nil" if value is None else json.dumps(value)


def _rbs_request(options: list[Option]) -> list[str]:
    return [f"attr_reader {option.name}: {option.checked[1]}" for option in options if option.checked]


def _rbs_method(head: str, tail: str) -> Callable[[list[Option]], list[str]]:
    def lines(options: list[Option]) -> list[str]:
        keywords = ", ".join(f"?{option.name}: {option.given[1]}" for option in options)
        return _wrapped(f"{head}{keywords}{tail}", "", " " * 8, WIDTH - 4)

    return lines


def _table(literal: Callable[[Any], str], clauses: str | None = None) -> Callable[[list[Option]], list[str]]:
    """The table of a page; where there is a page of clauses, names link to where an option acts."""

    def shown(option: Option) -> str:
        name = f"`{option.name}`"
        return name if clauses is None else f"[{name}]({clauses}#{option.clause.lower()})"

    def lines(options: list[Option]) -> list[str]:
        head = ["| option | default | meaning |", "|---|---|---|"]
        return head + [f"| {shown(one)} | `{literal(one.default)}` | {CITATION.sub('', one.says)} |" for one in options]

    return lines


INDEX = (
    "def initialize: (?store: DocStoreAdapter?, ?embedding: (Embedding | embedder)?, ?tokenizer: _TokenizerLike?, "
    "?synonyms: Synonyms?, ?term_weight: TermWeight?, ?fields: Hash[String | Symbol, Numeric::number]?, "
    "?title_weight: Numeric::number?, ?any_vectors: bool, ?max_question_length: Integer?, ?max_page_size: Integer, "
    "?kernels: String?, ?observer: observer?, "
)
RETRIEVER = (
    "def initialize: (DocStoreAdapter store, QueryBuilder query_builder, ?Embedding? embedding, "
    "?max_page_size: Integer, ?kernels: String?, ?observer: (observer | Observation)?, "
)
PAGES = ") ?{ (RetrievalResult) -> void } -> Enumerator[RetrievalResult, void]?"
TARGETS: Mapping[str, Mapping[str, Callable[[list[Option]], list[str]]]] = {
    "python_ref/hybrid_search/retriever/_request.py": {"options": _python, "request": _python_request},
    "ruby/lib/hybrid_search/retriever/request.rb": {"options": _ruby, "request": _ruby_request},
    "ruby/sig/hybrid_search/retriever/request.rbs": {"request": _rbs_request},
    "ruby/sig/hybrid_search/retriever/retriever.rbs": {
        "initialize": _rbs_method(RETRIEVER, ", **bot unknown) -> void"),
        "retrieve": _rbs_method("def retrieve: (?String question, ", ") -> RetrievalResult"),
        "each_page": _rbs_method("def each_page: (?String question, ", PAGES),
    },
    "ruby/sig/hybrid_search/index.rbs": {
        "initialize": _rbs_method(INDEX, ", **bot unknown) -> void"),
        "search": _rbs_method("def search: (?String question, ", ") -> RetrievalResult"),
        "each_page": _rbs_method("def each_page: (?String question, ", PAGES),
    },
    "README.md": {"options": _table(json.dumps, "docs/clauses.md")},
    "ruby/README.md": {"options": _table(_ruby_literal)},
}
"""File → mark → what makes the lines between the marks."""
