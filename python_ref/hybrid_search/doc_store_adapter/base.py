"""What every document store can do (DOC-1)."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from hybrid_search.doc_store_adapter.documents import stored_document
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.protocols import FilterData, OrderPairs

Ranking = list[tuple[str, float]]


class DocStoreAdapter(ABC):
    """A place that holds documents and finds them again.

    A document is an object of the field names of an existing RAGFlow index: `id`, token fields (`*_tks`, `*_ltks`) as
    blank-separated text, keyword fields (`*_kwd`), vectors (`q_{dim}_vec`) and whatever else is to be kept. A null
    value means that the field is missing. Documents go in and come out as values: changing one outside changes
    nothing in the store.
    """

    @abstractmethod
    def insert(self, documents: Sequence[Mapping[str, Any]]) -> int:
        """Add new documents, all of them or none.

        Returns:
            How many were added.

        Raises:
            InvalidInputError: a document without an id, an id twice or already stored, an unacceptable value.
            DimensionMismatchError: a vector whose length is not the one its field's name gives.
        """

    @abstractmethod
    def update(self, documents: Sequence[Mapping[str, Any]]) -> int:
        """Change stored documents, all of them or none: fields given replace the stored ones, null removes one.

        Returns:
            How many were changed; one that is the same afterwards does not count.

        Raises:
            InvalidInputError: as `insert`, and for an id that is not stored.
            DimensionMismatchError: as `insert`.
        """

    @abstractmethod
    def upsert(self, documents: Sequence[Mapping[str, Any]]) -> int:
        """Add new documents and replace stored ones as a whole, all of them or none.

        Returns:
            How many were added or changed; one that is stored already as it is given does not count.

        Raises:
            InvalidInputError: as `insert`, but for an id that is already stored.
            DimensionMismatchError: as `insert`.
        """

    @abstractmethod
    def delete(self, identifiers: Sequence[str]) -> int:
        """Remove documents; ids that are not stored are passed over.

        Returns:
            How many were removed.
        """

    @abstractmethod
    def get(self, identifier: str) -> dict[str, Any] | None:
        """The stored document, or none."""

    def get_many(
        self, identifiers: Sequence[str], vector_fields: Sequence[str] | None = None
    ) -> list[dict[str, Any] | None]:
        """Return stored documents in the order of their ids, none for one that is not stored.

        A store that reads several documents at once overrides it.

        Args:
            identifiers: the ids.
            vector_fields: the vector fields to return; none returns all.
        """
        documents = [self.get(identifier) for identifier in identifiers]
        return documents if vector_fields is None else [_without_vectors(one, vector_fields) for one in documents]

    @abstractmethod
    def count(self) -> int:
        """How many documents there are."""

    @property
    @abstractmethod
    def generation(self) -> int | str:
        """A value that is another one whenever the visible content has changed."""

    @abstractmethod
    def health(self) -> dict[str, Any]:
        """`status` ("green" when the store works), `documents` and `generation`."""

    def stats(self) -> dict[str, Any]:
        """What is in the store, in plain data (DOC-6); a part that it does not count is none, as most are here.

        Returns:
            `documents`; `tokens`; `fields`, name → `documents` that have it and their `tokens`; `vectors`, as
            `vector_fields`; `without_vectors`, the number of documents that have none; `memory`, part → bytes; and
            `generation`.
        """
        parts = ("tokens", "fields", "without_vectors", "memory")
        known = {"vectors": self.vector_fields(), "generation": self.generation}
        return {"documents": self.count(), **dict.fromkeys(parts), **known}

    def vector_fields(self) -> dict[str, dict[str, Any]] | None:
        """Return what is known of the vectors (DOC-7), without reading documents; none: nothing is counted, as here.

        Returns:
            Vector field → `dimension`; `count`, the number of documents that have it; `missing`, the number of those
            that do not; `model`, the name of the model that made the vectors, or none; and `origin`: "index" embedded
            them, "records" brought them, or "both"; or none. Fields without vectors are there while a model is kept.
        """
        return None

    def keep_vector_model(self, field: str, model: str | None, origin: str = "index") -> None:
        """Keep which model makes the vectors of a field, and where they come from (DOC-7); here it is forgotten.

        Nothing happens where it is kept already. The generation stays.

        Args:
            field: a vector field.
            model: the name of the model; none: not known.
            origin: "index" where an index embeds documents, "records" where these bring their vectors.

        Raises:
            InvalidInputError: no vector field, no name, no origin, or another model is kept and there are vectors.
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
            select_fields: the fields to return; none returns all.
            filters: which documents count at all (DOC-2).
            match_exprs: none, a `MatchTextExpr`, a `MatchDenseExpr`, or two of them and a `FusionExpr`.
            order_by: `[field, "asc" or "desc"]` pairs; without match expressions the order, with them an order before
                the score. Ids ascending decide last.
            limit: how many documents to return at the most.
            offset: how many to pass over first.
            rank_feature: tags of the question; a store may use them for recall or leave them to the reranker.
            highlight_fields: the fields to highlight, the first that holds a keyword counts (DOC-4).
            agg_fields: the fields to count the values of, over all candidates (DOC-4).
            keywords: what to highlight.

        Raises:
            InvalidInputError: an argument is not acceptable.
            DimensionMismatchError: a query vector whose length is not the one its field's name gives.
        """

    @abstractmethod
    def rank(self, match_exprs: Sequence[Any], filters: FilterData | None = None) -> Ranking:
        """All candidates as (id, score) in the order of ORD-1: what `search` takes a slice of."""

    # What a store promises (DOC-8); one that promises something else than is said here overrides it.

    @property
    def exact_text(self) -> bool:
        """Whether the scores of text queries are those of a `MemoryDocStore`, bit for bit."""
        return False

    @property
    def exact_dense(self) -> bool:
        """Whether a dense leg finds all the nearest vectors, with their cosines bit for bit (NUM-3)."""
        return True

    @property
    def atomic_batches(self) -> bool:
        """Whether a batch is stored whole or not at all, and is seen so by every reader."""
        return True

    @property
    def history_free(self) -> bool:
        """Whether scores depend on the documents alone, not on their order or on what was changed and deleted."""
        return True

    @property
    def fuses_scores(self) -> bool:
        """Whether the store's own score is the final one, so that local reranking is skipped (RNK-6)."""
        return False


def _without_vectors(document: dict[str, Any] | None, kept: Sequence[str]) -> dict[str, Any] | None:
    """A document with no other vectors than those that are kept."""
    if document is None:
        return None
    return {
        field: value for field, value in document.items() if field in kept or not stored_document.is_vector_field(field)
    }
