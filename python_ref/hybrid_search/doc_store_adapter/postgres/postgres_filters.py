"""Filters as conditions of a statement (PG-2, DOC-2): fixed texts, with all values in parameters."""

import re
from typing import Any

from hybrid_search.doc_store_adapter.documents.field_path import FieldPath
from hybrid_search.doc_store_adapter.filters import attributes, comparisons, filter_conditions
from hybrid_search.doc_store_adapter.filters.filters import Filters
from hybrid_search.doc_store_adapter.postgres import postgres_attributes, postgres_keys
from hybrid_search.doc_store_adapter.postgres.postgres_attributes import UnholdableError
from hybrid_search.doc_store_adapter.postgres.postgres_statements import PostgresStatements
from hybrid_search.doc_store_adapter.tables.sql_filters import SqlFilters

OPERATORS = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
ESCAPED = frozenset("\0\1\2")
"""Characters that are escaped in stored values."""
SPECIAL = re.compile(r"[.^$*+?()\[\]{}|\\]")
QUOTED = r"\\\g<0>"


class PostgresFilters(SqlFilters):
    """The statement that finds the documents that pass filters.

    Args:
        filters: the filters.
        statements: the statements of the collection.

    Raises:
        UnholdableError: the server cannot decide; the library itself must check every document.

    Attributes:
        text: the text of the statement, which returns the documents' numbers, and whether the library must check them.
        values: the parameters of the statement.
    """

    def __init__(self, filters: Filters, statements: PostgresStatements) -> None:
        self._statements = statements
        self.values: list[Any] = []
        self.text = f"{statements.text('passing')} ({self._of(filters.conditions)})"

    def _identified(self, condition: filter_conditions.Identified) -> str:
        keys = sorted(postgres_keys.key(identifier) for identifier in condition.identifiers)
        return self._condition("condition_identified", keys=keys)

    def _is_available(self) -> str:
        return self._condition("condition_available")

    def _exists(self, path: FieldPath) -> str:
        return self._condition("condition_exists", name=_name(path))

    def _held(self, condition: filter_conditions.Valued) -> str:
        name = _name(condition.path)
        wanted = (
            None if condition.wanted is None else sorted(map(_plain, condition.wanted), key=postgres_attributes.write)
        )
        if wanted is not None and not condition.bounds and not condition.parts:
            held = [one for value in wanted for one in ({name: value}, {name: [value]})]
            return self._condition("condition_equal", equal=[postgres_attributes.write(one) for one in held])
        tests: list[str] = []
        values: dict[str, Any] = {}
        if wanted is not None:
            tests.append("@ == $wanted[*]")
            values["wanted"] = wanted
        for place, bound in enumerate(condition.bounds):
            tests.append(f"@ {OPERATORS[bound.operator]} $b{place}")
            values[f"b{place}"] = _plain(bound.limit)
        for place, part in enumerate(condition.parts):
            tests.append(_part(part, f"$p{place}"))
            if part.operator == "starts_with":
                values[f"p{place}"] = part.part
        kinds = '(@.type() == "string" || @.type() == "number" || @.type() == "boolean")'
        path = f"$[*] ? ({' && '.join([kinds, *tests])})"
        return self._condition("condition_values", name=name, path=path, values=postgres_attributes.write(values))

    def _condition(self, kind: str, /, **values: Any) -> str:
        text = self._statements.text(kind)
        for key, value in values.items():
            self.values.append(value)
            text = text.replace(f"${key}", f"${len(self.values)}")
        return text


def _part(part: comparisons.TextPart, variable: str) -> str:
    """Return the test for one part; the pattern is written as JSON, since a path cannot take it from a variable."""
    if not ESCAPED.isdisjoint(part.part):
        raise UnholdableError
    if part.operator == "starts_with":
        return f"@ starts with {variable}"
    if part.operator == "contains":
        return f'@ like_regex {postgres_attributes.write(part.part)} flag "q"'
    return f"@ like_regex {postgres_attributes.write(SPECIAL.sub(QUOTED, part.part) + '$')}"


def _name(path: FieldPath) -> str:
    if not attributes.is_attribute(path.steps[0]):
        raise UnholdableError
    return postgres_attributes.escaped(path.name)


def _plain(key: comparisons.ScalarKey) -> Any:
    return postgres_attributes.plain(key[1])
