"""Docstrings of functions, and Ruby's comments above methods, begin with a verb in the imperative (CONTRIBUTING.md)."""

import ast
import re
from collections.abc import Iterator

from python_ref.tests.library_files import LIBRARY, PACKAGE, shown

NOT_A_VERB = re.compile(
    r"(An?|About|After|All|Another|As|Before|Both|By|Called|Each|Every|For|Given|Half|How|If|In|More|No|None|Of|Only|"
    r"Some|The|These|Those|Until|What|Where|Whether|Which|Why|With)\b"
)
IMPERATIVE = re.compile(r"[A-Z][a-z]*([a-rt-z]|ss)[.;]?(?=\s|$)")  # a single s ends a plural, or the third person
METHOD = re.compile(r"\s*(?:private_class_method )?def (?:self\.)?(?!test_)(\w+)")


def begins_with_verb(text: str) -> bool:
    return IMPERATIVE.match(text) is not None and NOT_A_VERB.match(text) is None


def docstrings() -> Iterator[tuple[str, str]]:
    """Yield name and docstring of each function except properties, which a noun describes, and the contract's tests."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (text := ast.get_docstring(node)):
                is_property = any("property" in ast.unparse(decorator) for decorator in node.decorator_list)
                if not is_property and not node.name.startswith("test_"):
                    yield f"{shown(path)} {node.name}", text


def comments() -> Iterator[tuple[str, str]]:
    """Yield name and comment of each method in Ruby whose comment does not begin with a tag of YARD."""
    for path in sorted(LIBRARY.parent.rglob("*.rb")):
        text: list[str] = []
        for line in path.read_text(encoding="utf-8").splitlines():
            if re.match(r"\s*#(?: |$)", line):
                text.append(line.strip("# "))
            else:
                if text and (method := METHOD.match(line)) and not text[0].startswith(("@", "(see ")):
                    yield f"{shown(path)} {method[1]}", " ".join(text)
                text = []


def test_docstrings_of_functions_begin_with_a_verb():
    found = list(docstrings())
    assert [f"{name}: {text[:60]}" for name, text in found if not begins_with_verb(text)] == []
    assert len(found) > 2000


def test_comments_of_methods_in_ruby_begin_with_a_verb():
    found = list(comments())
    assert [f"{name}: {text[:60]}" for name, text in found if not begins_with_verb(text)] == []
    assert len(found) > 1000


def test_the_check_notices_nouns_and_third_persons():
    wrong = (
        "The ids.",
        "Whether it is open.",
        "Returns the id.",
        "Rows of a table.",
        "`get` an id.",
        "Terms, each once",
    )
    assert [text for text in wrong if begins_with_verb(text)] == []
    assert all(map(begins_with_verb, ("Return the ids.", "Pass it on.", "Retry; then give up.")))
