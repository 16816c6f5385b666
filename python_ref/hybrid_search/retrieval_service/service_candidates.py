"""The candidates that the legs of a retrieval found, as documents (DFY-6)."""

from collections.abc import Mapping, Sequence
from typing import Any

from hybrid_search.base import validation
from hybrid_search.doc_store_adapter.documents.stored_fields import StoredFields
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.errors import InvalidInputError
from hybrid_search.fusion.fusion import Fusion
from hybrid_search.post_processor.document import Document

RRF_K = 60
SEMANTIC = "semantic_search"
TEXT_FIELDS = (("document_id", "doc_id"), ("document_name", "docnm_kwd"), ("dataset_id", "kb_id"))


class ServiceCandidates:
    """The union of the results of several legs, in their order; a document found by several legs appears once.

    Args:
        legs: the name of each search method and its result.
    """

    def __init__(self, legs: Sequence[tuple[str, SearchResult]]) -> None:
        self._legs = legs
        self._reader = StoredFields()
        self._fields: dict[str, dict[str, Any]] = {}
        self._leg_scores: dict[str, dict[str, float]] = {}
        for method, result in legs:
            for identifier in result.ids:
                merged = self._fields.setdefault(identifier, {})
                for name, value in result.fields_of(identifier).items():
                    merged.setdefault(name, value)
                self._leg_scores.setdefault(identifier, {})[method] = result.scores[identifier]

    @property
    def count(self) -> int:
        """The number of documents found."""
        return len(self._leg_scores)

    @property
    def leg_names(self) -> list[str]:
        """The names of the legs."""
        return [method for method, _ in self._legs]

    def without(self, method: str) -> list[str]:
        """Return the ids of the documents that a leg did not find."""
        return [identifier for identifier, scores in self._leg_scores.items() if method not in scores]

    def leg_scores(self) -> dict[str, float]:
        """Return the score of each document, for a retrieval with one leg."""
        return {identifier: next(iter(scores.values())) for identifier, scores in self._leg_scores.items()}

    def fused_scores(self) -> dict[str, float]:
        """Return the sum of each document's reciprocal ranks in the legs, k = 60, in the order of the legs."""
        rankings = [[(identifier, result.scores[identifier]) for identifier in result.ids] for _, result in self._legs]
        return dict(Fusion.rrf(rankings, RRF_K))

    def documents(self, scores: Mapping[str, float], cosines: Mapping[str, float]) -> list[Document]:
        """Return the documents, each with its `leg_scores`.

        Args:
            scores: the `score` by id; a document that is not included has no score.
            cosines: the `vector_score` of documents that the semantic leg did not find.
        """
        return [self._document(identifier, scores, cosines) for identifier in self._fields]

    def warnings(self) -> tuple[str, ...]:
        """Return one text for each stored field that was not usable somewhere."""
        return self._reader.warnings()

    def _document(self, identifier: str, scores: Mapping[str, float], cosines: Mapping[str, float]) -> Document:
        fields = self._fields[identifier]
        metadata: dict[str, Any] = {"doc_id": identifier}
        for name, field in TEXT_FIELDS:
            value = self._text(identifier, fields, field)
            if value is not None:
                metadata[name] = value
        if isinstance(fields.get("metadata"), Mapping):
            metadata["doc_metadata"] = fields["metadata"]
        leg_scores = self._leg_scores[identifier]
        metadata["leg_scores"] = leg_scores
        vector_score = leg_scores.get(SEMANTIC, cosines.get(identifier))
        if vector_score is not None:
            metadata["vector_score"] = vector_score
        if identifier in scores:
            metadata["score"] = scores[identifier]
        return Document(self._text(identifier, fields, "content_with_weight") or "", metadata)

    def _text(self, identifier: str, fields: Mapping[str, Any], name: str) -> str | None:
        value = fields.get(name)
        if value is None:
            return None
        try:
            return validation.text(name, value)
        except InvalidInputError:
            self._reader.reject(identifier, name, "a text")
            return None
