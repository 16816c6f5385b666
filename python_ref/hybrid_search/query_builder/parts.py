"""The parts of a query builder, checked when they are passed (ERR-3)."""

from collections.abc import Mapping
from typing import Any

from hybrid_search.base import object_checks, validation
from hybrid_search.errors import ConfigurationError, InvalidInputError
from hybrid_search.query_builder.synonyms import Synonyms
from hybrid_search.query_builder.term_weight import TermWeight

SYNONYMS = "Synonyms, or an object of words, each with a word or a list of words"
SEARCHABLE = ("_tks", "_ltks", "_kwd")


def synonyms(value: Any) -> Synonyms:
    """Return the given synonyms, or those of a mapping word → word or list of words; no synonyms for `None`.

    Raises:
        InvalidInputError: the value is something else, or the mapping contains something else.
    """
    if value is None:
        return Synonyms()
    if not isinstance(value, Mapping):
        found: Synonyms = object_checks.having("synonyms", value, ("lookup",), SYNONYMS)
        return found
    try:
        return Synonyms(validation.mapping("synonyms", value))
    except ConfigurationError as problem:
        raise InvalidInputError(str(problem)) from None


def term_weight(value: Any) -> TermWeight:
    """Return the given `TermWeight`, checked.

    Raises:
        InvalidInputError: the value is something else.
    """
    return object_checks.instance("term_weight", value, TermWeight, "a TermWeight")


def boosts(fields: Any) -> tuple[tuple[str, float], ...]:
    """Return fields with their boosts, at least 0.

    Raises:
        InvalidInputError: the value is not an object of numbers, or text is not searched in one of the fields.
    """
    given = validation.mapping("fields", fields)
    for name in given:
        if not name.endswith(SEARCHABLE):
            raise InvalidInputError(
                f"fields names {validation.describe(name)}, in which no text is searched: "
                "tokens are in fields named *_tks and *_ltks, keywords in *_kwd"
            )
    return tuple((name, validation.number(f"fields.{name}", given[name], 0.0)) for name in given)
