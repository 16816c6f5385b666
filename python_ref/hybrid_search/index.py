"""The front door: documents in, answers out (IDX-3)."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Self, Unpack

from hybrid_search import _awaitable as awaitable
from hybrid_search import _own_values as own_values
from hybrid_search import _validation as validation
from hybrid_search._kernels import kernel
from hybrid_search._observation import Observation, Observer
from hybrid_search.doc_store_adapter import _vector_models as vector_models
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.doc_store_adapter.memory import MemoryDocStore
from hybrid_search.doc_store_adapter.sqlite import SqliteDocStore
from hybrid_search.document_builder import DocumentBuilder, Record
from hybrid_search.embedding.embedding import METHODS, Embedding
from hybrid_search.errors import InvalidInputError
from hybrid_search.protocols import Embedder
from hybrid_search.query_builder.builder import MAX_QUESTION_LENGTH, QueryBuilder
from hybrid_search.query_builder.synonyms import Synonyms
from hybrid_search.query_builder.term_weight import TermWeight
from hybrid_search.retriever._query_request import QueryOptions, RetrieverOptions
from hybrid_search.retriever._request import RetrievalOptions
from hybrid_search.retriever.query_result import QueryHit, QueryResult
from hybrid_search.retriever.ranking_cache import RankingCache
from hybrid_search.retriever.result import RetrievalResult
from hybrid_search.retriever.retriever import OPTION_DEFAULTS, SETTINGS, Retriever
from hybrid_search.text.segmenter import Segmenter
from hybrid_search.text.tokenizer import Tokenizer, TokenizerLike

Progress = Callable[[int, int], None]

OPTIONS = (
    "store",
    "path",
    "embedding",
    "tokenizer",
    "synonyms",
    "term_weight",
    "fields",
    "title_weight",
    "any_vectors",
    "max_question_length",
    *SETTINGS,
    *OPTION_DEFAULTS,
)

_PLACE_IN_BATCH = re.compile(r"\Adocuments\[(\d+)\]")


class Index:
    """A store with all that is needed to fill and to search it.

    ```python
    index = Index(embedding=HashingEmbedder())
    index.add([{"id": "1", "content": "MISRA C++ rule 6-2-1: no assignment in sub-expressions"}])
    for chunk in index.search("rule 6-2-1").chunks:
        print(chunk.similarity, chunk.content_with_weight)
    ```

    Args:
        store: where the documents are; a new `MemoryDocStore` when neither it nor `path` is given.
        path: a file that holds the documents, made when there is none: a `SqliteDocStore` (SQL-1).
        embedding: an `Embedding`, or a provider for one; without it only full text is searched.
        tokenizer: cuts documents and questions; the default `Tokenizer` when not given.
        synonyms: widens questions; none when not given.
        term_weight: weighs a question's terms; the default `TermWeight` when not given.
        fields: field → boost: where questions look, in the place of RAGFlow's (QRY-1).
        title_weight: the share of the title in a document's vector (IDX-2).
        any_vectors: whether records' vectors are kept that no question finds: zero, or of another dimension than the
            embedding's (IDX-2).
        max_question_length: how many code points a question has at the most, 1 or more; none: any number.
        max_page_size: the largest page a search may ask for.
        max_results: the cap of `query`, as for `Retriever`.
        cursor_secret: what cursors of `query` are signed with, as for `Retriever`.
        ranking_cache: keeps rankings between the pages of `query`, as for `Retriever`.
        kernels: "plain" or "fast", for what is not given; see `kernels.choice`.
        observer: called with the name and the data of each event (OBS-1).
        options: defaults of `search` and `query`, see `RetrievalOptions` and `QueryOptions`; `full_pages` is true
            unless given.
    """

    def __init__(
        self,
        *,
        store: DocStoreAdapter | None = None,
        path: str | os.PathLike[str] | None = None,
        embedding: Embedding | Embedder | None = None,
        tokenizer: TokenizerLike | None = None,
        synonyms: Synonyms | None = None,
        term_weight: TermWeight | None = None,
        fields: Mapping[str, float] | None = None,
        title_weight: float | None = None,
        any_vectors: bool = False,
        max_question_length: int | None = MAX_QUESTION_LENGTH,
        max_page_size: int = 1024,
        max_results: int = 1024,
        cursor_secret: bytes | str | None = None,
        ranking_cache: RankingCache | None = None,
        kernels: str | None = None,
        observer: Observer | None = None,
        **options: Unpack[RetrieverOptions],
    ) -> None:
        validation.known("option", options, OPTIONS)
        tokenizer = tokenizer if tokenizer is not None else Tokenizer(Segmenter(kernels=kernels))
        if term_weight is None:
            term_weight = kernel("term_weight", kernels)(tokenizer)
        if embedding is not None and not isinstance(embedding, Embedding):
            awaitable.refuse("embedding", embedding, METHODS)
            embedding = Embedding(embedding)
        if path is not None and store is not None:
            raise InvalidInputError("store and path exclude each other")
        self._file = None if path is None else SqliteDocStore(path, kernels=kernels)
        self.store = self._file or (store if store is not None else MemoryDocStore(kernels=kernels))
        query_builder = QueryBuilder(
            tokenizer=tokenizer,
            term_weight=term_weight,
            synonyms=synonyms,
            fields=fields,
            max_question_length=max_question_length,
        )
        defaults: RetrieverOptions = {"full_pages": True, **options}
        self._observation = Observation(observer)
        self.retriever = Retriever(
            self.store,
            query_builder,
            embedding,
            max_page_size=max_page_size,
            max_results=max_results,
            cursor_secret=cursor_secret,
            ranking_cache=ranking_cache,
            kernels=kernels,
            observer=self._observation,
            **defaults,
        )
        self._embedding = embedding
        self._documents = DocumentBuilder(
            tokenizer=tokenizer,
            embedding=embedding,
            title_weight=title_weight,
            any_vectors=any_vectors,
            observer=self._observation,
        )

    @classmethod
    def open(cls, path: str | os.PathLike[str], **options: Any) -> "Index":
        """An index whose documents are in a file; the same as `Index(path=path, **options)`."""
        return cls(path=path, **options)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file, if the index was given a path; a store that it was given stays as it is."""
        if self._file is not None:
            self._file.close()

    def add(
        self,
        records: Iterable[Record],
        *,
        batch_size: int = 256,
        progress: Progress | None = None,
        **unknown: Unpack[validation.NoOptions],
    ) -> int:
        """Add documents, batch by batch; a batch is stored whole or not at all.

        Args:
            records: see `DocumentBuilder`; may be read from a stream.
            batch_size: records embedded and stored at once, at least 1.
            progress: called after each batch with how many are stored, and how many there are in all (-1: not known).
            unknown: refused.

        Returns:
            How many were added.

        Raises:
            InvalidInputError: a record is not acceptable, or its id is in the store already; earlier batches stay.
            DimensionMismatchError: a vector of another dimension than the embedding's; likewise.
        """
        validation.known("option", unknown, ("batch_size", "progress"))
        batch_size = validation.integer("batch_size", batch_size, 1)
        if isinstance(records, (str, bytes, Mapping)) or not isinstance(records, Iterable):
            raise validation.fail("records", records, "a list of records")
        total = len(records) if isinstance(records, Sequence) else -1
        added = 0
        for batch in _batches(records, batch_size):
            with self._observation.measure("add", documents=len(batch)):
                self._store(batch, added)
            added += len(batch)
            if progress is not None:
                progress(added, total)
        return added

    def _store(self, records: Sequence[Record], first: int) -> None:
        """Store a batch; errors name records by their places in all that was given."""
        documents = self._documents.build_many(records, first)
        vector_models.claim(self.store, self._embedding, documents)
        try:
            self.store.insert(documents)
        except InvalidInputError as error:
            message = _PLACE_IN_BATCH.sub(lambda found: f"records[{first + int(found.group(1))}]", str(error))
            raise InvalidInputError(message) from None

    def delete(self, ids: Sequence[str | int]) -> int:
        """Remove documents by id; ids that are not there are passed over. Returns how many were removed."""
        return self.store.delete(own_values.identifiers("ids", ids))

    def get(self, identifier: str | int) -> dict[str, Any] | None:
        """The stored document of an id, none if there is none."""
        return self.store.get(own_values.identifier("id", identifier))

    def count(self) -> int:
        """How many documents there are."""
        return self.store.count()

    def stats(self) -> dict[str, Any]:
        """What is in the index, in plain data; see `DocStoreAdapter.stats`."""
        return self.store.stats()

    def search(self, question: str = "", **options: Unpack[RetrievalOptions]) -> RetrievalResult:
        """One page of answers; see `Retriever.retrieve`."""
        return self.retriever.retrieve(question, **options)

    def each_page(self, question: str = "", **options: Unpack[RetrievalOptions]) -> Iterator[RetrievalResult]:
        """All pages of answers one after another; see `Retriever.each_page`."""
        return self.retriever.each_page(question, **options)

    def query(self, question: str = "", **options: Unpack[QueryOptions]) -> QueryResult:
        """One page of a walk by cursor; see `Retriever.query`."""
        return self.retriever.query(question, **options)

    def each_result(self, question: str = "", **options: Unpack[QueryOptions]) -> Iterator[QueryHit]:
        """All results of a walk one after another; see `Retriever.each_result`."""
        return self.retriever.each_result(question, **options)


def _batches(records: Iterable[Record], size: int) -> Iterator[list[Record]]:
    batch: list[Record] = []
    for record in records:
        batch.append(record)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
