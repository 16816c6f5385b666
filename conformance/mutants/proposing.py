"""Proposes mutants of a file: one token, or one statement, at a time (CNF-19)."""

import io
import json
import random
import re
import subprocess
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from conformance.errors import BrokenError
from conformance.mutants import compiling
from conformance.mutants.table import SOURCES, Mutant, span

BOUNDARIES = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
SWAPS = {
    "and": "or", "or": "and", "&&": "||", "||": "&&", "==": "!=", "!=": "==", "+": "-", "-": "+", "+=": "-=",
    "-=": "+=", "*": "/", "True": "False", "False": "True", "true": "false", "false": "true", "min": "max",
    "max": "min", "first": "last", "last": "first", "any": "all", "all": "any", "any?": "all?", "all?": "any?",
    "unless": "if", "select": "reject", "reject": "select", "take_while": "drop_while", "floor": "ceil",
}  # fmt: skip
"""Token → what it is replaced by."""
WORDS = {
    "<": "below", "<=": "at_most", ">": "above", ">=": "at_least", "==": "equal", "!=": "unequal", "+": "plus",
    "-": "minus", "+=": "add", "-=": "take", "*": "times", "&&": "and", "||": "or", "any?": "any", "all?": "all",
}  # fmt: skip
"""Token → how the name of a mutant says it."""
KEY = re.compile(r"\b(?:key|known|state|entry|identity)\b.*?= ?[\[(](?P<parts>[^()\[\]{}]+(?:, [^()\[\]{}]+)+)[\])]$")
CALL = re.compile(
    r"^\s+(?:self\._?|@)?[a-z_]+(?:\.[a-z_]+)*[!]?\(.*\)$|^\s+(?:self\._|@)[a-z_]+(?:\[[^]]+\])? = .*[^({\[,|]$"
)
GUARD = re.compile(r"^(?P<lead>\s+)(?:(?P<if>if) (?P<rest>.+):|(?:return|next|break|raise)\b.* (?:if|unless) .+)$")
IDIOM = re.compile(r"\b(?:strict|frozen|repr|slots|allow_nan)=$")
"""What stands before a `True` or `False` that no answer depends on."""
DEF = re.compile(r"^ *def (?:self\.)?(?P<name>[A-Za-z0-9_]+[?!]?)")
LEXER = """
require "json"
require "ripper"
kinds = { on_op: "op", on_int: "number", on_kw: "word", on_ident: "word" }
tokens = Ripper.lex($stdin.read).filter_map do |(line, column), kind, text|
  [kinds[kind], line, column, text] if kinds.key?(kind)
end
puts JSON.generate(tokens)
"""


@dataclass(frozen=True)
class Proposal:
    """One change that may be made.

    Attributes:
        kind: what kind of fault it is, see `table.KINDS`.
        change: its name within the function.
        does: what it makes wrong, in words.
        inside: the function it is in; none: outside any.
        function: the same where the text is not unique in the whole file.
        replace: the text that is replaced, there once.
        by: what it is replaced by.
    """

    kind: str
    change: str
    does: str
    inside: str | None
    function: str | None
    replace: str
    by: str


def proposals(language: str, path: Path) -> list[Proposal]:
    """All proposals for a file that can be made at one place and are programs."""
    source = path.read_text(encoding="utf-8")
    found: dict[tuple[str, str], Proposal] = {}
    for line, edited, kind, change, does in _edits(language, source):
        proposal = _placed(source, line, edited, kind, change, does)
        if proposal is not None:
            found.setdefault((proposal.replace, proposal.by), proposal)
    mutants = [_mutant(language, path, number, one) for number, one in enumerate(found.values())]
    wrong = {problem.partition(":")[0] for problem in compiling.problems(mutants, lambda _: source)}
    return [one for number, one in enumerate(found.values()) if str(number) not in wrong]


def draw(found: Sequence[Proposal], count: int, seed: str) -> list[Proposal]:
    """So many of them, each kind in its turn, no two in one line as long as there are others."""
    source = random.Random(seed)
    kinds: dict[str, list[Proposal]] = {}
    for one in source.sample(found, len(found)):
        kinds.setdefault(one.kind, []).append(one)
    drawn: list[Proposal] = []
    later: list[Proposal] = []
    while any(kinds.values()) and len(drawn) < count:
        for waiting in kinds.values():
            if waiting:
                one = waiting.pop()
                (later if any(one.replace == other.replace for other in drawn) else drawn).append(one)
    return (drawn + later)[:count]


def listed_name(path: str, language: str) -> str:
    """How lists call a source file: its path within the library, without its ending and a leading underscore."""
    folder, ending = SOURCES[language]
    plain = PurePosixPath(path).relative_to(folder)
    return str(plain.with_name(plain.name.removesuffix(f".{ending}").removeprefix("_")))


def entry(language: str, file: str, one: Proposal, number: int) -> dict[str, Any]:
    """A proposal as an entry of a list.

    Args:
        language: of the file.
        file: its path within the library, without its ending.
        one: the proposal.
        number: tells apart those of one function that are named alike; the first is 1.
    """
    inside = one.inside or "file"
    words = [PurePosixPath(file).name, inside, one.change, *([str(number)] if number > 1 else [])]
    change = {"in": one.function, "replace": one.replace, "by": one.by}
    return {
        "name": re.sub(r"\W+", "_", "_".join(words)).strip("_"),
        "does": f"{f'in {inside}, ' if one.inside else ''}{one.does}",
        "kind": one.kind,
        "file": file,
        language: {key: value for key, value in change.items() if value is not None},
    }


def _edits(language: str, source: str) -> Iterator[tuple[int, str, str, str, str]]:
    """Line number (from 0), the line with the change, kind, name and description of each change."""
    lines = source.split("\n")
    for kind, line, column, text in (_python_tokens if language == "python" else _ruby_tokens)(source):
        old = lines[line]
        if IDIOM.search(old[:column]) or re.match(
            r"\s*(?:class|module|import|from|require|require_relative|@?property|private|def\b.*:\s*$)\b", old
        ):
            continue
        for by, fault in _others(kind, text, old):
            new = old[:column] + by + old[column + len(text) :]
            name = f"{WORDS.get(text, text)}_{WORDS.get(by, by) or 'gone'}".replace("?", "")
            yield (
                line,
                re.sub(r"(?<=\S)  +", " ", new.rstrip()),
                fault,
                name,
                f"`{text}` is `{by}`" if by else f"no `{text}`",
            )
    nothing = "pass" if language == "python" else "nil"
    for line, old in enumerate(lines):
        parts = KEY.search(old)
        if parts is not None:
            elements = parts["parts"].split(", ")
            for place, element in enumerate(elements):
                kept = ", ".join(elements[:place] + elements[place + 1 :]) + ("," if len(elements) == 2 else "")
                shown = re.sub(r"\W+", "_", element).strip("_")
                yield line, old.replace(parts["parts"], kept), "kept", f"without_{shown}", f"no `{element}` in the key"
        guard = GUARD.match(old)
        if guard is not None and guard["if"]:
            yield line, f"{guard['lead']}if False:", "logic", "never", f"never `{guard['rest']}`"
        elif CALL.match(old) or guard is not None:
            lead = old[: len(old) - len(old.lstrip())]
            yield line, lead + nothing, "logic", "left_out", f"`{old.strip()}` is left out"


def _others(kind: str, text: str, line: str) -> Iterator[tuple[str, str]]:
    """What may stand in the place of a token, and what kind of fault that is."""
    if kind == "number" and text.replace("_", "").isdigit():
        fault = "size" if int(text) > 9 or re.match(r"\s*[A-Z_]{3,} = ", line) else "one_off"
        yield str(int(text) + 1), fault
        if int(text) > 1:
            yield str(int(text) - 1), fault
    elif text in BOUNDARIES and kind == "op":
        yield BOUNDARIES[text], "boundary"
    elif text in SWAPS:
        yield SWAPS[text], "logic"
    elif text in ("not", "!"):
        yield "", "logic"


def _python_tokens(source: str) -> Iterator[tuple[str, int, int, str]]:
    kinds = {tokenize.OP: "op", tokenize.NUMBER: "number", tokenize.NAME: "word"}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in kinds:
            yield kinds[token.type], token.start[0] - 1, token.start[1], token.string


def _ruby_tokens(source: str) -> Iterator[tuple[str, int, int, str]]:
    words = ["ruby", "-e", LEXER]
    told = subprocess.run(words, input=source, capture_output=True, text=True, check=True).stdout
    lines = source.split("\n")
    for kind, line, column, text in json.loads(told):
        yield kind, line - 1, len(lines[line - 1].encode("utf-8")[:column].decode("utf-8")), text


def _placed(source: str, line: int, edited: str, kind: str, change: str, does: str) -> Proposal | None:
    """The change in so many lines as make it unique in its function; none: there are none such."""
    lines = source.split("\n")
    function = _function(lines, line)
    for more in range(4):
        before = lines[max(0, line - more) : line]
        replace = "\n".join([*before, lines[line]])
        by = "\n".join([*before, edited])
        if not more:
            replace, by = replace.strip(), by.strip()
        for place in (None, function):
            try:
                start, end = (0, len(source)) if place is None else span(source, place, "it")
            except BrokenError:
                continue
            if replace != by and source.count(replace, start, end) == 1:
                here = source.index(replace, start, end) + max(replace.rfind("\n"), 0)
                if source.count("\n", 0, here + 1) == line:
                    return Proposal(kind, change, does, function, function if place else None, replace, by)
    return None


def _function(lines: list[str], line: int) -> str | None:
    indent = len(lines[line]) - len(lines[line].lstrip())
    for above in range(line, -1, -1):
        found = DEF.match(lines[above])
        depth = len(lines[above]) - len(lines[above].lstrip())
        if found is not None and (depth < indent or above == line):
            return found["name"]
        if lines[above].strip() and depth < indent:
            indent = depth
    return None


def _mutant(language: str, path: Path, number: int, one: Proposal) -> Mutant:
    changed = {"function": one.function, "replace": one.replace, "by": one.by}
    told = {"name": str(number), "area": "proposed", "language": language, "kind": one.kind, "does": one.does}
    return Mutant(**told, path=str(path), **changed, modules=(), shuffle=False, fast=False)  # type: ignore[arg-type]
