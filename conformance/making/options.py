"""Writes the options of `options.yml` to every place that lists them (RET-1, CUR-1, FUS-1).

Each target holds a block between the marks `options:begin` and `options:end`, in comments of its own kind; what is
between them is made here, and a test compares it.
"""

import json
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
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
        index: what counts in an `Index` then.
        says: what it means to a `Retriever`.
        given: its type where it is given, in Python and in RBS.
        checked: its type in a checked request; none: it has no part of its own there.
        method: the one method that takes it, "retrieve" or "search"; none: both do.
        once: whether the constructor does not take it.
        choices: its only values, each with its meaning, which may be empty; empty: any value of its type.
        sets: of a choice the options that it sets.
        search_says: what it means to an `Index`.
        search_choices: its choices with what they mean to an `Index`.
    """

    name: str
    default: Any
    index: Any
    says: str
    given: tuple[str, str]
    checked: tuple[str, str] | None
    method: str | None = None
    once: bool = False
    choices: Mapping[str, str] = field(default_factory=dict)
    sets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    search_says: str = ""
    search_choices: Mapping[str, str] = field(default_factory=dict)

    @property
    def meaning(self) -> str:
        """Return what it means to a `Retriever`, with its choices, for pages that do not cite clauses."""
        return _with_choices(self.says, self.choices)

    @property
    def search_meaning(self) -> str:
        """Return what it means to an `Index`, likewise."""
        return _with_choices(self.search_says or self.says, self.search_choices or self.choices)

    def of(self, method: str) -> str:
        """Return what it means to a method, with its choices."""
        return self.search_meaning if method == "search" else self.meaning

    def cited(self, method: str) -> str:
        """Return what it means to a method, with its choices and its clause."""
        return f"{self.of(method)} ({self.clause})"

    def default_of(self, method: str) -> Any:
        """Return its value where a method is not given it."""
        return self.index if method == "search" else self.default

    @property
    def python_type(self) -> str:
        """Its type where it is given in Python: of choices, these alone."""
        return f"Literal[{', '.join(map(json.dumps, self.choices))}]" if self.choices else self.given[0]

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


def _with_choices(says: str, choices: Mapping[str, str]) -> str:
    says = CITATION.sub("", says)
    return f"{says}: {_listed(choices)}" if choices else says


def _listed(choices: Mapping[str, str]) -> str:
    """The choices in quotes with their meanings in brackets."""
    shown = [f'"{name}" ({says})' if says else f'"{name}"' for name, says in choices.items()]
    return f"{', '.join(shown[:-1])} or {shown[-1]}"


Lines = Callable[[list[Option]], list[str]]
"""Makes the lines between two marks."""


def load(path: Path = SOURCE) -> list[Option]:
    """The options, in the order in which they are told."""
    return [_option(name, entry) for name, entry in yaml_files.load(path).items()]


def files(options: list[Option]) -> Iterator[tuple[Path, bytes]]:
    """Every file that tells the options, with the content it should have."""
    for path, blocks in TARGETS.items():
        text = (ROOT / path).read_text(encoding="utf-8")
        for mark, block in blocks.items():
            text = placed(path, text, mark, block(options))
        yield ROOT / path, text.encode("utf-8")


def _option(name: str, entry: Mapping[str, Any]) -> Option:
    given = (entry["given"][0], entry["given"][1])
    listed = entry.get("checked", given)
    checked = None if listed is None else (listed[0], listed[1])
    default = entry["default"]
    of_index = entry.get("index", default)
    choices = entry.get("choices", {})
    return Option(
        entry.get("name", name),
        default,
        of_index,
        entry["says"],
        given,
        checked,
        entry.get("of"),
        entry.get("once", False),
        {choice: stated.get("says", "") for choice, stated in choices.items()},
        {choice: stated["sets"] for choice, stated in choices.items() if "sets" in stated},
        entry.get("search_says", ""),
        {choice: stated.get("search_says", stated.get("says", "")) for choice, stated in choices.items()},
    )


def of_method(options: list[Option], method: str) -> list[Option]:
    """Those that a method takes."""
    return [option for option in options if option.method in (None, method)]


def placed(path: str, text: str, mark: str, block: list[str]) -> str:
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


def _python_retrieve(options: list[Option]) -> list[str]:
    """The table of the defaults of `Retriever.retrieve`, and its keyword options as a type."""
    taken = of_method(options, "retrieve")
    shown = ["DEFAULTS: dict[str, Any] = {"]
    shown += [f'    "{option.name}": {_python_literal(option.default)},' for option in taken]
    shown += ["}", '"""Every option of `Retriever.retrieve` with its default."""', "", ""]
    shown += ["class RetrievalOptions(TypedDict, total=False):"]
    shown += ['    """The keyword options of `Retriever.retrieve`.', "", "    Attributes:"]
    for option in taken:
        shown += _wrapped(f"{option.name}: {option.cited('retrieve')}.", " " * 8, " " * 12, WIDTH)
    return [*shown, '    """', "", *(line for option in taken for line in _field(option)), "", ""]


def _python_search_options(options: list[Option]) -> list[str]:
    """The table of the defaults of `Index.search`, and the options of an index and of its searches as types."""
    taken = of_method(options, "search")
    shown = ["SEARCH_DEFAULTS: Mapping[str, Any] = MappingProxyType(", "    {"]
    shown += [f'        "{option.name}": {_python_literal(_frozen(option.index))},' for option in taken]
    shown += ["    }", ")", '"""Every option of `Index.search` with its default."""', ""]
    once = [option.name for option in taken if option.once]
    shown += [
        f"ONCE = ({', '.join(map(json.dumps, once))})",
        '"""Those that an `Index` does not take as defaults."""',
        "",
        "",
    ]
    shown += _typed("IndexOptions", "The defaults of the searches of an `Index`: see `Index.search`.",
                    [option for option in taken if not option.once])  # fmt: skip
    shown += ["class SearchOptions(IndexOptions, total=False):", '    """The keyword options of `Index.search`."""', ""]
    return [*shown, *(line for option in taken if option.once for line in _field(option)), "", ""]


def _python_search(head: Sequence[str], ending: Sequence[str], returned: str, prefix: str = "") -> Lines:
    """A method with each option of a search as a keyword parameter."""

    def lines(options: list[Option]) -> list[str]:
        taken = of_method(options, "search")
        shown = [f"{prefix}def search(", "    self,", '    question: str = "",', "    *,"]
        shown += [f"    {option.name}: {_with_not_given(option.python_type)} = NOT_GIVEN," for option in taken]
        shown += ["    **unknown: Unpack[validation.NoOptions],", f") -> {returned}:"]
        shown += [f"    {line}" if line else "" for line in head]
        for option in taken:
            says = f"{option.name}: {option.search_meaning}; default `{_python_literal(_frozen(option.index))}`."
            shown += _wrapped(says, " " * 8, " " * 12, WIDTH - 4)
        shown += ["        unknown: refused, with the nearest name.", ""]
        shown += [f"    {line}" if line else "" for line in ending[:-1]]
        shown += ["    options = {"]
        shown += [f'        "{option.name}": {option.name},' for option in taken]
        return [*shown, "    }", f"    {ending[-1]}", ""]

    return lines


def _with_not_given(kind: str) -> str:
    return f"{kind.removesuffix(' | None')} | NotGiven | None" if kind.endswith(" | None") else f"{kind} | NotGiven"


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _typed(name: str, says: str, options: list[Option]) -> list[str]:
    fields = [line for option in options for line in _field(option)]
    return [f"class {name}(TypedDict, total=False):", f'    """{says}"""', "", *fields, "", ""]


def _field(option: Option) -> list[str]:
    row = f"    {option.name}: {option.python_type}"
    if len(row) <= WIDTH:
        return [row]
    return [f"    {option.name}: Literal[", *(f"        {json.dumps(choice)}," for choice in option.choices), "    ]"]


def _python_request(options: list[Option]) -> list[str]:
    return [f"{option.name}: {option.checked[0]}" for option in of_method(options, "retrieve") if option.checked]


def _python_literal(value: Any) -> str:
    return json.dumps(value) if isinstance(value, str) else repr(value)


def _python_choices(options: list[Option]) -> list[str]:
    told = ["CHOICES: Mapping[str, tuple[str, ...]] = MappingProxyType(", "    {"]
    for option in options:
        if option.choices:
            told.append(f'        "{option.name}": ({", ".join(map(json.dumps, option.choices))}),')
    told += ["    }", ")", '"""The values of the options that have a few."""', ""]
    told += ["PROFILES: Mapping[str, Mapping[str, Any]] = MappingProxyType(", "    {"]
    for name, sets in _profiles(options).items():
        told += [f'        "{name}": {{']
        told += [f'            "{option}": {_python_literal(value)},' for option, value in sets.items()]
        told += ["        },"]
    return [*told, "    }", ")", '"""Profile → the options that it sets (RET-10)."""']


def _ruby_choices(options: list[Option]) -> list[str]:
    rows = [f'  "{option.name}" => %w[{" ".join(option.choices)}].freeze' for option in options if option.choices]
    told = ["# The values of the options that have a few.", "CHOICES = {", *(f"{row}," for row in rows[:-1]), rows[-1]]
    told += ["}.freeze", "", "# Profile → the options that it sets (RET-10).", "PROFILES = {"]
    for name, sets in _profiles(options).items():
        told += [f'  "{name}" => {{']
        entries = [f'    "{option}" => {_ruby_literal(value)}' for option, value in sets.items()]
        told += [*(f"{entry}," for entry in entries[:-1]), entries[-1], "  }.freeze,"]
    return [*told[:-1], "  }.freeze", "}.freeze"]


def _profiles(options: list[Option]) -> Mapping[str, Mapping[str, Any]]:
    return next((option.sets for option in options if option.sets), {})


def _ruby(method: str, doing: str, name: str) -> Lines:
    def lines(options: list[Option]) -> list[str]:
        taken = of_method(options, method)
        shown = ["", f"# The keyword options of {doing}:"]
        for option in taken:
            shown += _wrapped(f"- `{option.name}`: {option.cited(method)}.", "# ", "#   ", WIDTH - 4)
        shown += [f"module {name}", f"  # Every option of {doing} with its default.", "  DEFAULTS = {"]
        rows = [f'    "{option.name}" => {_ruby_literal(option.default_of(method))}' for option in taken]
        shown += [f"{row}," for row in rows[:-1]] + [rows[-1], "  }.freeze"]
        if method == "search":
            once = " ".join(option.name for option in taken if option.once)
            shown += ["", "  # Those that an {Index} does not take as defaults.", f"  ONCE = %w[{once}].freeze"]
        return [*shown, "end"]

    return lines


def _ruby_request(options: list[Option]) -> list[str]:
    lines = []
    for option in of_method(options, "retrieve"):
        if option.checked:
            lines += [f"# @return [{_yard(option.checked[1])}]", f"attr_reader :{option.name}"]
    return [*lines, ""]


def _ruby_search(options: list[Option]) -> list[str]:
    """`Index#search`, with each option as a keyword parameter."""
    taken = of_method(options, "search")
    shown = ["", *(f"# {line}".rstrip() for line in RUBY_SEARCH_HEAD)]
    for option in taken:
        says = f"@param {option.name} [{_yard(option.given[1])}] {option.search_meaning}; default"
        shown += _wrapped(f"{says} `{_ruby_literal(option.index)}`", "# ", "#   ", WIDTH - 4)
    shown += [f"# {line}" for line in RUBY_SEARCH_ENDING]
    keywords = ", ".join(f"{option.name}:~NOT_GIVEN" for option in taken)
    head = _wrapped(f'def search(question~=~"", {keywords}, **unknown)', "", " " * len("def search("), WIDTH - 4)
    shown += [line.replace("~", " ") for line in head]
    shown += ['  Validation.known("option", unknown.keys, Searching::SearchOptions::DEFAULTS.keys)', "  options = {"]
    shown += _wrapped(", ".join([*(f"{option.name}:" for option in taken), "**unknown"]), " " * 4, " " * 4, WIDTH - 4)
    return [*shown, "  }", "  @searcher.page(question, Embeddings::Source.given(options))", "end", ""]


YARD_TYPES = {
    "bool": "Boolean",
    "rerank_source": "#similarity, #call",
    "filters": "Hash{String=>Object}",
    "order_by": "Array<Array(String, String)>",
    "vector": "Array<Float>",
    "Numeric::number": "Float",
    "Array[[String, String]]": "Array<Array(String, String)>",
    "Array[String | Symbol]": "Array<String>",
    "Array[String | Symbol] | String | Symbol": "Array<String>, String",
    "Hash[String, String]": "Hash{String=>String}",
    "Hash[String, Float]": "Hash{String=>Float}",
    "Hash[String | Symbol, Numeric::number]": "Hash{String=>Float}",
}


def _yard(kind: str) -> str:
    """An RBS type in YARD's words."""
    plain = kind.removesuffix("?")
    shown = YARD_TYPES.get(plain, plain.replace(" | ", ", "))
    return f"{shown}, nil" if kind.endswith("?") else shown


def _ruby_literal(value: Any) -> str:
    return "nil" if value is None else json.dumps(value)


def _rbs_request(options: list[Option]) -> list[str]:
    taken = of_method(options, "retrieve")
    return [f"attr_reader {option.name}: {option.checked[1]}" for option in taken if option.checked]


def _rbs_method(method: str, head: str, tail: str) -> Lines:
    def lines(options: list[Option]) -> list[str]:
        keywords = ", ".join(f"?{option.name}: {option.given[1]}" for option in of_method(options, method))
        return _wrapped(f"{head}(?String question, {keywords}){tail}", "", " " * 8, WIDTH - 4)

    return lines


def _rbs_constructor(method: str, head: str) -> Lines:
    """Defaults of every option of a method that may be given once for all calls."""

    def lines(options: list[Option]) -> list[str]:
        taken = [option for option in of_method(options, method) if not option.once]
        keywords = ", ".join(f"?{option.name}: {option.given[1]}" for option in taken)
        return _wrapped(f"{head}{keywords}, **bot unknown) -> void", "", " " * 8, WIDTH - 4)

    return lines


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


PAGES = " ?{ (RetrievalResult) -> void } -> Enumerator[RetrievalResult, void]?"
HITS = " ?{ (Hit) -> void } -> Enumerator[Hit, void]?"
INDEX = (
    "def initialize: (?store: DocStoreAdapter?, ?path: path?, ?embedding: (Embedding | embedder)?, "
    "?tokenizer: tokenizer?, ?synonyms: synonyms?, ?term_weight: TermWeight?, "
    "?fields: Hash[String | Symbol, Numeric::number]?, "
    "?title_weight: Numeric::number?, ?any_vectors: bool, ?max_question_length: Integer?, "
    "?max_results: Integer, ?cursor_secret: String?, ?ranking_cache: RankingCache?, "
    "?kernels: String?, ?observer: observer?, "
)
RETRIEVER = (
    "def initialize: (DocStoreAdapter store, QueryBuilder query_builder, ?Embedding? embedding, "
    "?max_page_size: Integer, ?kernels: String?, ?any_vectors: bool, ?observer: (observer | Observation)?, "
)
SEARCH_HEAD = (
    '"""Return one page of hits: by number, or after the page whose `next_cursor` is given (CUR-1 … CUR-4).',
    "",
    "All candidates are in one order; both ways lead through it. Options that are not given are those of the index.",
    "",
    "Args:",
    "    question: any text; a blank one finds nothing, unless there is a `vector` or `match_all`.",
)
SEARCH_ENDING = (
    "Raises:",
    "    InvalidInputError: an option is unknown or not accepted, or the question is too long.",
    "    InvalidCursorError: the cursor is malformed, of another version, forged, or of another request.",
    "    EmbeddingError: the embedding failed.",
    "    RerankError: the rerank model failed and `fail_open` is false.",
    '"""',
    'validation.known("option", unknown, OPTIONS_OF_SEARCH)',
)
RUBY_SEARCH_HEAD = (
    "One page of hits: by number, or after the page whose `next_cursor` is given (CUR-1 … CUR-4).",
    "",
    "All candidates are in one order; both ways lead through it. Options that are not given are those of the index.",
    "",
    "@param question [String] any text; a blank one finds nothing, unless there is a `vector` or `match_all`",
)
RUBY_SEARCH_ENDING = (
    "@param unknown [Hash] refused, with the nearest name",
    "@return [Page]",
    "@raise [InvalidInputError] an option is unknown or not accepted, or the question is too long",
    "@raise [InvalidCursorError] the cursor is malformed, of another version, forged, or of another request",
    "@raise [EmbeddingError] the embedding failed",
    "@raise [RerankError] the rerank model failed and `fail_open` is false",
)
TARGETS: Mapping[str, Mapping[str, Lines]] = {
    "python_ref/hybrid_search/retriever/_request.py": {
        "options": _python_retrieve,
        "request": _python_request,
    },
    "python_ref/hybrid_search/search/_search_options.py": {"options": _python_search_options},
    "python_ref/hybrid_search/index.py": {
        "search": _python_search(
            SEARCH_HEAD, (*SEARCH_ENDING, "return self._searcher.page(question, given(options))"), "Page"
        ),
    },
    "python_ref/hybrid_search/async_index.py": {
        "search": _python_search(
            SEARCH_HEAD,
            (
                *SEARCH_ENDING,
                "return await self._workers.run(partial(self._index.search, question, **_awaited(options)))",
            ),
            "Page",
            "async ",
        ),
    },
    "ruby/lib/hybrid_search/retriever/request.rb": {
        "options": _ruby("retrieve", "{Retriever#retrieve}", "RetrievalOptions"),
        "request": _ruby_request,
    },
    "ruby/lib/hybrid_search/index.rb": {"search": _ruby_search},
    "ruby/lib/hybrid_search/search/search_options.rb": {
        "options": _ruby("search", "{Index#search}", "SearchOptions"),
    },
    "python_ref/hybrid_search/retriever/_profiles.py": {"choices": _python_choices},
    "ruby/lib/hybrid_search/retriever/profiles.rb": {"choices": _ruby_choices},
    "ruby/sig/hybrid_search/retriever/request.rbs": {"request": _rbs_request},
    "ruby/sig/hybrid_search/retriever/retriever.rbs": {
        "initialize": _rbs_constructor("retrieve", RETRIEVER),
        "retrieve": _rbs_method("retrieve", "def retrieve: ", " -> RetrievalResult"),
        "each_page": _rbs_method("retrieve", "def each_page: ", PAGES),
    },
    "ruby/sig/hybrid_search/index.rbs": {
        "initialize": _rbs_constructor("search", INDEX),
        "search": _rbs_method("search", "def search: ", " -> Page"),
        "each": _rbs_method("search", "def each: ", HITS),
    },
    "docs/options.md": {
        "options": _table(json.dumps, "search", "clauses.md"),
        "retrieval": _table(json.dumps, "retrieve", "clauses.md"),
    },
}
"""File → mark → what makes the lines between the marks."""
