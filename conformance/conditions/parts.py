"""Finds the compound conditions of the reference, and makes sources in which any part of one can be dropped.

A compound condition is `and` and `or` (defaults too), a chained comparison, `min` and `max` of several arguments,
`any` and `all`, several `if` of one comprehension, and the alternatives of `in (…)`, `isinstance` and `startswith`.
Each of its parts has a number. The source that is run takes the condition without the part of the number `ACTIVE`.
"""

import ast
import hashlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

ACTIVE, RECORD = "active_condition_part", "record_condition_parts"
"""Names among the builtins: the part that is dropped, and what is called where parts are recorded."""
OPPOSITES = {"any": "all", "all": "any"}
EDGES = {"min", "max"}
WITH_ALTERNATIVES = {"isinstance": 1, "issubclass": 1}
AFFIXES = {"startswith", "endswith", "removeprefix"}
NO_LAMBDA = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
"""What cannot be moved into a function of its own."""


@dataclass(frozen=True)
class Part:
    """A part of a compound condition.

    Attributes:
        path: the file, under the library.
        inside: its function with its classes; "" outside any.
        line: where the condition begins.
        condition: the whole condition, on one line.
        part: what is dropped.
        digest: tells it from the other parts of the function; stays while the condition does.
        at_import: whether it is evaluated when the file is imported.
    """

    path: str
    inside: str
    line: int
    condition: str
    part: str
    digest: str
    at_import: bool

    @property
    def name(self) -> str:
        """What it is called in lists."""
        return f"{self.path}:{self.inside}:{self.digest}"


def find(source: str, path: str) -> list[Part]:
    """Return all parts of a source, in the order of their numbers."""
    switcher = Switcher(path, 0, record=False)
    switcher.visit(ast.parse(source))
    return switcher.parts


def switched(source: str, path: str, first: int, record: bool) -> ast.Module:
    """Return the tree of a source in which each part can be dropped.

    Args:
        source: the file.
        path: its path under the library.
        first: the number of its first part.
        record: call `RECORD` with the value of each condition and without each of its parts.
    """
    tree = Switcher(path, first, record).visit(ast.parse(source))
    result: ast.Module = ast.fix_missing_locations(tree)
    return result


class Switcher(ast.NodeTransformer):
    """Replaces each compound condition by one whose parts can be dropped, and lists the parts.

    Args:
        path: the file, under the library.
        first: the number of the first part.
        record: whether values are recorded.
    """

    def __init__(self, path: str, first: int, record: bool) -> None:
        self.parts: list[Part] = []
        self._path = path
        self._first = first
        self._record = record
        self._names: list[str] = []
        self._functions = 0
        self._in_class = False
        self._seen: Counter[tuple[str, str, str]] = Counter()
        self._tests: set[int] = set()

    # --- where things are ---

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Visit the body of a function, not its annotations."""
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        """Visit it as one that is not asynchronous."""
        return self._function(node)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        if node.name == "__repr__":
            return node
        self._names.append(node.name)
        outer, self._in_class = self._in_class, False
        self._functions += 1
        node.body = [self.visit(statement) for statement in node.body]
        self._functions -= 1
        self._in_class = outer
        self._names.pop()
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """Visit the body of a class."""
        self._names.append(node.name)
        outer, self._in_class = self._in_class, True
        node.body = [self.visit(statement) for statement in node.body]
        self._in_class = outer
        self._names.pop()
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        """Visit a function without a name."""
        self._functions += 1
        node.body = self.visit(node.body)
        self._functions -= 1
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        """Leave out what only states a type."""
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """Visit the value, not the annotation."""
        node.value = None if node.value is None else self.visit(node.value)
        return node

    # --- where only the truth of a value counts ---

    def visit_If(self, node: ast.If) -> ast.AST:
        """Note the test."""
        self._tests.add(id(node.test))
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return node
        return self.generic_visit(node)

    def visit_While(self, node: ast.While) -> ast.AST:
        """Note the test."""
        self._tests.add(id(node.test))
        return self.generic_visit(node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        """Note the test."""
        self._tests.add(id(node.test))
        return self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        """Note what is negated."""
        if isinstance(node.op, ast.Not):
            self._tests.add(id(node.operand))
        return self.generic_visit(node)

    # --- compound conditions ---

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        """Drop each value of `and` and `or`."""
        truth = id(node) in self._tests
        if truth:
            self._tests.update(map(id, node.values))
        texts, whole = [ast.unparse(value) for value in node.values], ast.unparse(node)
        numbers = self._numbers(node, whole, texts)
        node.values = [self.visit(value) for value in node.values]
        without = [_joined(node.op, _others(node.values, place)) for place in range(len(texts))]
        return self._choice(node, numbers, without, truth)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """Drop each comparison of a chain, or each alternative of `in (…)`."""
        last = node.comparators[-1]
        if len(node.ops) > 1:
            pairs = list(zip([node.left, *node.comparators], node.ops, node.comparators, strict=False))
            texts = [ast.unparse(ast.Compare(left, [operator], [right])) for left, operator, right in pairs]
            numbers = self._numbers(node, ast.unparse(node), texts)
            self.generic_visit(node)
            sides = [node.left, *node.comparators]
            without: list[ast.expr] = []
            for place in range(len(texts)):
                kept = [
                    ast.Compare(sides[other], [node.ops[other]], [sides[other + 1]])
                    for other in range(len(texts))
                    if other != place
                ]
                without.append(_joined(ast.And(), list(kept)))
            return self._choice(node, numbers, without, truth=True)
        if isinstance(node.ops[0], (ast.In, ast.NotIn)) and _is_choice(last):
            assert isinstance(last, (ast.Tuple, ast.Set, ast.List))
            return self._alternatives(
                node, last.elts, lambda rest: ast.Compare(node.left, node.ops, [ast.Tuple(rest, ast.Load())])
            )
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Drop each argument of `min` and `max`, each alternative; take `all` for `any`."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        starred = any(isinstance(one, ast.Starred) for one in node.args)
        if name in EDGES and len(node.args) > 1 and not starred:
            texts = [ast.unparse(one) for one in node.args]
            numbers = self._numbers(node, ast.unparse(node), texts)
            self.generic_visit(node)
            without = [
                rest[0] if len(rest) == 1 else ast.Call(node.func, rest, node.keywords)
                for rest in (_others(node.args, place) for place in range(len(texts)))
            ]
            return self._choice(node, numbers, without, truth=False)
        if name in OPPOSITES and len(node.args) == 1:
            numbers = self._numbers(node, ast.unparse(node), [name])
            self.generic_visit(node)
            other = ast.Call(ast.Name(OPPOSITES[name], ast.Load()), node.args, [])
            return self._choice(node, numbers, [other], truth=True)
        place = WITH_ALTERNATIVES.get(name, 0 if method in AFFIXES else None)
        if place is not None and len(node.args) > place and _is_choice(node.args[place]):
            own = node.args[place]
            assert isinstance(own, (ast.Tuple, ast.Set, ast.List))
            before = node.args[:place]
            return self._alternatives(
                node, own.elts, lambda rest: ast.Call(node.func, [*before, ast.Tuple(rest, ast.Load())], [])
            )
        return self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        """Drop each of several `if`."""
        self._tests.update(map(id, node.ifs))
        if len(node.ifs) < 2:
            return self.generic_visit(node)
        texts = [ast.unparse(one) for one in node.ifs]
        numbers = self._numbers(node.ifs[0], " if ".join(texts), texts)
        self.generic_visit(node)
        node.ifs = [
            self._choice(one, [number], [ast.Constant(True)], truth=True)
            for one, number in zip(node.ifs, numbers, strict=True)
        ]
        return node

    def _alternatives(
        self, node: ast.expr, choices: list[ast.expr], made: Callable[[list[ast.expr]], ast.expr]
    ) -> ast.expr:
        numbers = self._numbers(node, ast.unparse(node), [ast.unparse(one) for one in choices])
        self.generic_visit(node)
        without = [made(_others(choices, place)) for place in range(len(choices))]
        return self._choice(node, numbers, without, truth=True)

    def _numbers(self, node: ast.expr, whole: str, texts: list[str]) -> list[int]:
        """Add the parts and return their numbers."""
        inside = ".".join(self._names)
        numbers = []
        for text in texts:
            key = (inside, whole, text)
            self._seen[key] += 1
            digest = hashlib.sha256("\0".join((*key, str(self._seen[key]))).encode()).hexdigest()[:8]
            numbers.append(self._first + len(self.parts))
            at_import = self._functions == 0
            self.parts.append(Part(self._path, inside, node.lineno, whole, text, digest, at_import))
        return numbers

    def _choice(self, node: ast.expr, numbers: list[int], without: list[ast.expr], truth: bool) -> ast.expr:
        """The condition, or the same without the part that is dropped."""
        if self._record:
            return self._recorded(node, numbers, without, truth)
        result = node
        for number, other in zip(numbers, without, strict=True):
            result = ast.IfExp(ast.Compare(_name(ACTIVE), [ast.Eq()], [ast.Constant(number)]), other, result)
        if len(numbers) > 1:
            test = ast.Compare(
                ast.Constant(numbers[0]), [ast.LtE(), ast.LtE()], [_name(ACTIVE), ast.Constant(numbers[-1])]
            )
            result = ast.IfExp(test, result, node)
        return ast.copy_location(result, node)

    def _recorded(self, node: ast.expr, numbers: list[int], without: list[ast.expr], truth: bool) -> ast.expr:
        inner = [one for tree in (node, *without) for one in ast.walk(tree)]
        movable = not self._in_class and not any(
            isinstance(one, NO_LAMBDA) or (isinstance(one, ast.Name) and one.id == "super") for one in inner
        )
        functions = [_function(other) for other in (node, *without)] if movable else [ast.Constant(None), node]
        if not movable:  # noted as passed through; which part decides is not known
            pair = ast.Tuple(
                [ast.Call(_name(RECORD), [*map(ast.Constant, (numbers[0], len(numbers), None))], []), node], ast.Load()
            )
            return ast.copy_location(ast.Subscript(pair, ast.Constant(1), ast.Load()), node)
        arguments = [ast.Constant(numbers[0]), ast.Constant(len(numbers)), ast.Constant(truth), *functions]
        return ast.copy_location(ast.Call(_name(RECORD), arguments, []), node)


def _function(body: ast.expr) -> ast.expr:
    nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.Lambda(nothing, body)


def _name(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _others(values: list[ast.expr], place: int) -> list[ast.expr]:
    return values[:place] + values[place + 1 :]


def _joined(operator: ast.boolop, values: list[ast.expr]) -> ast.expr:
    return values[0] if len(values) == 1 else ast.BoolOp(operator, values)


def _is_choice(node: ast.expr) -> bool:
    return isinstance(node, (ast.Tuple, ast.Set, ast.List)) and len(node.elts) > 1
