"""`hybrid-search query`."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hybrid_search import _validation as validation
from hybrid_search.cli import _command_line as command_lines
from hybrid_search.cli import _query_table as query_table
from hybrid_search.cli import _usage as usage
from hybrid_search.cli._command_line import CommandLine
from hybrid_search.cli._console import Console
from hybrid_search.cli._index_file import IndexFile
from hybrid_search.cli._query_stream import QueryStream
from hybrid_search.cli._report import JSON, form
from hybrid_search.cli._usage import UsageError

CONDITION = re.compile(r"([^!=<>][^=<>]*?)(>=|<=|!=|=|>|<)(.*)", re.DOTALL)
"""NAME, one of the operators, VALUE."""
BOUNDS = {">": "gt", ">=": "gte", "<": "lt", "<=": "lte"}


def run(line: CommandLine, console: Console) -> int:
    """Answer a question."""
    options = line.options
    filters = _filters(line)
    if filters is not None:
        options["filters"] = filters
    question = line.arguments[0] if line.arguments else ""
    if not line.arguments and "match_all" not in options:
        raise UsageError("TEXT is missing: what is looked for? --match-all shows all documents")
    if "stream" in line.flags and "format" in line.flags:
        raise UsageError("--stream and --format exclude each other")
    most = validation.integer("--max-results", line.flags["max-results"], 1)
    with IndexFile(line.flags["index"]) as file:
        index = file.index(max_results=most)
        if "stream" in line.flags:
            QueryStream(index, console, most).write(question, options)
        elif form(line.flags.get("format"), console) == JSON:
            page = index.query(question, **options)
            console.write_json(page.to_dict())
            query_table.warn(page, console)
        else:
            query_table.show(index.query(question, **options), console)
    return 0


def _filters(line: CommandLine) -> Any:
    """The filters of `--filters` and of all `--filter`."""
    plain = _plain_filters(line.flags.get("filter", ()))
    given = line.flags.get("filters")
    if not plain or given is None:
        return given if given is not None else plain or None
    if isinstance(given, Mapping) and not given.keys() & plain.keys():
        return {**given, **plain}
    return {"all": [given, plain]}


def _plain_filters(pairs: Sequence[str]) -> dict[str, Any]:
    """What all `--filter` ask for together: the values of a name that is given twice are alternatives."""
    equal: dict[str, list[Any]] = {}
    unequal: dict[str, list[Any]] = {}
    bounds: dict[str, dict[str, Any]] = {}
    for pair in pairs:
        found = CONDITION.fullmatch(pair)
        if found is None:
            raise UsageError(f"--filter must be NAME=VALUE, not {validation.describe(pair)}")
        name, operator, value = found.group(1), found.group(2), command_lines.scalar(found.group(3))
        if operator in BOUNDS:
            sides = bounds.setdefault(name, {})
            if BOUNDS[operator] in sides:
                raise UsageError(f"--filter {usage.shown(name + operator)} is given twice")
            sides[BOUNDS[operator]] = value
        else:
            (equal if operator == "=" else unequal).setdefault(name, []).append(value)
    plain = {name: _one_or_all(values) for name, values in equal.items()}
    for name, sides in bounds.items():
        plain[name] = {"in": equal[name], **sides} if name in equal else sides
    if unequal:
        plain["not"] = {"any": [{name: _one_or_all(values)} for name, values in unequal.items()]}
    return plain


def _one_or_all(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else values
