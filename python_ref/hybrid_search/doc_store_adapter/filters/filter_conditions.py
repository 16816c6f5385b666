"""The checked conditions that filters consist of (DOC-2).

Each condition decides whether a document passes (`accepts`), has a `key` that equals that of a condition with the same
meaning, and returns its written form (`data`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from hybrid_search.doc_store_adapter.documents.field_path import FieldPath
from hybrid_search.doc_store_adapter.documents.stored_document import scalar_key
from hybrid_search.doc_store_adapter.filters.comparisons import Bound, ScalarKey, TextPart

Key = tuple[Any, ...]


class Candidate(NamedTuple):
    """A document that a condition checks.

    Attributes:
        identifier: its id.
        fields: its fields apart from vectors.
        vector_fields: an object whose keys are its vector fields.
    """

    identifier: str
    fields: Mapping[str, Any]
    vector_fields: Mapping[str, Any]

    def is_there(self, path: FieldPath) -> bool:
        """Return whether the document has a value at the path; an empty list counts as missing."""
        if path.name in self.vector_fields:
            return True
        value = path.value(self.fields)
        return value is not None and value != []


class Condition(Protocol):
    """The interface of all conditions."""

    @property
    def key(self) -> Key:
        """A value that is equal for two conditions that mean the same."""
        ...

    def accepts(self, candidate: Candidate) -> bool:
        """Return whether a document passes."""
        ...

    def data(self) -> dict[str, Any]:
        """Return the condition as an object of filters, in the names of the store."""
        ...


@dataclass(frozen=True)
class Identified:
    """The document has one of these ids."""

    identifiers: frozenset[str]

    @property
    def key(self) -> Key:
        """See `Condition`."""
        return ("id", self.identifiers)

    def accepts(self, candidate: Candidate) -> bool:
        """See `Condition`."""
        return candidate.identifier in self.identifiers

    def data(self) -> dict[str, Any]:
        """See `Condition`."""
        return {"id": sorted(self.identifiers)}


@dataclass(frozen=True)
class Available:
    """The availability of the document is one of these; a document without a value is available."""

    wanted: tuple[bool, ...]

    @property
    def key(self) -> Key:
        """See `Condition`."""
        return ("available_int", frozenset(self.wanted))

    def accepts(self, candidate: Candidate) -> bool:
        """See `Condition`."""
        value = candidate.fields.get("available_int")
        return (value is None or value >= 1) in self.wanted

    def data(self) -> dict[str, Any]:
        """See `Condition`."""
        numbers = [1 if wanted else 0 for wanted in self.wanted]
        return {"available_int": numbers[0] if len(numbers) == 1 else numbers}


@dataclass(frozen=True)
class Exists:
    """The document has the field, or lacks it; an empty list counts as missing."""

    path: FieldPath
    wanted: bool

    @property
    def key(self) -> Key:
        """See `Condition`."""
        return ("exists", self.path, self.wanted)

    def accepts(self, candidate: Candidate) -> bool:
        """See `Condition`."""
        return candidate.is_there(self.path) == self.wanted

    def data(self) -> dict[str, Any]:
        """See `Condition`."""
        return {self.path.name: {"exists": self.wanted}}


@dataclass(frozen=True)
class Missing:
    """The document lacks all of these fields; an empty list counts as missing."""

    paths: tuple[FieldPath, ...]

    @property
    def key(self) -> Key:
        """See `Condition`."""
        return ("must_not", frozenset(self.paths))

    def accepts(self, candidate: Candidate) -> bool:
        """See `Condition`."""
        return not any(candidate.is_there(path) for path in self.paths)

    def data(self) -> dict[str, Any]:
        """See `Condition`."""
        return {"must_not": {"exists": [path.name for path in self.paths]}}


class Valued:
    """A value of the field is one of these, is within the bounds, and has the parts; one member of a list is enough.

    Args:
        path: the path of the field.
        any_of: the accepted values; `None` accepts any value.
        bounds: the sides of a range.
        exists: whether the document must have the field or must lack it; `None` accepts both.
        parts: the parts that a text must contain, begin with or end with.

    Attributes:
        path: as given.
        wanted: the set of accepted values, or `None`.
        bounds: as given.
        parts: as given.
        exists: as given.
    """

    def __init__(
        self,
        path: FieldPath,
        any_of: Sequence[ScalarKey] | None,
        bounds: Sequence[Bound] = (),
        exists: bool | None = None,
        parts: Sequence[TextPart] = (),
    ) -> None:
        self.path = path
        self._values = None if any_of is None else [value for _, value in any_of]
        self.wanted = None if any_of is None else frozenset(any_of)
        self.bounds = tuple(bounds)
        self.parts = tuple(parts)
        self.exists = exists

    @property
    def key(self) -> Key:
        """See `Condition`."""
        return ("value", self.path, self.wanted, frozenset(self.bounds), frozenset(self.parts), self.exists)

    def accepts(self, candidate: Candidate) -> bool:
        """See `Condition`."""
        if self.exists is not None and candidate.is_there(self.path) != self.exists:
            return False
        value = self.path.value(candidate.fields)
        if isinstance(value, list):
            return any(self._holds(scalar_key(member)) for member in value)
        return self._holds(scalar_key(value))

    def data(self) -> dict[str, Any]:
        """See `Condition`."""
        values = self._values
        if values is not None and not self.bounds and not self.parts and self.exists is None:
            return {self.path.name: values[0] if len(values) == 1 else values}
        operators: dict[str, Any] = {} if values is None else {"in": values}
        operators.update((bound.operator, bound.limit[1]) for bound in self.bounds)
        operators.update(self.parts)
        if self.exists is not None:
            operators["exists"] = self.exists
        return {self.path.name: operators}

    def _holds(self, key: ScalarKey | None) -> bool:
        if key is None or (self.wanted is not None and key not in self.wanted):
            return False
        return self.holds_within(key)

    def holds_within(self, key: ScalarKey) -> bool:
        """Return whether a value is within the bounds and has the parts."""
        return all(bound.holds(key) for bound in self.bounds) and all(part.holds(key) for part in self.parts)


@dataclass(frozen=True)
class Conjunction:
    """All of these conditions hold: an object of filters."""

    conditions: Sequence[Condition]

    @property
    def key(self) -> Key:
        """See `Condition`."""
        return ("filters", frozenset(condition.key for condition in self.conditions))

    def accepts(self, candidate: Candidate) -> bool:
        """See `Condition`."""
        return all(condition.accepts(candidate) for condition in self.conditions)

    def data(self) -> dict[str, Any]:
        """See `Condition`."""
        written: dict[str, Any] = {}
        further: list[dict[str, Any]] = []
        for data in (condition.data() for condition in self.conditions):
            if written.keys().isdisjoint(data):
                written.update(data)
            else:  # such as a second `not`: an object has each key once
                further.append(data)
        return {**written, "all": [*written.get("all", ()), *further]} if further else written


@dataclass(frozen=True)
class AllConditions:
    """Each of these filters holds."""

    filters: tuple[Conjunction, ...]

    @property
    def key(self) -> Key:
        """See `Condition`."""
        return ("all", frozenset(one.key for one in self.filters))

    def accepts(self, candidate: Candidate) -> bool:
        """See `Condition`."""
        return all(one.accepts(candidate) for one in self.filters)

    def data(self) -> dict[str, Any]:
        """See `Condition`."""
        return {"all": [one.data() for one in self.filters]}


@dataclass(frozen=True)
class AnyCondition:
    """At least one of these filters holds."""

    filters: tuple[Conjunction, ...]

    @property
    def key(self) -> Key:
        """See `Condition`."""
        return ("any", frozenset(one.key for one in self.filters))

    def accepts(self, candidate: Candidate) -> bool:
        """See `Condition`."""
        return any(one.accepts(candidate) for one in self.filters)

    def data(self) -> dict[str, Any]:
        """See `Condition`."""
        return {"any": [one.data() for one in self.filters]}


@dataclass(frozen=True)
class Negation:
    """These filters do not hold."""

    filters: Condition

    @property
    def key(self) -> Key:
        """See `Condition`."""
        return ("not", self.filters.key)

    def accepts(self, candidate: Candidate) -> bool:
        """See `Condition`."""
        return not self.filters.accepts(candidate)

    def data(self) -> dict[str, Any]:
        """See `Condition`."""
        return {"not": self.filters.data()}
