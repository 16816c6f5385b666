"""The options of a retrieval and of a search, in Ruby and in RBS."""

import json
from typing import Any

from conformance.generators.stated_options import WIDTH, Lines, Option, fusion_methods, of_method, profiles, wrapped

PAGES = " ?{ (RetrievalResult) -> void } -> Enumerator[RetrievalResult, void]?"
HITS = " ?{ (Hit) -> void } -> Enumerator[Hit, void]?"
INDEX = (
    "def initialize: (?store: DocStoreAdapter?, ?path: path?, ?embedding: (Embedding | embedder)?, "
    "?tokenizer: tokenizer?, ?synonyms: synonyms?, ?term_weight: TermWeight?, "
    "?fields: Hash[String | Symbol, Base::Numeric::number]?, "
    "?title_weight: Base::Numeric::number?, ?any_vectors: bool, ?max_question_length: Integer?, "
    "?max_results: Integer, ?cursor_secret: String?, ?ranking_cache: RankingCache?, "
    "?kernels: String?, ?observer: observer?, "
)
RETRIEVER = (
    "def initialize: (DocStoreAdapter store, QueryBuilder query_builder, ?Embedding? embedding, "
    "?max_page_size: Integer, ?kernels: String?, ?any_vectors: bool, ?observer: (observer | Base::Observation)?, "
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


def ruby_choices(options: list[Option]) -> list[str]:
    """Return the choices of options, and the profiles."""
    rows = [f'  "{option.name}" => %w[{" ".join(option.choices)}].freeze' for option in options if option.choices]
    told = ["# The values of the options that have a few.", "CHOICES = {", *(f"{row}," for row in rows[:-1]), rows[-1]]
    told += ["}.freeze", "", "# Profile → the options that it sets (RET-10).", "PROFILES = {"]
    for name, sets in profiles(options).items():
        told += [f'  "{name}" => {{']
        entries = [f'    "{option}" => {_ruby_literal(value)}' for option, value in sets.items()]
        told += [*(f"{entry}," for entry in entries[:-1]), entries[-1], "  }.freeze,"]
    return [*told[:-1], "  }.freeze", "}.freeze"]


def ruby_methods(options: list[Option]) -> list[str]:
    """Return the rows of the registry of fusion methods."""
    rows = [f'"{method}" => {_constant(method)}::METHOD,' for method in fusion_methods(options)]
    return [*rows[:-1], rows[-1].removesuffix(",")]


def ruby_method_autoloads(options: list[Option]) -> list[str]:
    """Return the lines that load the fusion methods."""
    methods = sorted(fusion_methods(options))
    return [f'autoload :{_constant(method)}, "hybrid_search/fusion/{method}"' for method in methods]


def _constant(method: str) -> str:
    return method.title().replace("_", "")


def ruby(method: str, doing: str, name: str) -> Lines:
    """Make the table of the defaults of a method."""

    def lines(options: list[Option]) -> list[str]:
        taken = of_method(options, method)
        shown = ["", f"# The keyword options of {doing}:"]
        for option in taken:
            shown += wrapped(f"- `{option.name}`: {option.cited(method)}.", "# ", "#   ", WIDTH - 4)
        shown += [f"module {name}", f"  # Every option of {doing} with its default.", "  DEFAULTS = {"]
        rows = [f'    "{option.name}" => {_ruby_literal(option.default_of(method))}' for option in taken]
        shown += [f"{row}," for row in rows[:-1]] + [rows[-1], "  }.freeze"]
        if method == "search":
            once = " ".join(option.name for option in taken if option.once)
            shown += ["", "  # Those that an {Index} does not take as defaults.", f"  ONCE = %w[{once}].freeze"]
        return [*shown, "end"]

    return lines


def ruby_request(options: list[Option]) -> list[str]:
    """Return the parts of a checked retrieval."""
    lines = []
    for option in of_method(options, "retrieve"):
        if option.checked:
            lines += [f"# @return [{_yard(option.checked[1])}]", f"attr_reader :{option.name}"]
    return [*lines, ""]


def ruby_search(options: list[Option]) -> list[str]:
    """`Index#search`, with each option as a keyword parameter."""
    taken = of_method(options, "search")
    shown = ["", *(f"# {line}".rstrip() for line in RUBY_SEARCH_HEAD)]
    for option in taken:
        says = f"@param {option.name} [{_yard(option.given[1])}] {option.search_meaning}; default"
        shown += wrapped(f"{says} `{_ruby_literal(option.index)}`", "# ", "#   ", WIDTH - 6)
    shown += [f"# {line}" for line in RUBY_SEARCH_ENDING]
    keywords = ", ".join(f"{option.name}:~NOT_GIVEN" for option in taken)
    whole = f"def search(question~=~NOT_GIVEN, *more, {keywords}, **unknown)"
    head = wrapped(whole, "", " " * len("def search("), WIDTH - 6)
    shown += [line.replace("~", " ") for line in head]
    shown += ['  question = question_of("search", [question, *more], unknown)']
    shown += ["  options = {"]
    shown += wrapped(", ".join([*(f"{option.name}:" for option in taken), "**unknown"]), " " * 4, " " * 4, WIDTH - 6)
    return [
        *shown,
        "  }",
        "  @searcher.page(question, options.reject { |_, value| NOT_GIVEN.equal?(value) })",
        "end",
        "",
    ]


YARD_TYPES = {
    "bool": "Boolean",
    "rerank_source": "#similarity, #call",
    "rewrite": "#call",
    "filters": "Hash{String=>Object}",
    "order_by": "Array<Array(String, String)>",
    "vector": "Array<Float>",
    "Base::Numeric::number": "Float",
    "Array[[String, String]]": "Array<Array(String, String)>",
    "Array[String | Symbol]": "Array<String>",
    "Array[String | Symbol] | String | Symbol": "Array<String>, String",
    "Hash[String | Symbol, untyped]": "Hash{String=>Object}",
    "Hash[String, String]": "Hash{String=>String}",
    "Hash[String, Float]": "Hash{String=>Float}",
    "Hash[String | Symbol, Base::Numeric::number]": "Hash{String=>Float}",
}


def _yard(kind: str) -> str:
    """An RBS type in YARD's words."""
    plain = kind.removesuffix("?")
    shown = YARD_TYPES.get(plain, plain.replace(" | ", ", "))
    return f"{shown}, nil" if kind.endswith("?") else shown


def _ruby_literal(value: Any) -> str:
    return "nil" if value is None else json.dumps(value)


def rbs_request(options: list[Option]) -> list[str]:
    """Return the types of the parts of a checked retrieval."""
    taken = of_method(options, "retrieve")
    return [f"attr_reader {option.name}: {option.checked[1]}" for option in taken if option.checked]


def rbs_method(method: str, head: str, tail: str) -> Lines:
    """Make the signature of a method that takes the options."""

    def lines(options: list[Option]) -> list[str]:
        keywords = ", ".join(f"?{option.name}: {option.given[1]}" for option in of_method(options, method))
        return wrapped(f"{head}(?String question, {keywords}){tail}", "", " " * 8, WIDTH - 4)

    return lines


def rbs_constructor(method: str, head: str) -> Lines:
    """Defaults of every option of a method that may be given once for all calls."""

    def lines(options: list[Option]) -> list[str]:
        taken = [option for option in of_method(options, method) if not option.once]
        keywords = ", ".join(f"?{option.name}: {option.given[1]}" for option in taken)
        return wrapped(f"{head}{keywords}, **bot unknown) -> void", "", " " * 8, WIDTH - 4)

    return lines
