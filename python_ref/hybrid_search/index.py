"""The front door: records in, hits out (IDX-3, IDX-6)."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, Self, Unpack

from hybrid_search import _validation as validation
from hybrid_search._kernels import kernel
from hybrid_search._observation import Observation, Observer
from hybrid_search.doc_store_adapter import _file_embedding as file_embedding
from hybrid_search.doc_store_adapter import _source as store_source
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.doc_store_adapter.memory import MemoryDocStore
from hybrid_search.doc_store_adapter.sqlite import SqliteDocStore
from hybrid_search.document_builder import DocumentBuilder
from hybrid_search.embedding import _source as embedding_source
from hybrid_search.embedding._source import NOT_GIVEN, NotGiven
from hybrid_search.embedding.embedding import Embedding
from hybrid_search.errors import HybridSearchError, InvalidInputError
from hybrid_search.protocols import Embedder, OtherKeys, Records
from hybrid_search.query_builder.builder import MAX_QUESTION_LENGTH, QueryBuilder
from hybrid_search.query_builder.synonyms import Synonyms
from hybrid_search.query_builder.term_weight import TermWeight
from hybrid_search.records._index_documents import IndexDocuments
from hybrid_search.records._record_writer import OPTIONS as WRITE_OPTIONS
from hybrid_search.records._record_writer import Progress, RecordWriter
from hybrid_search.search._index_searches import IndexSearches
from hybrid_search.search._search_options import IndexOptions
from hybrid_search.search._search_settings import OPTIONS as SEARCH_OPTIONS
from hybrid_search.search._search_settings import SearchSettings
from hybrid_search.search._searcher import Searcher
from hybrid_search.search.ranking_cache import RankingCache
from hybrid_search.text import _function_tokenizer as function_tokenizer
from hybrid_search.text._function_tokenizer import Cut
from hybrid_search.text.segmenter import Segmenter
from hybrid_search.text.tokenizer import Tokenizer, TokenizerLike

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
    "max_results",
    "cursor_secret",
    "ranking_cache",
    "kernels",
    "observer",
    *SEARCH_OPTIONS,
)


class Index(IndexDocuments, IndexSearches):
    """A store with all that is needed to fill and to search it.

    ```python
    index = Index(embedding=HashingEmbedder())
    index.add([{"id": "1", "content": "MISRA C++ rule 6-2-1: no assignment in sub-expressions"}])
    for hit in index.search("rule 6-2-1"):
        print(hit.score, hit.content)
    ```

    Args:
        store: where the documents are; a new `MemoryDocStore` when neither it nor `path` is given.
        path: a file that holds the documents, made when there is none: a `SqliteDocStore` (SQL-1).
        embedding: an `Embedding`, or a provider for one; without it only full text is searched. Where it is not given,
            a file's own counts, as far as the file states it (SQL-1); `None` is no embedding.
        tokenizer: cuts documents and questions, or a function that does; the default `Tokenizer` when not given.
        synonyms: widens questions, or a mapping word → word or list of words; none when not given.
        term_weight: weighs a question's terms; the default `TermWeight` when not given.
        fields: field → boost: where questions look, in the place of those of the text leg (QRY-1, QRY-11).
        title_weight: the share of the title in a document's vector (IDX-2).
        any_vectors: whether records' vectors are kept that no question finds: zero, or of another dimension than the
            embedding's (IDX-2).
        max_question_length: how many code points a question has at the most, 1 or more; none: any number.
        max_results: the largest `limit` and number of `candidates` that count, at least 1 (CUR-1).
        cursor_secret: signs cursors, bytes or a text; none: they are not signed (CUR-3).
        ranking_cache: keeps rankings between the pages of a search (CUR-7); none: each page ranks again.
        kernels: "plain" or "fast", for what is not given; see `kernels.choice`.
        observer: called with the name and the data of each event (OBS-1).
        options: defaults of `search`; `profile` is "balanced" unless given, "ragflow" on a store whose text scores are
            not exact (RET-10).

    Raises:
        InvalidInputError: an argument is not acceptable (ERR-3), unknown, or an embedding of another model or dimension
            than the store's vectors (DOC-7).
    """

    def __init__(
        self,
        *,
        store: DocStoreAdapter | None = None,
        path: str | os.PathLike[str] | None = None,
        embedding: Embedding | Embedder | NotGiven | None = NOT_GIVEN,
        tokenizer: TokenizerLike | Cut | None = None,
        synonyms: Synonyms | Mapping[str, str | Sequence[str]] | None = None,
        term_weight: TermWeight | None = None,
        fields: Mapping[str, float] | None = None,
        title_weight: float | None = None,
        any_vectors: bool = False,
        max_question_length: int | None = MAX_QUESTION_LENGTH,
        max_results: int = 1024,
        cursor_secret: bytes | str | None = None,
        ranking_cache: RankingCache | None = None,
        kernels: str | None = None,
        observer: Observer | None = None,
        **options: Unpack[IndexOptions],
    ) -> None:
        validation.known("option", options, OPTIONS)
        if tokenizer is None:
            tokenizer = Tokenizer(Segmenter(kernels=kernels))
        tokenizer = function_tokenizer.accept("tokenizer", tokenizer)
        if term_weight is None:
            term_weight = kernel("term_weight", kernels)(tokenizer)
        chosen = None if embedding is NOT_GIVEN else embedding_source.accept("embedding", embedding)
        if path is not None and store is not None:
            raise InvalidInputError("store and path exclude each other")
        query_builder = QueryBuilder(
            tokenizer=tokenizer,
            term_weight=term_weight,
            synonyms=synonyms,
            fields=fields,
            max_question_length=max_question_length,
        )
        self._observation = Observation(observer)

        title_weight = None if title_weight is None else validation.number("title_weight", title_weight, 0.0, 1.0)
        any_vectors = validation.boolean("any_vectors", any_vectors)

        settings = SearchSettings.of(max_results, cursor_secret, ranking_cache, options)

        def searcher(store: DocStoreAdapter, embedding: Embedding | None) -> Searcher:
            return Searcher(store, query_builder, embedding, settings, kernels, any_vectors, self._observation)

        def writer(store: DocStoreAdapter, embedding: Embedding | None) -> RecordWriter:
            documents = DocumentBuilder(
                tokenizer=tokenizer,
                embedding=embedding,
                title_weight=title_weight,
                any_vectors=any_vectors,
                observer=self._observation,
            )
            return RecordWriter(store, documents, embedding, self._observation, any_vectors)

        self._file = None
        if path is not None:
            store = self._file = SqliteDocStore(path, kernels=kernels)
        self.store = store_source.accept("store", MemoryDocStore(kernels=kernels) if store is None else store)
        try:
            if self._file is not None and embedding is NOT_GIVEN:
                choice = file_embedding.choice_of(self._file)
                chosen = None if choice is None else choice.embedding()
            self._searcher = searcher(self.store, chosen)
        except BaseException:
            self.close()
            raise
        self._writer = writer(self.store, chosen)
        self._embedding, self._searcher_of, self._writer_of = chosen, searcher, writer
        self._path = None if path is None else os.fspath(path)

    @classmethod
    def open(cls, path: str | os.PathLike[str], **options: Any) -> "Index":
        """Return an index whose documents are in a file: `Index(path=path, **options)`, for a path that is not none.

        Raises:
            InvalidInputError: `path` is none or empty, as an environment variable that is not set; or as `Index`.
        """
        if path is None:
            raise validation.fail("path", path, "the path of a file")
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
        records: Records,
        *,
        batch_size: int = 256,
        progress: Progress | None = None,
        other_keys: OtherKeys = "refuse",
        **unknown: Unpack[validation.NoOptions],
    ) -> int:
        """Add documents, batch by batch; a batch is stored whole or not at all.

        Args:
            records: a list or a stream of records, one record, or a DataFrame of pandas or polars, in which NaN and NaT
                count as missing; see `DocumentBuilder` for the keys of a record.
            batch_size: records embedded and stored at once, at least 1.
            progress: called after each batch with how many are stored, and how many there are in all (-1: not known).
            other_keys: what becomes of keys that no record has: "refuse" is an error, "metadata" moves them there,
                "drop" drops them.
            unknown: refused.

        Returns:
            How many were added.

        Raises:
            InvalidInputError: a record is not acceptable, or its id is in the store already; earlier batches stay.
            DimensionMismatchError: a vector of another dimension than the embedding's; likewise.
        """
        validation.known("option", unknown, WRITE_OPTIONS)
        return self._writer.add(records, batch_size, progress, other_keys)

    def update(
        self,
        records: Records,
        *,
        batch_size: int = 256,
        progress: Progress | None = None,
        other_keys: OtherKeys = "refuse",
        **unknown: Unpack[validation.NoOptions],
    ) -> int:
        """Change stored documents, batch by batch (IDX-5).

        What a key makes is made anew, tokens and vectors too; the rest of a document stays as it is. Nothing is
        embedded where the texts of a vector stay the same.

        Args:
            records: as for `add`, each an `id` and the keys that change; null removes a key.
            batch_size: as for `add`.
            progress: called after each batch with how many are done, and how many there are in all (-1: not known).
            other_keys: as for `add`.
            unknown: refused.

        Returns:
            How many documents have changed; one that is the same afterwards does not count.

        Raises:
            InvalidInputError: a record is not acceptable, its id is not in the store, or is twice in a batch; or it
                changes the text of a vector without giving another, and there is no embedding. Earlier batches stay.
            DimensionMismatchError: a vector of another dimension than the embedding's; likewise.
        """
        validation.known("option", unknown, WRITE_OPTIONS)
        return self._writer.update(records, batch_size, progress, other_keys)

    def upsert(
        self,
        records: Records,
        *,
        batch_size: int = 256,
        progress: Progress | None = None,
        other_keys: OtherKeys = "refuse",
        **unknown: Unpack[validation.NoOptions],
    ) -> int:
        """Add documents, or replace stored ones as a whole, batch by batch (IDX-5).

        Args:
            records: as for `add`.
            batch_size: as for `add`.
            progress: as for `update`.
            other_keys: as for `add`.
            unknown: refused.

        Returns:
            How many were added or changed; one that is stored already as it is given does not count.

        Raises:
            InvalidInputError: a record is not acceptable, or its id is twice in a batch; earlier batches stay.
            DimensionMismatchError: a vector of another dimension than the embedding's; likewise.
        """
        validation.known("option", unknown, WRITE_OPTIONS)
        return self._writer.upsert(records, batch_size, progress, other_keys)

    def rebuild(
        self,
        records: Records,
        *,
        embedding: Embedding | Embedder | None = None,
        batch_size: int = 256,
        progress: Progress | None = None,
        other_keys: OtherKeys = "refuse",
        **unknown: Unpack[validation.NoOptions],
    ) -> int:
        """Replace all documents of an index file by others, at once.

        Until the last record is stored, searches see the documents as they were, in every process, and writers wait;
        then all of them see the new ones. Where a record is refused, or the process is killed, nothing has changed.

        Args:
            records: as for `add`; an id may be there once.
            embedding: makes the vectors from now on, another one or the same; that of the index when not given. Other
                processes that search with the one before must open the file again.
            batch_size: as for `add`.
            progress: as for `add`.
            other_keys: as for `add`.
            unknown: refused.

        Returns:
            The number of documents.

        Raises:
            InvalidInputError: the documents are not in an index file, or a record is not acceptable.
            DimensionMismatchError: a vector of another dimension than the embedding's.
            DocStoreError: another process is writing, or the disk is full.
        """
        validation.known("option", unknown, ("embedding", *WRITE_OPTIONS))
        store = self._index_file("rebuilt")
        accepted = self._embedding if embedding is None else embedding_source.accept("embedding", embedding)
        with store.rebuilding() as fresh:
            count = self._writer_of(fresh, accepted).add(records, batch_size, progress, other_keys)
        if accepted is not self._embedding:
            self._searcher = self._searcher_of(self.store, accepted)
            self._writer, self._embedding = self._writer_of(self.store, accepted), accepted
        return count

    def check(self) -> list[str]:
        """Read an index file whole and return what is wrong with it, in sentences; an empty list where nothing is.

        Raises:
            InvalidInputError: the documents are not in an index file.
            DocStoreError: the file cannot be read.
        """
        return self._index_file("checked").check()

    def _index_file(self, what: str) -> SqliteDocStore:
        if not isinstance(self.store, SqliteDocStore):
            raise InvalidInputError(f"only an index file can be {what}: open the index with a path")
        return self.store

    def stats(self) -> dict[str, Any]:
        """What is in the index, in plain data; see `DocStoreAdapter.stats`."""
        return self.store.stats()

    def __len__(self) -> int:
        return self.count()

    def __repr__(self) -> str:
        name = f" {self._path}" if self._path is not None else ""
        model = "no vectors" if self._embedding is None else self._embedding.model or "a model without a name"
        try:
            documents = f"{self.store.count():,} documents"
        except HybridSearchError:  # the file is closed, the server is away
            documents = "documents that cannot be read"
        return f"<Index{name}: {documents}, {model}>"
