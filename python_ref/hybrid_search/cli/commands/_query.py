"""`hybrid-search query`."""

from collections.abc import Mapping
from typing import Any

from hybrid_search import _validation as validation
from hybrid_search.cli import _command_line as command_lines
from hybrid_search.cli._command_line import CommandLine
from hybrid_search.cli._console import Console
from hybrid_search.cli._index_file import IndexFile
from hybrid_search.cli._query_stream import QueryStream
from hybrid_search.cli._query_table import show
from hybrid_search.cli._report import JSON, form
from hybrid_search.cli._usage import UsageError


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
            console.write_json(index.query(question, **options).to_dict())
        else:
            show(index.query(question, **options), console)
    return 0


def _filters(line: CommandLine) -> Any:
    """The filters of `--filters` and of all `--filter`."""
    plain: dict[str, Any] = {}
    for pair in line.flags.get("filter", ()):
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise UsageError(f"--filter must be NAME=VALUE, not {validation.describe(pair)}")
        scalar = command_lines.scalar(value)
        if name in plain:
            plain[name] = [*(plain[name] if isinstance(plain[name], list) else [plain[name]]), scalar]
        else:
            plain[name] = scalar
    given = line.flags.get("filters")
    if not plain or given is None:
        return given if given is not None else plain or None
    if isinstance(given, Mapping) and not given.keys() & plain.keys():
        return {**given, **plain}
    return {"all": [given, plain]}
