"""Filters as the condition of a statement (DOC-2): the parts that are the same in every database."""

from abc import ABC, abstractmethod
from collections.abc import Iterable

from hybrid_search.doc_store_adapter.documents.field_path import FieldPath
from hybrid_search.doc_store_adapter.filters import filter_conditions


class SqlFilters(ABC):
    """Writes conditions as the text of a statement. Subclasses write the conditions on single fields."""

    def _of(self, condition: filter_conditions.Condition) -> str:
        if isinstance(condition, filter_conditions.Conjunction):
            return self._joined("and", "true", condition.conditions)
        if isinstance(condition, filter_conditions.AllConditions):
            return self._joined("and", "true", condition.filters)
        if isinstance(condition, filter_conditions.AnyCondition):
            return self._joined("or", "false", condition.filters)
        if isinstance(condition, filter_conditions.Negation):
            return f"not ({self._of(condition.filters)})"
        if isinstance(condition, filter_conditions.Missing):
            present = [filter_conditions.Exists(path, True) for path in condition.paths]
            return f"not ({self._joined('or', 'false', present)})"
        if isinstance(condition, filter_conditions.Identified):
            return self._identified(condition)
        if isinstance(condition, filter_conditions.Available):
            return self._available(condition)
        if isinstance(condition, filter_conditions.Exists):
            return self._existing(condition.path, condition.wanted)
        assert isinstance(condition, filter_conditions.Valued)
        return self._valued(condition)

    @abstractmethod
    def _identified(self, condition: filter_conditions.Identified) -> str:
        """Return the condition that a document has one of these ids."""

    @abstractmethod
    def _is_available(self) -> str:
        """Return the condition that a document is available."""

    @abstractmethod
    def _exists(self, path: FieldPath) -> str:
        """Return the condition that a document has a field."""

    @abstractmethod
    def _held(self, condition: filter_conditions.Valued) -> str:
        """Return the condition that a document has an accepted value; it ignores `exists`."""

    def _joined(self, word: str, empty: str, conditions: Iterable[filter_conditions.Condition]) -> str:
        return f" {word} ".join(f"({self._of(condition)})" for condition in conditions) or empty

    def _available(self, condition: filter_conditions.Available) -> str:
        if len(set(condition.wanted)) != 1:
            return "true" if condition.wanted else "false"
        text = self._is_available()
        return text if condition.wanted[0] else f"not {text}"

    def _existing(self, path: FieldPath, wanted: bool) -> str:
        text = self._exists(path)
        return text if wanted else f"not {text}"

    def _valued(self, condition: filter_conditions.Valued) -> str:
        held = self._held(condition)
        if condition.exists is None:
            return held
        return f"({self._existing(condition.path, condition.exists)}) and {held}"
