"""`hybrid-search cite`."""

from typing import Any

from hybrid_search.base import validation
from hybrid_search.cli.command_line import CommandLine
from hybrid_search.cli.console import Console
from hybrid_search.cli.index_file import IndexFile
from hybrid_search.cli.record_lines import STANDARD_INPUT, InputError
from hybrid_search.cli.usage import UsageError, shown
from hybrid_search.errors import InvalidInputError
from hybrid_search.index import Index
from hybrid_search.readers import file_bytes
from hybrid_search.search.citation_sources import MOST

JSON = "json"
OPTIONS = ("mark", "vector_similarity_weight")


def run(line: CommandLine, console: Console) -> int:
    """Mark the sources of an answer."""
    given = [name for name in ("hits", "question") if name in line.flags]
    if len(given) != 1:
        raise UsageError("--hits or --question is missing" if not given else "--hits and --question exclude each other")
    limit = validation.integer("--limit", line.flags["limit"], 1, MOST)
    answer = _answer(line.arguments[0] if line.arguments else STANDARD_INPUT, console)
    names = {name: name.replace("_", "-") for name in OPTIONS}
    options: Any = {name: line.flags[flag] for name, flag in names.items() if flag in line.flags}
    with IndexFile(line.flags["index"]) as file:
        index = file.index()
        cited = index.cite(answer, _hits(index, line, limit), **options)
    if line.flags.get("format") == JSON:
        console.write_json(cited.to_dict())
    else:
        console.write(cited.text if cited.text.endswith("\n") else f"{cited.text}\n")
    return 0


def _hits(index: Index, line: CommandLine, limit: int) -> Any:
    if "hits" in line.flags:
        return line.flags["hits"]
    return index.search(line.flags["question"], limit=limit)


def _answer(path: str, console: Console) -> str:
    """Return the text of a file, or of standard input."""
    try:
        if path != STANDARD_INPUT:
            return file_bytes.read_text(path)
        data = console.stdin.read(file_bytes.LARGEST_FILE + 1)
        if len(data) > file_bytes.LARGEST_FILE:
            raise InvalidInputError(f"has more than {file_bytes.LARGEST_FILE} bytes")
        return file_bytes.text_of(data.removeprefix(file_bytes.MARK))
    except InvalidInputError as problem:
        raise InputError(f"{shown(path)} {problem}") from None
