"""Lists every small change to Ruby sources that may be drawn, from their tokens (CNF-19)."""

import json
import re
import subprocess
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from conformance.mutants.changes import BOUNDARIES, SWAPS, Change, decimal, integers

LEXER = """
require "json"
require "ripper"
sources = JSON.parse($stdin.read)
puts JSON.generate(sources.transform_values { |source|
  Ripper.lex(source).map { |(line, column), kind, text| [kind.to_s.delete_prefix("on_"), line, column, text] }
})
"""
KEY = re.compile(r"\b(?:key|known|state|entry|identity)\b.*?= ?\[(?P<parts>[^()\[\]{}]+(?:, [^()\[\]{}]+)+)\]$")
CALL = re.compile(
    r"(?:@)?[a-z_]+(?:\.[a-z_]+)*!?\(.*\)$|@[a-z_]+(?:\[[^]]+\])? (?:[-+|*]|<<)?= .*[^({\[,|]$|\S+ << .*[^({\[,|]$"
)
GUARD = re.compile(r"(?:return|next|break|raise)\b.* (?:if|unless) .*[^,(]$")
DEF = re.compile(r"^ *def (?:self\.)?(?P<name>[A-Za-z0-9_]+[?!=]?|[^\w\s(]+)")
UNCHANGED = re.compile(r"\s*(?:class|module|import|require|require_relative|autoload|private|protected|attr_reader)\b")
LIMIT = re.compile(r"\s*[A-Z][A-Z0-9_]{2,} = ")
SILENT = {"inspect", "to_s", "pretty_print"}
"""Functions that no answer depends on."""
OPENING, CLOSING = (
    {"lparen", "lbracket", "lbrace", "tlambeg", "embexpr_beg"},
    {"rparen", "rbracket", "rbrace", "embexpr_end"},
)
ENDS = {"comma", "label", "semicolon", "nl", "ignored_nl", "comment"}
"""Tokens at which a condition ends."""
ARITHMETIC = {"+", "-", "*"}
END_WORDS = {"if", "unless", "while", "until", "elsif", "when", "return", "then", "do", "and", "or", "not"}
END_OPERATORS = {"&&", "||", "=", "+=", "||=", "?", ":", "=>", "->", "|"}


@dataclass(frozen=True)
class Token:
    """One token: its kind as Ripper calls it, its place in characters, its text."""

    kind: str
    at: int
    text: str

    @property
    def end(self) -> int:
        """The place after it."""
        return self.at + len(self.text)


def changes(sources: Mapping[str, str]) -> dict[str, list[Change]]:
    """Return every change of each source, in the order of their places.

    Args:
        sources: path → content.
    """
    words = ["ruby", "-e", LEXER]
    told = subprocess.run(words, input=json.dumps(sources), capture_output=True, text=True, check=True).stdout
    return {path: _changes(sources[path], tokens) for path, tokens in json.loads(told).items()}


def _changes(source: str, lexed: list[tuple[str, int, int, str]]) -> list[Change]:
    lines = source.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)

    def at(line: int, column: int) -> int:
        return starts[line - 1] + len(lines[line - 1].encode("utf-8")[:column].decode("utf-8"))

    tokens = [Token(kind, at(line, column), text) for kind, line, column, text in lexed]
    functions = [_function(lines, number) for number in range(len(lines))]
    found = set()
    for kind, does, start, end, new in (*_of_tokens(source, tokens, lines, starts), *_of_lines(lines, starts)):
        number = bisect_right(starts, start) - 1
        inside = functions[number]
        if source[start:end] != new and not UNCHANGED.match(lines[number]) and inside not in SILENT:
            found.add(Change(kind, does, inside, start, source[start:end], new))
    return sorted(found, key=lambda one: (one.at, one.old, one.new))


Found = Iterator[tuple[str, str, int, int, str]]
"""Kind, what it makes wrong, where it begins and ends, and the new text."""


def _of_tokens(source: str, tokens: list[Token], lines: list[str], starts: list[int]) -> Found:
    for place, token in enumerate(tokens):
        text = token.text
        line = lines[bisect_right(starts, token.at) - 1]
        if token.kind == "int":
            for new, kind in integers(text, LIMIT.match(line) is not None):
                yield kind, f"`{text}` is `{new}`", token.at, token.end, new
        elif token.kind == "float":
            yield "logic", f"`{text}` is `{decimal(text)}`", token.at, token.end, decimal(text)
        elif token.kind == "op" and text in BOUNDARIES:
            yield "boundary", f"`{text}` is `{BOUNDARIES[text]}`", token.at, token.end, BOUNDARIES[text]
        elif token.kind in ("op", "kw", "ident") and text in SWAPS and _is_word(tokens, place):
            yield "logic", f"`{text}` is `{SWAPS[text]}`", token.at, token.end, SWAPS[text]
        elif token.kind == "op" and text == "!":
            yield "logic", "no `!`", token.at, token.end, ""
        if token.kind == "op" and text in ("&&", "||"):
            yield from _halves(source, tokens, place)
        if token.kind == "lparen" and place and tokens[place - 1].kind in ("ident", "const"):
            yield from _swapped(source, tokens, place)


def _is_word(tokens: list[Token], place: int) -> bool:
    """Whether a word is no symbol and no name that is defined, and an operator of arithmetic stands between blanks."""
    if tokens[place].text in ARITHMETIC:
        return all(token.kind == "sp" for token in (*tokens[place - 1 : place], *tokens[place + 1 : place + 2]))
    before = [token for token in tokens[max(0, place - 2) : place] if token.kind != "sp"]
    return not before or (before[-1].kind != "symbeg" and before[-1].text != "def")


def _halves(source: str, tokens: list[Token], place: int) -> Found:
    """Drop either side of a condition."""
    left, right = _reach(tokens, place, -1), _reach(tokens, place, 1)
    if left is None or right is None:
        return
    start, end = tokens[left].at, tokens[right].end
    one, other = source[start : tokens[place].at].strip(), source[tokens[place].end : end].strip()
    yield "logic", f"without `{_short(one)}` in a condition", start, end, other
    yield "logic", f"without `{_short(other)}` in a condition", start, end, one


def _reach(tokens: list[Token], place: int, step: int) -> int | None:
    """The last token of one side of a condition."""
    opening, closing = (OPENING, CLOSING) if step > 0 else (CLOSING, OPENING)
    depth = 0
    last = None
    index = place + step
    while 0 <= index < len(tokens):
        token = tokens[index]
        if token.kind in opening:
            depth += 1
        elif token.kind in closing:
            depth -= 1
        if depth < 0 or (not depth and _ends(token)):
            break
        if token.kind not in ("sp", "ignored_nl", "nl"):
            last = index
        index += step
    return last


def _ends(token: Token) -> bool:
    return (
        token.kind in ENDS
        or (token.kind == "kw" and token.text in END_WORDS)
        or (token.kind == "op" and token.text in END_OPERATORS)
    )


def _swapped(source: str, tokens: list[Token], place: int) -> Found:
    """Swap the first two arguments of a call."""
    if place > 2 and tokens[place - 3].text == "def":
        return
    depth, edges = 0, [tokens[place].end]
    for token in tokens[place + 1 :]:
        if token.kind in OPENING or token.text in ("do", "->"):
            depth += 1
        elif depth and (token.kind in CLOSING or token.text == "end"):
            depth -= 1
        elif not depth and (token.kind == "comma" or token.kind in CLOSING):
            edges.append(token.at)
            if token.kind in CLOSING or len(edges) == 3:
                break
            edges[-1:] = [token.at]
    if len(edges) < 3:
        return
    one, other = source[edges[0] : edges[1]], source[edges[1] + 1 : edges[2]]
    if any(re.match(r"\s*(?:[*&]|\w+:(?!:)|\"[^\"]*\": |$)", part) or "=>" in part for part in (one, other)):
        return
    lead = other[: len(other) - len(other.lstrip())]
    new = f"{other.strip()},{lead}{one.strip()}"
    end = edges[2] - (len(other) - len(other.rstrip()))
    does = f"`{_short(one.strip())}` and `{_short(other.strip())}` are swapped"
    yield "logic", does, edges[0] + len(one) - len(one.lstrip()), end, new


def _of_lines(lines: list[str], starts: list[int]) -> Found:
    for line, start in zip(lines, starts, strict=False):
        text = line.strip()
        lead = len(line) - len(line.lstrip())
        key = KEY.search(line)
        if key is not None:
            parts = key["parts"].split(", ")
            for place, part in enumerate(parts):
                rest = ", ".join(parts[:place] + parts[place + 1 :])
                yield "kept", f"no `{part}` in the key", start + key.start("parts"), start + key.end("parts"), rest
        if (CALL.match(text) or GUARD.match(text)) and not text.endswith((" do", "|")):
            yield "logic", f"`{_short(text)}` is left out", start + lead, start + lead + len(text), "nil"


def _function(lines: list[str], number: int) -> str:
    """The name of the function around a line; "" outside any."""
    indent = len(lines[number]) - len(lines[number].lstrip())
    for above in range(number, -1, -1):
        found = DEF.match(lines[above])
        depth = len(lines[above]) - len(lines[above].lstrip())
        if found is not None and (depth < indent or above == number):
            return found["name"]
        if lines[above].strip() and depth < indent:
            indent = depth
    return ""


def _short(text: str) -> str:
    """The text on one line, with an ellipsis if it is long."""
    line = re.sub(r"\s+", " ", text)
    return line if len(line) <= 80 else f"{line[:79]}…"
