"""Makes documents, with the fields of a RAGFlow index, from records (IDX-1, IDX-2, IDX-5)."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from hybrid_search.base import validation
from hybrid_search.base.observation import Observation, Observer
from hybrid_search.embedding import embedding_argument
from hybrid_search.embedding.embedding import Embedding
from hybrid_search.protocols import Embedder, Record
from hybrid_search.records import record_values, record_vectors
from hybrid_search.records.batch_limits import BatchLimits
from hybrid_search.records.record_changes import RecordChanges, Stored
from hybrid_search.records.record_fields import Ready, RecordFields
from hybrid_search.records.record_vectors import RecordVectors
from hybrid_search.text import function_tokenizer
from hybrid_search.text.function_tokenizer import Cut
from hybrid_search.text.tokenizer import Tokenizer, TokenizerLike

if TYPE_CHECKING:  # an index without workers loads none of this
    from hybrid_search.records.text_workers import TextWorkers

RECORD_KEYS = record_values.KEYS
"""The keys of a record; all but `id` and `content` are optional, and a key whose value is null counts as absent."""

MOST_WORKERS = 256
"""The maximum number of processes that cut texts into tokens."""

StoredDocument = dict[str, Any]


class DocumentBuilder:
    """Makes stored documents from records.

    Args:
        tokenizer: cuts titles and contents into tokens, or a function that does; default: a `Tokenizer`.
        embedding: computes the vectors of records without one; without an embedding they have no vector.
        title_weight: the share of the title in a vector (IDX-2), 0 to 1; `None`: only the content is embedded.
        any_vectors: whether vectors that no question can find are stored: zero vectors, or vectors of another dimension
            than the embedding's.
        observer: receives an event for each request of vectors (OBS-1).
    """

    @validation.known_options(("tokenizer", "embedding", "title_weight", "any_vectors", "observer"))
    def __init__(
        self,
        tokenizer: TokenizerLike | Cut | None = None,
        embedding: Embedding | Embedder | None = None,
        title_weight: float | None = None,
        any_vectors: bool = False,
        observer: Observation | Observer | None = None,
    ) -> None:
        self._tokenizer = Tokenizer() if tokenizer is None else function_tokenizer.accept("tokenizer", tokenizer)
        self._fields = RecordFields(self._tokenizer)
        self._vectors = RecordVectors(
            embedding_argument.accept("embedding", embedding),
            None if title_weight is None else validation.number("title_weight", title_weight, 0.0, 1.0),
            validation.boolean("any_vectors", any_vectors),
            Observation.of(observer),
        )

    def build(self, record: Record) -> StoredDocument:
        """Return the stored document of one record.

        Raises:
            InvalidInputError: an unknown key, a missing or empty id, or a value of the wrong type; the message names
                it.
            DimensionMismatchError: a vector of another dimension than the embedding's.
        """
        return self.build_many([record])[0]

    def check(self, name: str, record: Record) -> None:
        """Refuse a record that cannot become a document; this does not cover failures of its embedding.

        Args:
            name: the name of the record in messages.
            record: as for `build`.

        Raises:
            InvalidInputError: as `build`.
            DimensionMismatchError: likewise.
        """
        self._vectors.check_record(name, record_values.whole(name, record))

    def batch_limits(self, size: int | None) -> BatchLimits:
        """Return the limits of batches of records (IDX-3); `size` is the number of records, or `None`."""
        return BatchLimits(size, self._vectors.needs_model)

    def workers(self, count: int) -> "TextWorkers":
        """Return processes that cut the texts of batches into tokens (IDX-7).

        Args:
            count: the number of processes, 1 to 256; 1 starts none.

        Raises:
            InvalidInputError: another number, or the tokenizer cannot be made again in another process.
        """
        from hybrid_search.records.text_workers import TextWorkers

        return TextWorkers(self._tokenizer, validation.integer("workers", count, 1, MOST_WORKERS))

    def build_many(
        self,
        records: Sequence[Record],
        first: int = 0,
        wanted: Callable[[StoredDocument], bool] | None = None,
        ready: Sequence[Ready] | None = None,
    ) -> list[StoredDocument]:
        """Return the stored documents of many records; their vectors are requested in one call.

        Args:
            records: as for `build`.
            first: the place of the first record in its source, for messages.
            wanted: called with each document, in order, before it is embedded; documents for which it returns false are
                omitted. A document has no vector at that time, unless its record has one.
            ready: the result of `RecordFields.of_texts` for each record, if it is known.

        Raises:
            InvalidInputError: as `build`; the message also names the place of the record.
            DimensionMismatchError: likewise.
        """
        places = [f"records[{index}]" for index in range(first, first + len(records))]
        checked = [record_values.whole(place, record) for place, record in zip(places, records, strict=True)]
        known = [None] * len(checked) if ready is None else ready
        made = [self._fields.made_of(RECORD_KEYS, *each) for each in zip(checked, known, strict=True)]
        documents = [{field: value for field, value in fields.items() if value is not None} for fields in made]
        self._vectors.check(checked, first)
        for record, document in zip(checked, documents, strict=True):
            if "vector" in record:
                document[record_vectors.field(record["vector"])] = record["vector"]
        kept = [pair for pair in zip(checked, documents, strict=True) if wanted is None or wanted(pair[1])]
        without = [(record, document) for record, document in kept if "vector" not in record]
        vectors = self._vectors.made_of([record for record, _ in without])
        for (_, document), vector in zip(without, vectors, strict=True):
            if vector is not None:
                document[record_vectors.field(vector)] = vector
        self._vectors.check(checked, first)
        return [document for _, document in kept]

    def changes(self, records: Sequence[Record], stored: Stored, first: int = 0) -> list[StoredDocument]:
        """Return the changes of stored documents: the fields of the given keys, null for removed ones (IDX-5).

        Args:
            records: each an id and the keys that change; null removes a key.
            stored: returns the stored document of an id, or `None`.
            first: as for `build_many`.

        Raises:
            InvalidInputError: as `build_many`; an id that is not stored, or given twice; a text that changes although
                the document has a vector, without a new vector and without an embedding.
            DimensionMismatchError: as `build_many`.
        """
        return RecordChanges(self._fields, self._vectors).made_of(records, stored, first)
