"""The prose of a file, line by line: what the linter reads of Markdown, YAML, Python, Ruby and scripts."""

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

import yaml

Line = tuple[int, str]
"""The number of a line, from 1, and its prose."""

FENCE = re.compile(r"^ *(?:```|~~~)")
CODE = re.compile(r"``[^`]*``|`[^`]*`")
LINK = re.compile(r"\]\([^)\s]*\)|<[^>\s][^>]*>|https?://\S+")
SAMPLE = re.compile(r"(?: {4,}|\t)\S")
PROMPT = re.compile(r" *(?:>>>|\.\.\.) ")


MARK = re.compile(r"<!-- ([a-z-]+):(begin|end)\b")


def markdown(text: str, generated: Sequence[str] = ()) -> Iterator[Line]:
    """Yield the lines of a page outside blocks of code and generated blocks, without code and targets of links."""
    code = made = False
    for number, line in enumerate(text.splitlines(), 1):
        mark = MARK.match(line)
        if mark and any(re.fullmatch(name, mark[1]) for name in generated):
            made = mark[2] == "begin"
        if FENCE.match(line):
            code = not code
        elif not code and not made:
            yield number, plain(line)


def plain(line: str) -> str:
    """Return the line without code in backticks and without the targets of links."""
    return LINK.sub("]", CODE.sub("`…`", line))


def in_yaml(text: str) -> Iterator[Line]:
    """Yield the texts of a file that are values of at least three words."""
    for event in yaml.parse(text, yaml.SafeLoader):
        mark = event.start_mark
        if isinstance(event, yaml.ScalarEvent) and mark is not None and event.value.count(" ") >= 2:
            yield mark.line + 1, plain(" ".join(event.value.split()))


def python(text: str) -> Iterator[Line]:
    """Yield the lines of docstrings, including those of attributes, without samples of code."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            for offset, line in enumerate(node.value.value.splitlines()):
                if not PROMPT.match(line):
                    yield node.lineno + offset, plain(line)


def ruby(text: str) -> Iterator[Line]:
    """Yield the lines of comments, without samples of code."""
    for number, line in enumerate(text.splitlines(), 1):
        comment = re.match(r"\s*#(?!!) ?(.*)", line)
        if comment and not SAMPLE.match(comment[1]):
            yield number, plain(comment[1])


def script(text: str) -> Iterator[Line]:
    """Yield the lines of comments at the beginning of a script, which its `--help` prints."""
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("#"):
            return
        yield number, plain(line.lstrip("#! "))


KINDS: Mapping[str, Callable[[str], Iterator[Line]]] = {
    "markdown": markdown,
    "yaml": in_yaml,
    "python": python,
    "ruby": ruby,
    "script": script,
}
"""Kind of text → the function that reads it."""
