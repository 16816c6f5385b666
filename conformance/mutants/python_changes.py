"""Lists every small change to a Python source that may be drawn, from its syntax tree (CNF-19)."""

import ast
import re
from collections.abc import Iterator

from conformance.mutants.changes import BOUNDARIES, SWAPS, Change, decimal, integers

OPERATORS: dict[type[ast.AST], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.Is: "is",
    ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in", ast.And: "and", ast.Or: "or", ast.Add: "+", ast.Sub: "-",
    ast.Mult: "*", ast.FloorDiv: "//",
}  # fmt: skip
IDIOMS = {"strict", "frozen", "repr", "slots", "allow_nan", "ensure_ascii", "daemon", "eq", "init"}
"""Keywords with a `True` or `False` that no answer depends on."""
KEYS = re.compile(r"(?:^|_)(?:key|known|state|entry|identity)$")
"""Names of what tells cached values apart."""
LIMIT = re.compile(r"_?[A-Z][A-Z0-9_]{2,}")
SILENT = {"__repr__", "__str__"}
"""Functions that no answer depends on."""


def changes(source: str) -> list[Change]:
    """Return every change, in the order of their places."""
    found = _Finder(source)
    found.visit(ast.parse(source))
    return sorted(found.changes, key=lambda one: (one.at, one.old, one.new))


class _Finder(ast.NodeVisitor):
    """Walks through a syntax tree and collects the changes."""

    def __init__(self, source: str) -> None:
        self.changes: list[Change] = []
        self._source = source
        self._starts = [0]
        for line in source.split("\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._lines = source.split("\n")
        self._names: list[str] = []
        self._limit = False

    # --- where things are ---

    def _place(self, line: int, column: int) -> int:
        """The place in characters of a line from 1 and a column in bytes."""
        before = self._lines[line - 1].encode("utf-8")[:column].decode("utf-8")
        return self._starts[line - 1] + len(before)

    def _span(self, node: ast.AST) -> tuple[int, int]:
        assert isinstance(node, (ast.expr, ast.stmt))
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._place(node.lineno, node.col_offset), self._place(node.end_lineno, node.end_col_offset)

    def _text(self, node: ast.AST) -> str:
        start, end = self._span(node)
        return self._source[start:end]

    def _add(self, kind: str, does: str, start: int, end: int, new: str) -> None:
        old = self._source[start:end]
        if old != new:
            self.changes.append(Change(kind, does, ".".join(self._names), start, old, new))

    def _replace(self, kind: str, does: str, node: ast.AST, new: str) -> None:
        self._add(kind, does, *self._span(node), new)

    # --- what is passed through ---

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        """Visit defaults and body of a function, not its annotations and decorators."""
        if node.name in SILENT:
            return
        self._names.append(node.name)
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                self.visit(default)
        self._body(node.body)
        self._names.pop()

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        """Visit it as one that is not asynchronous."""
        self.visit_FunctionDef(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Visit the body of a class."""
        self._names.append(node.name)
        self._body(node.body)
        self._names.pop()

    def visit_Module(self, node: ast.Module) -> None:
        """Visit the statements of the file."""
        self._body(node.body)

    def _body(self, body: list[ast.stmt]) -> None:
        for statement in body:
            if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)):  # a docstring
                self.visit(statement)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Visit the value, not the annotation."""
        if node.value is not None:
            self._assigned([node.target], node.value)

    def visit_Import(self, node: ast.Import) -> None:
        """Change no import."""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        """Change no import."""

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Change nothing within a text."""

    # --- statements ---

    def visit_Assign(self, node: ast.Assign) -> None:
        """Remove an assignment to an attribute or an element; drop parts of keys."""
        if all(isinstance(target, (ast.Attribute, ast.Subscript)) for target in node.targets):
            self._without(node)
        self._assigned(node.targets, node.value)

    def _assigned(self, targets: list[ast.expr], value: ast.expr) -> None:
        names = [getattr(target, "attr", getattr(target, "id", "")) for target in targets]
        if isinstance(value, ast.Tuple) and len(value.elts) > 1 and any(map(KEYS.search, names)):
            self._parts(value)
        self._limit = any(map(LIMIT.fullmatch, names))
        for target in targets:
            self.visit(target)
        self.visit(value)
        self._limit = False

    def _parts(self, value: ast.Tuple) -> None:
        texts = [self._text(part) for part in value.elts]
        for place, text in enumerate(texts):
            rest = ", ".join(texts[:place] + texts[place + 1 :])
            self._replace("kept", f"no `{text}` in the key", value, f"({rest},)")

    def _without(self, node: ast.stmt) -> None:
        self._replace("logic", f"`{_short(self._text(node))}` is left out", node, "pass")

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        """Remove it; turn its operator round."""
        self._without(node)
        sign = f"{OPERATORS.get(type(node.op), '')}="
        if sign in SWAPS:
            self._operator(sign, self._span(node.target)[1], self._span(node.value)[0])
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        """Remove a call."""
        if isinstance(node.value, (ast.Call, ast.Await)):
            self._without(node)
        self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        """Remove it; its message is not changed."""
        self._without(node)

    def visit_Continue(self, node: ast.Continue) -> None:
        """Remove it."""
        self._without(node)

    def visit_Break(self, node: ast.Break) -> None:
        """Remove it."""
        self._without(node)

    def visit_If(self, node: ast.If) -> None:
        """Never take a branch that leaves; what only type checkers read is not changed."""
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return
        if isinstance(node.body[-1], (ast.Return, ast.Raise, ast.Continue, ast.Break)) and not node.orelse:
            self._replace("logic", f"never `if {_short(self._text(node.test))}`", node.test, "False")
        self.generic_visit(node)

    # --- expressions ---

    def _operator(self, old: str, start: int, end: int) -> None:
        """Turn an operator round that stands between two places."""
        pattern = r"\s+".join(map(re.escape, old.split()))
        match = re.search(pattern, self._source[start:end])
        if match is None:
            return
        new = BOUNDARIES.get(old) or SWAPS[old]
        kind = "boundary" if old in BOUNDARIES else "logic"
        self._add(kind, f"`{old}` is `{new}`", start + match.start(), start + match.end(), new)

    def visit_Compare(self, node: ast.Compare) -> None:
        """Turn each comparison round."""
        for left, operator, right in zip([node.left, *node.comparators], node.ops, node.comparators, strict=False):
            self._operator(OPERATORS[type(operator)], self._span(left)[1], self._span(right)[0])
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        """Make `and` to `or`; drop each condition."""
        texts = [self._text(value) for value in node.values]
        word = OPERATORS[type(node.op)]
        for left, right in zip(node.values, node.values[1:], strict=False):
            self._operator(word, self._span(left)[1], self._span(right)[0])
        for place, text in enumerate(texts):
            rest = texts[:place] + texts[place + 1 :]
            joined = f" {word} ".join(f"({one})" for one in rest)
            self._replace("logic", f"without `{_short(text)}` in a condition", node, f"({joined})")
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        """Drop `not`."""
        if isinstance(node.op, ast.Not):
            self._replace("logic", f"no `not` before `{_short(self._text(node.operand))}`", node, self._bare(node))
        self.generic_visit(node)

    def _bare(self, node: ast.UnaryOp) -> str:
        return f"({self._text(node.operand)})"

    def visit_BinOp(self, node: ast.BinOp) -> None:
        """Turn an operator round, unless a text or a list is added."""
        sides = (node.left, node.right)
        if OPERATORS.get(type(node.op)) in SWAPS and not any(isinstance(side, _NO_NUMBERS) for side in sides):
            self._operator(OPERATORS[type(node.op)], self._span(node.left)[1], self._span(node.right)[0])
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        """Swap the first two arguments; take the other of two functions."""
        first = node.args[:2]
        if len(first) == 2 and not any(isinstance(one, ast.Starred) for one in first):
            (start, middle), (later, end) = self._span(first[0]), self._span(first[1])
            one, other = self._text(first[0]), self._text(first[1])
            new = other + self._source[middle:later] + one
            self._add("logic", f"`{_short(one)}` and `{_short(other)}` are swapped", start, end, new)
        if isinstance(node.func, ast.Name) and node.func.id in SWAPS:
            self._replace("logic", f"`{node.func.id}` is `{SWAPS[node.func.id]}`", node.func, SWAPS[node.func.id])
        self.generic_visit(node)

    def visit_keyword(self, node: ast.keyword) -> None:
        """Visit the value, unless no answer depends on it."""
        if node.arg not in IDIOMS:
            self.visit(node.value)

    def visit_Constant(self, node: ast.Constant) -> None:
        """Change a number or a boolean."""
        text = self._text(node)
        if isinstance(node.value, bool):
            self._replace("logic", f"`{text}` is `{SWAPS[text]}`", node, SWAPS[text])
        elif isinstance(node.value, int):
            for new, kind in integers(text, self._limit):
                self._replace(kind, f"`{text}` is `{new}`", node, new)
        elif isinstance(node.value, float):
            new = decimal(text)
            self._replace("size" if self._limit else "logic", f"`{text}` is `{new}`", node, new)


_NO_NUMBERS = (ast.JoinedStr, ast.List, ast.Tuple, ast.ListComp)


def _short(text: str) -> str:
    """The text on one line, with an ellipsis if it is long."""
    line = re.sub(r"\s+", " ", text)
    return line if len(line) <= 80 else f"{line[:79]}…"


def names(source: str) -> Iterator[str]:
    """Give the names of all functions of a source, with their classes."""

    def walk(node: ast.AST, outer: str) -> Iterator[str]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                name = f"{outer}{child.name}"
                if not isinstance(child, ast.ClassDef):
                    yield name
                yield from walk(child, f"{name}.")

    return walk(ast.parse(source), "")
