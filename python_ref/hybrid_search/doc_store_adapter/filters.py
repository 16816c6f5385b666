"""Which documents count at all (DOC-2)."""

from collections.abc import Mapping
from typing import Any

from hybrid_search import validation
from hybrid_search.doc_store_adapter.stored_document import scalar_key

ScalarKey = tuple[str, Any]


class Filters:
    """Conditions that must all hold.

    - `id`: a text or a list of texts.
    - `available_int`: 1 asks for documents whose value is at least 1 or missing, 0 for those with a value below 1.
    - `must_not`: `{"exists": field}` (or a list of fields) asks for documents without that field; an empty list counts
      as missing.
    - any other field: a text, a number, true or false, or a list of these, of which one must be equal. Where the
      document holds a list, one member is enough. An empty list matches nothing. 1 equals 1.0, but not "1"
      or true.

    Args:
        filters: the conditions, or none.

    Raises:
        InvalidInputError: a condition of another form.

    Attributes:
        identifiers: the ids asked for, or none when `id` is not filtered.
        key: what two filters that ask for the same have in common.
    """

    def __init__(self, filters: Mapping[str, Any] | None) -> None:
        self._any_of: list[tuple[str, frozenset[ScalarKey]]] = []
        self._available: int | None = None
        self._missing: tuple[str, ...] = ()
        self.identifiers: frozenset[str] | None = None
        for field, wanted in validation.mapping("filters", {} if filters is None else filters).items():
            self._accept(field, wanted)
        self.key = (self.identifiers, self._available, self._missing, tuple(sorted(self._any_of, key=lambda it: it[0])))

    def is_empty(self) -> bool:
        """Whether every document passes."""
        return self.key == (None, None, (), ())

    def accepts(self, identifier: str, fields: Mapping[str, Any], vector_fields: Mapping[str, Any]) -> bool:
        """Whether a document passes.

        Args:
            identifier: its id.
            fields: its fields apart from vectors.
            vector_fields: an object whose keys are its vector fields.
        """
        if self.identifiers is not None and identifier not in self.identifiers:
            return False
        if self._available is not None and not self._accepts_availability(fields.get("available_int")):
            return False
        for field in self._missing:
            if field in vector_fields or (field in fields and fields[field] != []):
                return False
        return all(_holds(fields.get(field), wanted) for field, wanted in self._any_of)

    def _accept(self, field: str, wanted: Any) -> None:
        name = f"filters.{field}"
        if field == "id":
            texts = [validation.text(name, wanted)] if isinstance(wanted, str) else validation.texts(name, wanted)
            self.identifiers = frozenset(texts)
        elif field == "available_int":
            self._available = validation.integer(name, wanted, 0, 1)
        elif field == "must_not":
            validation.known("condition of must_not", validation.mapping(name, wanted), ["exists"])
            if "exists" in wanted:
                given = wanted["exists"]
                exists = f"{name}.exists"
                fields = [validation.text(exists, given)] if isinstance(given, str) else validation.texts(exists, given)
                self._missing = tuple(sorted(set(fields)))
        else:
            members = list(wanted) if isinstance(wanted, (list, tuple)) else [wanted]
            self._any_of.append((field, frozenset(_member(name, member) for member in members)))

    def _accepts_availability(self, value: Any) -> bool:
        if self._available == 1:
            return value is None or value >= 1
        return value is not None and value < 1


def _member(name: str, member: Any) -> ScalarKey:
    if isinstance(member, str):
        validation.text(name, member)
    elif isinstance(member, bool):
        pass
    elif member is None or isinstance(member, (list, tuple, Mapping)):
        raise validation.fail(name, member, "a text, a number, true or false, or a list of these")
    else:
        validation.number(name, member)
        member = member.item() if hasattr(member, "item") else member
    key = scalar_key(member)
    if key is None:
        raise validation.fail(name, member, "a text, a number, true or false, or a list of these")
    return key


def _holds(value: Any, wanted: frozenset[ScalarKey]) -> bool:
    if isinstance(value, list):
        return any(scalar_key(member) in wanted for member in value)
    return scalar_key(value) in wanted
