"""The options of a retrieval and of a search, in Python."""

import json
from collections.abc import Sequence
from typing import Any

from conformance.generators.stated_options import WIDTH, Lines, Option, fusion_methods, of_method, profiles, wrapped

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
)


def python_retrieve(options: list[Option]) -> list[str]:
    """The table of the defaults of `Retriever.retrieve`, and its keyword options as a type."""
    taken = of_method(options, "retrieve")
    shown = ["DEFAULTS: dict[str, Any] = {"]
    shown += [f'    "{option.name}": {python_literal(option.default)},' for option in taken]
    shown += ["}", '"""Every option of `Retriever.retrieve` with its default."""', "", ""]
    shown += ["class RetrievalOptions(TypedDict, total=False):"]
    shown += ['    """The keyword options of `Retriever.retrieve`.', "", "    Attributes:"]
    for option in taken:
        shown += wrapped(f"{option.name}: {option.cited('retrieve')}.", " " * 8, " " * 12, WIDTH)
    return [*shown, '    """', "", *(line for option in taken for line in _field(option)), "", ""]


def python_search_options(options: list[Option]) -> list[str]:
    """The table of the defaults of `Index.search`, and the options of an index and of its searches as types."""
    taken = of_method(options, "search")
    shown = ["SEARCH_DEFAULTS: Mapping[str, Any] = MappingProxyType(", "    {"]
    shown += [f'        "{option.name}": {python_literal(_frozen(option.index))},' for option in taken]
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


def python_search(head: Sequence[str], ending: Sequence[str], returned: str, prefix: str = "") -> Lines:
    """A method with each option of a search as a keyword parameter."""

    def lines(options: list[Option]) -> list[str]:
        taken = of_method(options, "search")
        shown = ["@validation.checked", f"{prefix}def search(", "    self,", '    question: str = "",', "    *,"]
        shown += [f"    {option.name}: {_with_not_given(option.python_type)} = NOT_GIVEN," for option in taken]
        shown += [f") -> {returned}:"]
        shown += [f"    {line}" if line else "" for line in head]
        for option in taken:
            says = f"{option.name}: {option.search_meaning}; default `{python_literal(_frozen(option.index))}`."
            shown += wrapped(says, " " * 8, " " * 12, WIDTH - 4)
        shown += ["", *(f"    {line}" if line else "" for line in ending[:-1])]
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


def python_request(options: list[Option]) -> list[str]:
    """Return the parts of a checked retrieval."""
    return [f"{option.name}: {option.checked[0]}" for option in of_method(options, "retrieve") if option.checked]


def python_choices(options: list[Option]) -> list[str]:
    """Return the choices of options, and the profiles."""
    told = ["CHOICES: Mapping[str, tuple[str, ...]] = MappingProxyType(", "    {"]
    for option in options:
        if option.choices:
            told.append(f'        "{option.name}": ({", ".join(map(json.dumps, option.choices))}),')
    told += ["    }", ")", '"""The values of the options that have a few."""', ""]
    told += ["PROFILES: Mapping[str, Mapping[str, Any]] = MappingProxyType(", "    {"]
    for name, sets in profiles(options).items():
        told += [f'        "{name}": {{']
        told += [f'            "{option}": {python_literal(value)},' for option, value in sets.items()]
        told += ["        },"]
    return [*told, "    }", ")", '"""Profile → the options that it sets (RET-10)."""']


def python_method_imports(options: list[Option]) -> list[str]:
    """Return the imports of the registry of fusion methods, in their order."""
    names = {method: f"METHOD as {method.upper()}" for method in fusion_methods(options)}
    names["fusion_method"] = "FusionMethod"
    return [*(f"from hybrid_search.fusion.{file} import {name}" for file, name in sorted(names.items())), ""]


def python_methods(options: list[Option]) -> list[str]:
    """Return the rows of the registry of fusion methods."""
    return [f'"{method}": {method.upper()},' for method in fusion_methods(options)]


def python_literal(value: Any) -> str:
    """Return a value as Python writes it."""
    return json.dumps(value) if isinstance(value, str) else repr(value)
