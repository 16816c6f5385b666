"""The index: add records and search them (IDX-3, IDX-6)."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, Self, Unpack

from hybrid_search.base import validation
from hybrid_search.base.kernels import kernel
from hybrid_search.base.known_names import KnownClassNames, KnownNames
from hybrid_search.base.observation import Observation, Observer
from hybrid_search.doc_store_adapter import store_argument
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.doc_store_adapter.memory.memory_doc_store import MemoryDocStore
from hybrid_search.doc_store_adapter.sqlite import file_embedding
from hybrid_search.doc_store_adapter.sqlite.sqlite_doc_store import SqliteDocStore
from hybrid_search.embedding import embedding_argument
from hybrid_search.embedding.embedding import Embedding
from hybrid_search.embedding.embedding_argument import NOT_GIVEN, NotGiven
from hybrid_search.errors import HybridSearchError, InvalidInputError
from hybrid_search.protocols import Embedder, OtherKeys, Records
from hybrid_search.query_builder.builder import MAX_QUESTION_LENGTH, QueryBuilder
from hybrid_search.query_builder.synonyms import Synonyms
from hybrid_search.query_builder.term_weight import TermWeight
from hybrid_search.readers.index_additions import IndexAdditions
from hybrid_search.records.document_builder import DocumentBuilder
from hybrid_search.records.index_documents import IndexDocuments
from hybrid_search.records.record_writer import Progress, RecordWriter
from hybrid_search.search.index_searches import IndexSearches
from hybrid_search.search.index_tags import IndexTags
from hybrid_search.search.ranking_cache import RankingCache
from hybrid_search.search.search_options import IndexOptions
from hybrid_search.search.search_settings import OPTIONS as SEARCH_OPTIONS
from hybrid_search.search.search_settings import SearchSettings
from hybrid_search.search.searcher import Searcher
from hybrid_search.search.tagger import Tagger
from hybrid_search.text import function_tokenizer
from hybrid_search.text.function_tokenizer import Cut
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


class Index(IndexAdditions, IndexDocuments, IndexSearches, IndexTags, KnownNames, metaclass=KnownClassNames):
    """A store, with everything that is needed to fill it and to search it.

    ```python
    index = Index(embedding=HashingEmbedder())
    index.add([{"id": "1", "content": "MISRA C++ rule 6-2-1: no assignment in sub-expressions"}])
    for hit in index.search("rule 6-2-1"):
        print(hit.score, hit.content)
    ```

    Args:
        store: the store of the documents; without `store` and `path` a new `MemoryDocStore`.
        path: the file of the documents, a `SqliteDocStore` (SQL-1); a missing file is created.
        embedding: an `Embedding`, a provider for one, or the name of a model such as "fastembed" or
            "openai/text-embedding-3-small" (EMB-4), which a file keeps. If it is not given, a file's own embedder is
            used, as far as the file states it (SQL-1). `None` disables embedding: only full text is searched.
        tokenizer: tokenizes documents and questions, or a function that does; default: a `Tokenizer`.
        synonyms: widens questions, or a mapping from a word to a word or a list of words; default: no synonyms.
        term_weight: weighs a question's terms; default: a `TermWeight`.
        fields: field → boost: the fields to search, instead of those of the text leg (QRY-1, QRY-11).
        title_weight: the share of the title in a document's vector (IDX-2).
        any_vectors: whether to store vectors of records that no question can find: zero, or of another dimension than
            the embedding's (IDX-2).
        max_question_length: the maximum number of code points in a question, at least 1; `None` sets no limit.
        max_results: the cap on `limit` and `candidates`, at least 1 (CUR-1).
        cursor_secret: the key that signs cursors, bytes or a text; without it they are not signed (CUR-3).
        ranking_cache: caches rankings between the pages of a search (CUR-7); without it each page ranks again.
        kernels: "plain" or "fast", for the parts that are not given; see `kernels.choice`.
        observer: called with the name and the data of each event (OBS-1).
        options: defaults of `search`; the default of `profile` is "balanced", or "ragflow" on a store that does not
            support bags of tokens (RET-10).

    Raises:
        InvalidInputError: an argument is not accepted (ERR-3) or unknown, or the model or dimension of the embedding
            differs from those of the store's vectors (DOC-7).
    """

    @validation.taking(OPTIONS)
    def __init__(
        self,
        *,
        store: DocStoreAdapter | None = None,
        path: str | os.PathLike[str] | None = None,
        embedding: Embedding | Embedder | str | NotGiven | None = NOT_GIVEN,
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
        if tokenizer is None:
            tokenizer = Tokenizer(Segmenter(kernels=kernels))
        tokenizer = function_tokenizer.accept("tokenizer", tokenizer)
        if term_weight is None:
            term_weight = kernel("term_weight", kernels)(tokenizer)
        chosen = None if embedding is NOT_GIVEN else embedding_argument.accept("embedding", embedding)
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
        self._query_builder = query_builder

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
        self.store = store_argument.accept("store", MemoryDocStore(kernels=kernels) if store is None else store)
        try:
            if self._file is not None and embedding is NOT_GIVEN:
                choice = file_embedding.choice_of(self._file)
                chosen = Embedding.chosen(choice)
            elif self._file is not None:
                file_embedding.keep(self._file, embedding, chosen, any_vectors)
            self._searcher = searcher(self.store, chosen)
        except BaseException:
            self.close()
            raise
        self._writer = writer(self.store, chosen)
        self._tagger, self._tag_filters = Tagger(self.store, query_builder), options.get("filters")
        self._embedding, self._searcher_of, self._writer_of = chosen, searcher, writer
        self._path = None if path is None else os.fspath(path)

    @classmethod
    @validation.taking(OPTIONS)
    def open(cls, path: str | os.PathLike[str], **options: Any) -> "Index":
        """Return an index whose documents are in a file: `Index(path=path, **options)` with a required path.

        Raises:
            InvalidInputError: `path` is `None` or empty, for example from an unset environment variable; or as `Index`.
        """
        if path is None:
            raise validation.fail("path", path, "the path of a file")
        return cls(path=path, **options)

    @classmethod
    @validation.taking(OPTIONS)
    def from_beir(cls, folder: str | os.PathLike[str], **options: Any) -> "Index":
        """Return an index with the documents of a collection in the form of BEIR; see `BeirCollection`.

        Documents that an index file has under the same ids are replaced.

        Args:
            folder: the path of the folder, which has a `corpus.jsonl` or `corpus.jsonl.gz`.
            options: those of `Index`.

        Raises:
            InvalidInputError: the folder has no corpus, or a document is not accepted; or as `Index`.
        """
        from hybrid_search.records.beir_collection import BeirCollection  # most programs need none

        records = BeirCollection(folder).records()
        index = cls(**options)
        try:
            index.upsert(records)
        except BaseException:
            index.close()
            raise
        return index

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file of an index with a path; a store that the caller passed stays open."""
        if self._file is not None:
            self._file.close()

    @validation.checked
    def add(
        self,
        records: Records,
        *,
        batch_size: int | None = None,
        progress: Progress | None = None,
        other_keys: OtherKeys = "refuse",
        workers: int = 1,
    ) -> int:
        """Add documents, batch by batch; a batch is stored as a whole or not at all.

        Args:
            records: a list or a stream of records, one record, a DataFrame of pandas or polars, or a table of Arrow, in
                which NaN and NaT count as missing; see `DocumentBuilder` for the keys of a record.
            batch_size: the number of records to embed and store at once, at least 1; default: 2,048, less if their
                contents are long, and 256 that a model must embed (IDX-3).
            progress: called after each batch with the number of stored records and their total (-1: not known).
            other_keys: what to do with keys that records do not have: "refuse" raises an error, "metadata" moves them
                there, "drop" drops them.
            workers: the number of processes that cut texts into tokens, 1 to 256; 1 is this process alone. The result
                is the same with any number; as many batches as processes are read in advance (IDX-7).

        Returns:
            The number of added documents.

        Raises:
            InvalidInputError: a record is not accepted, or its id is already in the store; earlier batches stay stored.
            DimensionMismatchError: the dimension of a vector differs from the embedding's; earlier batches stay stored.
        """
        return self._writer.add(records, batch_size, progress, other_keys, workers)

    @validation.checked
    def update(
        self,
        records: Records,
        *,
        batch_size: int | None = None,
        progress: Progress | None = None,
        other_keys: OtherKeys = "refuse",
    ) -> int:
        """Change stored documents, batch by batch (IDX-5).

        Everything that depends on a given key is computed again, including tokens and vectors; the rest of a document
        stays unchanged. A vector whose texts do not change is not computed again.

        Args:
            records: as for `add`, each an `id` and the keys that change; null removes a key.
            batch_size: as for `add`.
            progress: called after each batch with the number of processed records and their total (-1: not known).
            other_keys: as for `add`.

        Returns:
            The number of documents that really changed.

        Raises:
            InvalidInputError: a record is not accepted, its id is not in the store, or occurs twice in a batch; or it
                changes the text of a vector without a new vector, and there is no embedding. Earlier batches stay
                stored.
            DimensionMismatchError: the dimension of a vector differs from the embedding's; earlier batches stay stored.
        """
        return self._writer.update(records, batch_size, progress, other_keys)

    @validation.checked
    def upsert(
        self,
        records: Records,
        *,
        batch_size: int | None = None,
        progress: Progress | None = None,
        other_keys: OtherKeys = "refuse",
        workers: int = 1,
    ) -> int:
        """Add documents, or replace stored ones as a whole, batch by batch (IDX-5).

        Args:
            records: as for `add`.
            batch_size: as for `add`.
            progress: as for `update`.
            other_keys: as for `add`.
            workers: as for `add`.

        Returns:
            The number of documents that were added or really changed.

        Raises:
            InvalidInputError: a record is not accepted, or its id occurs twice in a batch; earlier batches stay stored.
            DimensionMismatchError: the dimension of a vector differs from the embedding's; earlier batches stay stored.
        """
        return self._writer.upsert(records, batch_size, progress, other_keys, workers)

    @validation.checked
    def rebuild(
        self,
        records: Records,
        *,
        embedding: Embedding | Embedder | str | None = None,
        batch_size: int | None = None,
        progress: Progress | None = None,
        other_keys: OtherKeys = "refuse",
        workers: int = 1,
    ) -> int:
        """Replace all documents of an index file in one step.

        Until the last record is stored, searches in every process see the old documents, and writers wait; then all of
        them see the new ones. If a record is refused, or the process is killed, nothing has changed.

        Args:
            records: as for `add`; an id may occur only once.
            embedding: the embedder from now on; default: that of the index. Other processes that search with the old
                one must open the file again.
            batch_size: as for `add`.
            progress: as for `add`.
            other_keys: as for `add`.
            workers: as for `add`.

        Returns:
            The number of documents.

        Raises:
            InvalidInputError: the documents are not in an index file, or a record is not accepted.
            DimensionMismatchError: the dimension of a vector differs from the embedding's.
            DocStoreError: another process is writing, or the disk is full.
        """
        store = self._index_file("rebuilt")
        accepted = self._embedding if embedding is None else embedding_argument.accept("embedding", embedding)
        with store.rebuilding() as fresh:
            count = self._writer_of(fresh, accepted).add(records, batch_size, progress, other_keys, workers)
        if accepted is not self._embedding:
            self._searcher = self._searcher_of(self.store, accepted)
            self._writer, self._embedding = self._writer_of(self.store, accepted), accepted
        return count

    def check(self) -> list[str]:
        """Read a whole index file and return its damage in sentences; a sound file returns an empty list.

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
        """Return the contents of the index in numbers, as plain data; see `DocStoreAdapter.stats`."""
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
