"""Writes what `http.yml` says of the HTTP service into both languages (CUR-6)."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any

from conformance import yaml_files
from conformance.errors import BrokenError
from conformance.generators import data_files, openapi
from conformance.generators.options import WIDTH, Option, load, of_method, placed
from conformance.paths import CONFORMANCE, ROOT

SOURCE = CONFORMANCE / "generators" / "http.yml"
PAGE = CONFORMANCE / "generators" / "search_page"
CHOICES = re.compile(r"\{\{choices:(\w+)\}\}")
PAGE_FILES = ("search_page.html", "search_page.css", "search_page.js")
Said = Mapping[str, Any]


def said(path: Path = SOURCE) -> Said:
    """What `http.yml` says; of each option of a search it must say something.

    Raises:
        BrokenError: it does not, or it names one that there is not.
    """
    stated: Said = yaml_files.load(path)
    wrong = set(stated["search"]) ^ {option.name for option in of_method(load(), "search")}
    if wrong:
        raise BrokenError(f"{path}: search must name the options of a search, each once: {', '.join(sorted(wrong))}")
    return stated


def files(stated: Said, options: Sequence[Option] | None = None) -> Iterator[tuple[Path, bytes]]:
    """Every file that is made of it, with the content it should have: code, the OpenAPI document, the search page.

    Args:
        stated: what `http.yml` says.
        options: the options that there are; those of `options.yml` when not given.
    """
    known = load() if options is None else list(options)
    found = asked(stated, known)
    for path, blocks in TARGETS.items():
        text = (ROOT / path).read_text(encoding="utf-8")
        for mark, block in blocks.items():
            text = placed(path, text, mark, block(stated, found))
        yield ROOT / path, text.encode("utf-8")
    shared = {name: _page_file(name, known) for name in PAGE_FILES}
    shared["openapi.json"] = openapi.document(stated, found)
    for name, content in shared.items():
        yield data_files.PYTHON_DATA / name, content
        yield data_files.RUBY_DATA / name, content


def _page_file(name: str, options: Sequence[Option]) -> bytes:
    """A file of the search page, with the choices of options in the places marked for them."""
    choices = {option.name: option.choices for option in options}

    def listed(found: re.Match[str]) -> str:
        return "".join(f'<option value="{choice}">{choice}</option>' for choice in choices[found[1]])

    return CHOICES.sub(listed, (PAGE / name).read_text(encoding="utf-8")).encode("utf-8")


def asked(stated: Said, options: Sequence[Option]) -> list[Option]:
    """The options of a search that may be asked for over HTTP."""
    return [option for option in of_method(list(options), "search") if stated["search"][option.name] is not None]


def _routes(stated: Said) -> Iterator[tuple[Any, ...]]:
    for path, methods in stated["routes"].items():
        for method, told in methods.items():
            flags = (told.get("open", False), told.get("writes", False))
            yield path, method, told["operation"], told["gives"], told.get("body"), *flags


def _python(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def _ruby(value: Any) -> str:
    return "nil" if value is None else json.dumps(value, ensure_ascii=False)


def _python_problems(stated: Said, _: Sequence[Option]) -> list[str]:
    lines = ["PROBLEMS: dict[str, tuple[int, str | None]] = {"]
    for code, told in stated["problems"].items():
        row = f'    "{code}": ({told["status"]}, {_python(told["message"])}),'
        lines += [row] if len(row) <= 120 else _folded(code, told)
    return [*lines, "}", '"""Code → status and message; `{}` is filled in; `None`: that of the error."""', ""]


def _folded(code: str, told: Said) -> list[str]:
    whole = f"        {_python(told['message'])},"
    first, second = _halves(told["message"])
    message = [whole] if len(whole) <= 120 else [f"        {_python(first)}", f"        {_python(second)},"]
    return [f'    "{code}": (', f"        {told['status']},", *message, "    ),"]


def _halves(text: str, width: int = 85) -> tuple[str, str]:
    middle = text.rindex(" ", 0, width) + 1
    return text[:middle], text[middle:]


def _ruby_problems(stated: Said, _: Sequence[Option]) -> list[str]:
    lines = ["# Code → status and message; `{}` is filled in; nil: that of the error.", "PROBLEMS = {"]
    for code, told in stated["problems"].items():
        row = f'  "{code}" => [{told["status"]}, {_ruby(told["message"])}],'
        if len(row) > 110:
            first, second = _halves(told["message"], 75)
            head = f'  "{code}" => [{told["status"]}, '
            lines += [f"{head}{_ruby(first)} \\", f"{' ' * len(head)}{_ruby(second)}],"]
        else:
            lines.append(row)
    return [*lines[:-1], lines[-1].removesuffix(","), "}.freeze"]


def _python_limits(stated: Said, _: Sequence[Option]) -> list[str]:
    rows = [f'    "{name}": {told["default"]},' for name, told in stated["limits"].items()]
    return ["LIMITS: dict[str, int] = {", *rows, "}", '"""Limits of bodies in bytes, with their defaults."""', ""]


def _ruby_limits(stated: Said, _: Sequence[Option]) -> list[str]:
    rows = [f'  "{name}" => {told["default"]:_},' for name, told in stated["limits"].items()]
    rows[-1] = rows[-1].removesuffix(",")
    return ["# Limits of bodies in bytes, with their defaults.", "LIMITS = {", *rows, "}.freeze"]


def _python_routes(stated: Said, _: Sequence[Option]) -> list[str]:
    rows = [f"    Route({', '.join(map(_python, route))})," for route in _routes(stated)]
    return ["ROUTES: tuple[Route, ...] = (", *rows, ")", ""]


def _ruby_routes(stated: Said, _: Sequence[Option]) -> list[str]:
    rows = [f"  Route.new({', '.join(map(_ruby, route))})," for route in _routes(stated)]
    rows[-1] = rows[-1].removesuffix(",")
    return ["ROUTES = [", *rows, "].freeze"]


def _python_fields(_: Said, options: Sequence[Option]) -> list[str]:
    rows = [f'    "{name}",' for name in ("question", *(option.name for option in options))]
    return ["SEARCH_FIELDS = (", *rows, ")", '"""What the body of a search may hold."""', ""]


def _ruby_fields(_: Said, options: Sequence[Option]) -> list[str]:
    lines, row = ["# What the body of a search may hold.", "SEARCH_FIELDS = %w["], " "
    for name in ("question", *(option.name for option in options)):
        if len(row) + len(name) > 110:
            lines, row = [*lines, row], " "
        row += f" {name}"
    return [*lines, row, "].freeze"]


def _python_kinds(_: Said, options: Sequence[Option]) -> list[str]:
    rows = [f'    "{option.name}": "{openapi.kind(option)}",' for option in options]
    return ["KINDS: Mapping[str, str] = {", *rows, "}", '"""Option of a search → how a query string holds it."""', ""]


def _ruby_kinds(_: Said, options: Sequence[Option]) -> list[str]:
    rows = [f'  "{option.name}" => "{openapi.kind(option)}"' for option in options]
    head = ["# Option of a search => how a query string holds it.", "KINDS = {"]
    return [*head, *(f"{row}," for row in rows[:-1]), rows[-1], "}.freeze"]


def _problem_table(stated: Said, _: Sequence[Option]) -> list[str]:
    shown = {code: told["message"] or "what the library says of it" for code, told in stated["problems"].items()}
    rows = [f"| {stated['problems'][code]['status']} | `{code}` | {text} |" for code, text in shown.items()]
    return ["| status | code | message |", "|---|---|---|", *rows]


def _field_list(_: Said, options: Sequence[Option]) -> list[str]:
    return wrap(", ".join(f"`{option.name}`" for option in options), WIDTH, break_on_hyphens=False)


Block = Callable[[Said, Sequence[Option]], list[str]]
"""Makes the lines between two marks."""
TARGETS: Mapping[str, Mapping[str, Block]] = {
    "python_ref/hybrid_search/server/http_problem.py": {"problems": _python_problems},
    "python_ref/hybrid_search/server/http_settings.py": {"limits": _python_limits},
    "python_ref/hybrid_search/server/routes.py": {"routes": _python_routes},
    "python_ref/hybrid_search/server/operations.py": {"fields": _python_fields},
    "python_ref/hybrid_search/server/query_string.py": {"kinds": _python_kinds},
    "ruby/lib/hybrid_search/server/http_problem.rb": {"problems": _ruby_problems},
    "ruby/lib/hybrid_search/server/http_settings.rb": {"limits": _ruby_limits},
    "ruby/lib/hybrid_search/server/routes.rb": {"routes": _ruby_routes},
    "ruby/lib/hybrid_search/server/operations.rb": {"fields": _ruby_fields},
    "ruby/lib/hybrid_search/server/query_string.rb": {"kinds": _ruby_kinds},
    "docs/http.md": {"fields": _field_list, "problems": _problem_table},
}
"""File → mark → what makes the lines between the marks."""
