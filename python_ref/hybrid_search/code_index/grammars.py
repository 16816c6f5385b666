"""Rules that find functions and classes in the grammars of tree-sitter (CNV-6)."""

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from hybrid_search.code_index.code_definition import CLASS, FUNCTION

Rule = Callable[[Any], tuple[str, str] | None]
"""A node of the syntax tree → the kind and the name of its definition; `None` if it defines nothing with a name."""
FUNCTION_VALUES = ("arrow_function", "function_expression", "generator_function")
SEPARATORS = re.compile(r"::|->|\?\.")
NAMES = re.compile(r"\S{1,200}")


class Grammar(NamedTuple):
    """A language.

    Attributes:
        package: the package that parses it, with tree-sitter.
        suffixes: the suffixes of its files.
        rules: the type of a node → the rule for its definition.
    """

    package: str
    suffixes: tuple[str, ...]
    rules: Mapping[str, Rule]


def _text(node: Any) -> str:
    """Return a name in the form in which it is joined with others."""
    text = "" if node is None else node.text.decode()
    if node is not None and node.type in ("string", "computed_property_name"):
        text = text[1:-1]
    name = SEPARATORS.sub(".", text).lstrip(".")
    return name if NAMES.fullmatch(name) else ""


def _defined(kind: str, name: str) -> tuple[str, str] | None:
    return (kind, name) if name else None


def _named(kind: str) -> Rule:
    """Return the rule for a definition with its name in the field `name`."""
    return lambda node: _defined(kind, _text(node.child_by_field_name("name")))


def _assigned(name: str, value: str) -> Rule:
    """Return the rule for a function or a class of JavaScript that is assigned to a name."""

    def rule(node: Any) -> tuple[str, str] | None:
        given = node.child_by_field_name(value)
        if given is None or given.type not in (*FUNCTION_VALUES, "class"):
            return None
        kind = CLASS if given.type == "class" else FUNCTION
        return _defined(kind, _text(node.child_by_field_name(name)))

    return rule


def _declared(node: Any) -> tuple[str, str] | None:
    """Return a function of C, whose name is inside its pointers and parameters."""
    while (inner := node.child_by_field_name("declarator")) is not None:
        node = inner
    return _defined(FUNCTION, _text(node)) if node.type == "identifier" else None


def _structure(node: Any) -> tuple[str, str] | None:
    """Return a structure of C with a body; without a name of its own, it has the name of its type."""
    if node.child_by_field_name("body") is None:
        return None
    name = _text(node.child_by_field_name("name"))
    if not name and node.parent is not None and node.parent.type == "type_definition":
        name = _text(node.parent.child_by_field_name("declarator"))
    return _defined(CLASS, name)


def _received(node: Any) -> tuple[str, str] | None:
    """Return a method of Go, with the type that it belongs to."""
    name, waiting = _text(node.child_by_field_name("name")), [node.child_by_field_name("receiver")]
    while waiting:
        part = waiting.pop(0)
        if part is not None and part.type == "type_identifier":
            return _defined(FUNCTION, f"{_text(part)}.{name}")
        waiting += [] if part is None else part.named_children
    return _defined(FUNCTION, name)


def _specified(node: Any) -> tuple[str, str] | None:
    """Return a structure or an interface of Go."""
    of = node.child_by_field_name("type")
    is_class = of is not None and of.type in ("struct_type", "interface_type")
    return _defined(CLASS, _text(node.child_by_field_name("name"))) if is_class else None


GRAMMARS: Mapping[str, Grammar] = {
    "c": Grammar(
        "tree-sitter-c",
        (".c", ".h"),
        {
            "function_definition": _declared,
            **dict.fromkeys(("struct_specifier", "union_specifier", "enum_specifier"), _structure),
        },
    ),
    "go": Grammar(
        "tree-sitter-go",
        (".go",),
        {"function_declaration": _named(FUNCTION), "method_declaration": _received, "type_spec": _specified},
    ),
    "java": Grammar(
        "tree-sitter-java",
        (".java",),
        {
            **dict.fromkeys(
                (
                    "annotation_type_declaration",
                    "class_declaration",
                    "enum_declaration",
                    "interface_declaration",
                    "record_declaration",
                ),
                _named(CLASS),
            ),
            **dict.fromkeys(
                ("compact_constructor_declaration", "constructor_declaration", "method_declaration"), _named(FUNCTION)
            ),
        },
    ),
    "javascript": Grammar(
        "tree-sitter-javascript",
        (".js", ".jsx"),
        {
            "class_declaration": _named(CLASS),
            **dict.fromkeys(
                ("function_declaration", "generator_function_declaration", "method_definition"), _named(FUNCTION)
            ),
            "assignment_expression": _assigned("left", "right"),
            "field_definition": _assigned("property", "value"),
            "pair": _assigned("key", "value"),
            "variable_declarator": _assigned("name", "value"),
        },
    ),
    "ruby": Grammar(
        "tree-sitter-ruby",
        (".rb",),
        {
            "class": _named(CLASS),
            "method": _named(FUNCTION),
            "module": _named(CLASS),
            "singleton_method": _named(FUNCTION),
        },
    ),
}
