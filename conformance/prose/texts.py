"""The prose of a file, line by line: what the linter reads of Markdown, YAML, Python, Ruby and scripts."""

import ast
import re
from collections.abc import Callable, Iterator, Mapping

import yaml

Line = tuple[int, str]
"""The number of a line, from 1, and its prose."""

FENCE = re.compile(r"^ *(?:```|~~~)")
CODE = re.compile(r"``[^`]*``|`[^`]*`")
LINK = re.compile(r"\]\([^)\s]*\)|<[^>\s][^>]*>|https?://\S+")
SAMPLE = re.compile(r"(?: {4,}|\t)\S")
PROMPT = re.compile(r" *(?:>>>|\.\.\.) ")


def markdown(text: str) -> Iterator[Line]:
    """The lines of a page outside its blocks of code; code and targets of links within them are blank."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if FENCE.match(line):
            inside = not inside
        elif not inside:
            yield number, plain(line)


def plain(line: str) -> str:
    """The line without code in backticks and without the targets of links."""
    return LINK.sub("]", CODE.sub("`…`", line))


def in_yaml(text: str) -> Iterator[Line]:
    """The texts of a file that are values of at least three words."""
    for event in yaml.parse(text, yaml.SafeLoader):
        if isinstance(event, yaml.ScalarEvent) and event.value.count(" ") >= 2:
            yield event.start_mark.line + 1, plain(" ".join(event.value.split()))


def python(text: str) -> Iterator[Line]:
    """The lines of docstrings, those of attributes among them, without samples of code."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            for offset, line in enumerate(node.value.value.splitlines()):
                if not PROMPT.match(line):
                    yield node.lineno + offset, plain(line)


def ruby(text: str) -> Iterator[Line]:
    """The lines of comments, without samples of code."""
    for number, line in enumerate(text.splitlines(), 1):
        comment = re.match(r"\s*#(?!!) ?(.*)", line)
        if comment and not SAMPLE.match(comment[1]):
            yield number, plain(comment[1])


def script(text: str) -> Iterator[Line]:
    """The lines of comments at the beginning of a script, which its `--help` prints."""
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
