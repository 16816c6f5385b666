"""The interface that every document store implements (DOC-1)."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from hybrid_search.doc_store_adapter.documents import stored_document
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.protocols import FilterData, OrderPairs

Ranking = list[tuple[str, float]]


class DocStoreAdapter(ABC):
    """A store of documents that can be searched.

    A document is an object with the field names of a RAGFlow index: `id`, token fields (`*_tks`, `*_ltks`) as
    blank-separated text, keyword fields (`*_kwd`), vectors (`q_{dim}_vec`) and any other fields to store. A null value
    means that the field is missing. A store copies documents when it takes and when it returns them: a later change of
    such an object does not change the store.
    """

    @abstractmethod
    def insert(self, documents: Sequence[Mapping[str, Any]]) -> int:
        """Add new documents, all of them or none.

        Returns:
            The number of added documents.

        Raises:
            InvalidInputError: a document has no id, an id that is repeated or already stored, or an unacceptable value.
            DimensionMismatchError: the length of a vector is not the one in the name of its field.
        """

    @abstractmethod
    def update(self, documents: Sequence[Mapping[str, Any]]) -> int:
        """Change stored documents, all of them or none.

        A given field replaces the stored one; a null value removes it.

        Returns:
            The number of documents whose content changed.

        Raises:
            InvalidInputError: as `insert`, and for an id that is not stored.
            DimensionMismatchError: as `insert`.
        """

    @abstractmethod
    def upsert(self, documents: Sequence[Mapping[str, Any]]) -> int:
        """Add new documents and replace stored ones as a whole, all of them or none.

        Returns:
            The number of documents that were added or whose content changed.

        Raises:
            InvalidInputError: as `insert`, except that an id may already be stored.
            DimensionMismatchError: as `insert`.
        """

    @abstractmethod
    def delete(self, identifiers: Sequence[str]) -> int:
        """Remove documents; ids that are not stored are ignored.

        Returns:
            The number of removed documents.
        """

    @abstractmethod
    def get(self, identifier: str) -> dict[str, Any] | None:
        """Return the stored document, or `None`."""

    def get_many(
        self, identifiers: Sequence[str], vector_fields: Sequence[str] | None = None
    ) -> list[dict[str, Any] | None]:
        """Return stored documents in the order of the given ids, with `None` for an id that is not stored.

        Stores that can read several documents at once override this method.

        Args:
            identifiers: the ids.
            vector_fields: the vector fields to return; `None` returns all.
        """
        documents = [self.get(identifier) for identifier in identifiers]
        return documents if vector_fields is None else [_without_vectors(one, vector_fields) for one in documents]

    @abstractmethod
    def count(self) -> int:
        """Return the number of documents."""

    @property
    @abstractmethod
    def generation(self) -> int | str:
        """A value that changes whenever the visible content changes."""

    @property
    def states_generation(self) -> bool:
        """Whether the next search for the best documents also returns the generation (DOC-11)."""
        return False

    @abstractmethod
    def health(self) -> dict[str, Any]:
        """Return `status` ("green" when the store works), `documents` and `generation`."""

    def stats(self) -> dict[str, Any]:
        """Return the size of the store's content as plain data (DOC-6).

        A store that does not count a part reports it as `None`, as this method does for most.

        Returns:
            `documents`; `tokens`; `fields`, name → `documents` that have it and their `tokens`; `vectors`, as
            `vector_fields`; `without_vectors`, the number of documents without vectors; `memory`, part → bytes; and
            `generation`.
        """
        parts = ("tokens", "fields", "without_vectors", "memory")
        known = {"vectors": self.vector_fields(), "generation": self.generation}
        return {"documents": self.count(), **dict.fromkeys(parts), **known}

    def vector_fields(self) -> dict[str, dict[str, Any]] | None:
        """Return the known facts about the vectors (DOC-7), without reading documents.

        Returns:
            `None` if the store does not count vectors, as here. Otherwise vector field → `dimension`; `count`, the
            number of documents that have it; `missing`, the number of those that do not; `model`, the name of the model
            that made the vectors, or `None`; and `origin`: "index" if an index embedded them, "records" if records
            brought them, "both", or `None`. A field without vectors is listed as long as its model is stored.
        """
        return None

    def keep_vector_model(self, field: str, model: str | None, origin: str = "index") -> None:
        """Store the name of the model and the origin of a field's vectors (DOC-7); this method ignores them.

        Storing the same values again changes nothing. The generation stays the same.

        Args:
            field: a vector field.
            model: the name of the model; `None` if it is not known.
            origin: "index" if an index embeds documents, "records" if the records bring their vectors.

        Raises:
            InvalidInputError: an argument is invalid, or the field has vectors and the stored model is another one.
        """
        return

    @abstractmethod
    def search(
        self,
        select_fields: Sequence[str] | None = None,
        filters: FilterData | None = None,
        match_exprs: Sequence[Any] = (),
        order_by: OrderPairs = (),
        limit: int = 10,
        offset: int = 0,
        rank_feature: Mapping[str, float] | None = None,
        *,
        highlight_fields: Sequence[str] = (),
        agg_fields: Sequence[str] = (),
        keywords: Sequence[str] = (),
    ) -> SearchResult:
        """Find documents.

        Args:
            select_fields: the fields to return; `None` returns all.
            filters: the condition that documents have to meet (DOC-2).
            match_exprs: empty, a `MatchTextExpr`, a `MatchDenseExpr`, or both of them and a `FusionExpr`.
            order_by: `[field, "asc" or "desc"]` pairs that sort the documents before the score does. Ids in ascending
                order break ties.
            limit: the maximum number of documents to return.
            offset: the number of documents to skip first.
            rank_feature: the weights of page rank and tags in the scores of the text leg (RNK-10).
            highlight_fields: the fields to highlight; the first one that contains a keyword is used (DOC-4).
            agg_fields: the fields whose values are counted over all candidates (DOC-4).
            keywords: the words to highlight.

        Raises:
            InvalidInputError: an argument is not acceptable.
            DimensionMismatchError: the length of a query vector is not the one in the name of its field.
        """

    @abstractmethod
    def rank(self, match_exprs: Sequence[Any], filters: FilterData | None = None) -> Ranking:
        """Return all candidates as (id, score) in the order of ORD-1; `search` returns a slice of them."""

    # The guarantees of a store (DOC-8). A store with other guarantees overrides these properties.

    @property
    def exact_text(self) -> bool:
        """Whether the scores of text queries equal those of a `MemoryDocStore`, bit for bit."""
        return False

    @property
    def supports_bm25f(self) -> bool:
        """Whether the store finds the documents of a `MatchBm25fExpr` (DOC-9), with its own scores."""
        return self.exact_text

    @property
    def exact_dense(self) -> bool:
        """Whether a dense leg finds all the nearest vectors, with exact cosines bit for bit (NUM-3)."""
        return True

    @property
    def atomic_batches(self) -> bool:
        """Whether a batch is stored as a whole or not at all, and every reader sees it so."""
        return True

    @property
    def history_free(self) -> bool:
        """Whether scores depend on the current documents alone, not on their order or on earlier changes."""
        return True

    @property
    def fuses_scores(self) -> bool:
        """Whether the store's own score is final, so that local reranking is skipped (RNK-6)."""
        return False


def _without_vectors(document: dict[str, Any] | None, kept: Sequence[str]) -> dict[str, Any] | None:
    """Return a document with only those vectors whose fields are in `kept`."""
    if document is None:
        return None
    return {
        field: value for field, value in document.items() if field in kept or not stored_document.is_vector_field(field)
    }
