"""Maps the field names of filters, orders and facets to the fields of a store (RET-8)."""

from collections.abc import Mapping
from typing import Any

from hybrid_search.base import input_values, validation
from hybrid_search.doc_store_adapter.filters.filter_names import FilterField, FilterNames

WORDS = {
    "id": "id",
    "content": "content_with_weight",
    "keywords": "important_kwd",
    "questions": "question_kwd",
    "page_rank": "pagerank_fea",
    "doc_id": "doc_id",
    "document_name": "docnm_kwd",
    "kb_id": "kb_id",
    "parent": "mom_id",
    "positions": "position_int",
    "available": "available_int",
}
"""The names of records → the fields that store their values unchanged."""
EXISTENCE_WORDS = {"title": "title_tks", "tags": "tag_feas", "metadata": "metadata"}
"""The names of records whose values are stored in another form, or are objects."""
CONDITION_WORDS = ("not", "any", "all", "must_not")
ATTRIBUTES = "metadata."
TAGS = "tags."
IDENTIFIERS = ("id", "doc_id", "kb_id", "parent")

STORE_FIELDS = ("img_id", "mom_id", "source_id", "uid", "create_time")
"""The fields of a RAGFlow index whose names do not contain a type."""
TYPE_MARKS = (
    "_kwd",
    "_tks",
    "_ltks",
    "_int",
    "_long",
    "_ulong",
    "_short",
    "_flt",
    "_fea",
    "_feas",
    "_dt",
    "_nst",
    "_obj",
    "_bin",
    "_vec",
    "_with_weight",
)
"""The endings of the names of all other fields of a RAGFlow index."""

OWN_VALUES = "a text, a number, true or false, a date, a time, or a list of these"
FILTERED_BY_PATH = "; own attributes are filtered by their path, like metadata.lang"
FOUND_BY_PATH = "; own attributes are known by their path, like metadata.lang"


class FieldWords(FilterNames):
    """The names of records, paths into `metadata` and `tags`, and the fields of a RAGFlow index."""

    def field(self, place: str, name: str) -> FilterField:
        """Return the field of a name, see `FilterNames`.

        Raises:
            InvalidInputError: the name is none of these.
        """
        if name == "available":
            return FilterField("available_int", "flag", _value)
        if name == "available_int":
            return FilterField(name, "availability", _value)
        if name in EXISTENCE_WORDS:
            return FilterField(EXISTENCE_WORDS[name], "existence", _value)
        field = _field(name)
        if field is None:
            what = "filter" if place == "filters" else f"filter of {place}"
            conditions = [word for word in CONDITION_WORDS if word != name]
            validation.known(what, [name], (*WORDS, *EXISTENCE_WORDS, *conditions), FILTERED_BY_PATH)
        kind = "identifier" if field == "id" else "value"
        return FilterField(str(field), kind, input_values.identifier if name in IDENTIFIERS else _value)

    def name(self, what: str, name: str) -> str:
        """Return the field of the store that contains the values of a name.

        Args:
            what: the kind of name, for messages: "facet" …
            name: the name.

        Raises:
            InvalidInputError: the name is none of these.
        """
        field = _field(name)
        if field is None:
            validation.known(what, [name], tuple(WORDS), FOUND_BY_PATH)
        return str(field)


def _field(name: str) -> str | None:
    if name in WORDS:
        return WORDS[name]
    if name.startswith(ATTRIBUTES):
        return name if all(name.split(".")) else None
    if name.startswith(TAGS):
        return f"tag_feas.{name.removeprefix(TAGS)}" if name != TAGS else None
    if name in STORE_FIELDS or (name.endswith(TYPE_MARKS) and name not in TYPE_MARKS):
        return name
    return None


def _value(place: str, value: Any) -> Any:
    """Return a value in the form in which it is stored; null, lists and objects are left to the reader of filters."""
    if value is None or isinstance(value, (list, tuple, Mapping)):
        return value
    return input_values.plain(place, value, OWN_VALUES)
