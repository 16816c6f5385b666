"""The front door: records in, hits out (IDX-3, IDX-6)."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, Self, Unpack

from hybrid_search import _own_values as own_values
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
from hybrid_search.embedding._source import NOT_GIVEN, NotGiven, given
from hybrid_search.embedding.embedding import Embedding
from hybrid_search.errors import InvalidInputError
from hybrid_search.protocols import Embedder, FilterData, OrderBy, Record, RerankSource, Vector
from hybrid_search.query_builder.builder import MAX_QUESTION_LENGTH, QueryBuilder
from hybrid_search.query_builder.synonyms import Synonyms
from hybrid_search.query_builder.term_weight import TermWeight
from hybrid_search.records import _record_of as record_of
from hybrid_search.records import _selection as selection
from hybrid_search.records._record_writer import OPTIONS as WRITE_OPTIONS
from hybrid_search.records._record_writer import Progress, RecordWriter
from hybrid_search.search._search_options import SEARCH_DEFAULTS, IndexOptions, SearchOptions
from hybrid_search.search._search_request import included
from hybrid_search.search._search_settings import OPTIONS as SEARCH_OPTIONS
from hybrid_search.search._search_settings import SearchSettings
from hybrid_search.search._searcher import Searcher
from hybrid_search.search._similar import similar_search
from hybrid_search.search.hit import Hit
from hybrid_search.search.page import Page
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
OPTIONS_OF_SEARCH = tuple(SEARCH_DEFAULTS)


class Index:
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
        validation.known("option", unknown, WRITE_OPTIONS)
        return self._writer.add(records, batch_size, progress)

    def update(
        self,
        records: Iterable[Record],
        *,
        batch_size: int = 256,
        progress: Progress | None = None,
        **unknown: Unpack[validation.NoOptions],
    ) -> int:
        """Change stored documents, batch by batch (IDX-5).

        What a key makes is made anew, tokens and vectors too; the rest of a document stays as it is. Nothing is
        embedded where the texts of a vector stay the same.

        Args:
            records: each an `id` and the keys that change; null removes a key.
            batch_size: as for `add`.
            progress: called after each batch with how many are done, and how many there are in all (-1: not known).
            unknown: refused.

        Returns:
            How many documents have changed; one that is the same afterwards does not count.

        Raises:
            InvalidInputError: a record is not acceptable, its id is not in the store, or is twice in a batch; or it
                changes the text of a vector without giving another, and there is no embedding. Earlier batches stay.
            DimensionMismatchError: a vector of another dimension than the embedding's; likewise.
        """
        validation.known("option", unknown, WRITE_OPTIONS)
        return self._writer.update(records, batch_size, progress)

    def upsert(
        self,
        records: Iterable[Record],
        *,
        batch_size: int = 256,
        progress: Progress | None = None,
        **unknown: Unpack[validation.NoOptions],
    ) -> int:
        """Add documents, or replace stored ones as a whole, batch by batch (IDX-5).

        Args:
            records: as for `add`.
            batch_size: as for `add`.
            progress: as for `update`.
            unknown: refused.

        Returns:
            How many were added or changed; one that is stored already as it is given does not count.

        Raises:
            InvalidInputError: a record is not acceptable, or its id is twice in a batch; earlier batches stay.
            DimensionMismatchError: a vector of another dimension than the embedding's; likewise.
        """
        validation.known("option", unknown, WRITE_OPTIONS)
        return self._writer.upsert(records, batch_size, progress)

    def delete(
        self,
        ids: Iterable[str | int] | str | int | None = None,
        *,
        filters: FilterData | None = None,
        **unknown: Unpack[validation.NoOptions],
    ) -> int:
        """Remove documents by their ids, or all that pass filters; ids that are not there are skipped.

        Args:
            ids: ids, or one id.
            filters: as for `search`, but documents that are not `available` are removed too. Batch by batch.
            unknown: refused.

        Returns:
            The number of documents that were removed.

        Raises:
            InvalidInputError: neither ids nor filters, or both; filters without a condition (`clear` removes all).
        """
        validation.known("option", unknown, ("filters",))
        if (ids is None) == (filters is None):
            raise InvalidInputError("delete takes either ids or filters")
        if ids is None:
            return selection.delete(self.store, self._writer, selection.read(filters, may_be_empty=False))
        return self._writer.delete(own_values.identifiers("ids", [ids] if isinstance(ids, (str, int)) else ids))

    def clear(self) -> int:
        """Remove all documents, batch by batch. Returns the number of documents that were removed."""
        return selection.delete(self.store, self._writer, {})

    def rebuild(
        self,
        records: Iterable[Record],
        *,
        embedding: Embedding | Embedder | None = None,
        batch_size: int = 256,
        progress: Progress | None = None,
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
            count = self._writer_of(fresh, accepted).add(records, batch_size, progress)
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

    def get(
        self,
        id: str | int,  # noqa: A002
        *,
        include: Sequence[str] = (),
        **unknown: Unpack[validation.NoOptions],
    ) -> dict[str, Any] | None:
        """Return the record of a document, in the words in which it was added; `None` if there is none.

        Args:
            id: its id.
            include: "vector" and "tokens", what the record has besides.
            unknown: refused.
        """
        return self.get_many([own_values.identifier("id", id)], include=include, **unknown)[0]

    def get_many(
        self,
        ids: Iterable[str | int],
        *,
        include: Sequence[str] = (),
        **unknown: Unpack[validation.NoOptions],
    ) -> list[dict[str, Any] | None]:
        """Return the records of documents in the order of `ids`, `None` for each that is not there; see `get`."""
        validation.known("option", unknown, ("include",))
        names = included(include)
        vectors = None if "vector" in names else ()
        documents = self.store.get_many(own_values.identifiers("ids", ids), vectors)
        return [None if document is None else record_of.record(document, names) for document in documents]

    def exists(self, id: str | int) -> bool:  # noqa: A002
        """Return whether a document is there."""
        return self.store.get_many([own_values.identifier("id", id)], ())[0] is not None

    def count(self, *, filters: FilterData | None = None, **unknown: Unpack[validation.NoOptions]) -> int:
        """Return the number of documents, or of those that pass filters.

        Args:
            filters: as for `search`, but documents that are not `available` count too.
            unknown: refused.
        """
        validation.known("option", unknown, ("filters",))
        return self.store.count() if filters is None else selection.count(self.store, selection.read(filters))

    def stats(self) -> dict[str, Any]:
        """What is in the index, in plain data; see `DocStoreAdapter.stats`."""
        return self.store.stats()

    # search:begin: made by `bin/conformance make options`
    def search(
        self,
        question: str = "",
        *,
        vector: Vector | NotGiven | None = NOT_GIVEN,
        limit: int | NotGiven = NOT_GIVEN,
        page: int | str | NotGiven | None = NOT_GIVEN,
        cursor: str | NotGiven | None = NOT_GIVEN,
        candidates: int | NotGiven = NOT_GIVEN,
        min_score: float | NotGiven = NOT_GIVEN,
        min_cosine: float | NotGiven | None = NOT_GIVEN,
        vector_similarity_weight: float | NotGiven = NOT_GIVEN,
        rerank_model: RerankSource | NotGiven | None = NOT_GIVEN,
        rank_feature: Mapping[str, float] | NotGiven | None = NOT_GIVEN,
        filters: FilterData | NotGiven | None = NOT_GIVEN,
        order_by: OrderBy | NotGiven | None = NOT_GIVEN,
        match_all: bool | NotGiven = NOT_GIVEN,
        highlight: bool | NotGiven = NOT_GIVEN,
        facets: Sequence[str] | NotGiven | None = NOT_GIVEN,
        facet_limit: int | NotGiven = NOT_GIVEN,
        explain: bool | NotGiven = NOT_GIVEN,
        include: Sequence[str] | NotGiven = NOT_GIVEN,
        profile: Literal["balanced", "ragflow", "dify"] | NotGiven = NOT_GIVEN,
        text_leg: Literal["tree", "bm25f"] | NotGiven = NOT_GIVEN,
        fusion: Literal["weighted_sum", "rrf", "auto", "min_max"] | NotGiven = NOT_GIVEN,
        weights: str | NotGiven = NOT_GIVEN,
        rrf_k: float | NotGiven = NOT_GIVEN,
        ranking: Literal["rerank", "fused"] | NotGiven = NOT_GIVEN,
        fail_open: bool | NotGiven = NOT_GIVEN,
        rerank_timeout: float | NotGiven = NOT_GIVEN,
        on_index_change: Literal["continue", "error"] | NotGiven = NOT_GIVEN,
        rerank_top_k: int | NotGiven = NOT_GIVEN,
        rerank_fusion: Literal["replace", "linear"] | NotGiven = NOT_GIVEN,
        rerank_weight: float | NotGiven = NOT_GIVEN,
        rerank_batch_size: int | NotGiven | None = NOT_GIVEN,
        **unknown: Unpack[validation.NoOptions],
    ) -> Page:
        """Return one page of hits: by number, or after the page whose `next_cursor` is given (CUR-1 … CUR-4).

        All candidates are in one order; both ways lead through it. Options that are not given are those of the index.

        Args:
            question: any text; a blank one finds nothing, unless there is a `vector` or `match_all`.
            vector: a vector whose nearest documents are found; with a question both legs are given, without one this
                leg alone; default `None`.
            limit: the number of hits on a page, at least 1; at most `max_results`; default `10`.
            page: the number of the page, from 1; not set, or not a number of 1 or more: the first page; default `None`.
            cursor: the `next_cursor` of the page before, instead of a page number; default `None`.
            candidates: the number of candidates that each leg, and their fusion, returns: at most this many documents
                are ranked, at least 1; at most `max_results`; default `1024`.
            min_score: the lowest score of a hit; scores are relative to the best candidate; default `0.0`.
            min_cosine: the lowest cosine of question and document of a hit, -1 to 1; documents without a vector are not
                shown; default `None`.
            vector_similarity_weight: the share of the vector in the similarity of a rerank, 0 to 1; the rest is the
                text's; default `0.3`.
            rerank_model: an object with `similarity(query, texts)`, or a callable, that scores the first `rerank_top_k`
                candidates; default `None`.
            rank_feature: tags of the query, name → number, to meet the documents' tags in a rerank; default `None`.
            filters: which documents count at all, as data: `{"metadata.lang": "zh", "page_rank": {"gte": 2}}`; default
                `None`.
            order_by: `[name, "asc" or "desc"]` pairs that order the candidates in the place of their similarity;
                default `None`.
            match_all: whether all documents within the filters are shown, without a question; default `False`.
            highlight: whether hits carry their content with the matches in `<em>`; default `False`.
            facets: names whose values are counted over all hits, on every page; default `None`.
            facet_limit: how many values a facet shows at the most, 1 to 10000; default `100`.
            explain: whether the result carries every part of every score; default `False`.
            include: what hits carry besides: "vector", "tokens"; default `()`.
            profile: the defaults of `text_leg`, `fusion`, `ranking` and `min_score` under one name: "balanced" (the
                default), "ragflow" (RAGFlow's ranking) or "dify" (Dify's fusion by ranks); default `"balanced"`.
            text_leg: the query of the text leg: "tree" (RAGFlow's query) or "bm25f" (the question's tokens in all
                fields at once); default `"bm25f"`.
            fusion: the method that fuses the text leg and the dense leg: "weighted_sum", "rrf", "auto" or "min_max";
                default `"auto"`.
            weights: the weights of the text and the dense leg in a weighted sum, "t,d"; default `"0.05,0.95"`.
            rrf_k: k of reciprocal rank fusion, at least 0; default `60`.
            ranking: the order of the candidates: "rerank" (reranked by tokens and vectors) or "fused" (the order of
                their fusion); default `"fused"`.
            fail_open: whether a failing rerank model is a warning (true) or an error; default `True`.
            rerank_timeout: seconds a rerank model may take; default `30.0`.
            on_index_change: what a walk does after the index has changed since its first page: "continue" (it goes on)
                or "error" (it fails with an `InvalidCursorError`); default `"continue"`.
            rerank_top_k: how many of the best candidates the rerank model is asked for, at least 0; default `64`.
            rerank_fusion: the score of a result that the rerank model has scored: "replace" (the model's score) or
                "linear" (a weighted sum of the model's score and the similarity); default `"replace"`.
            rerank_weight: the model's share where both count, 0 to 1; default `0.8`.
            rerank_batch_size: how many texts the model gets at once, at least 1; none: all; default `None`.
            unknown: refused, with the nearest name.

        Raises:
            InvalidInputError: an option is unknown or not accepted, or the question is too long.
            InvalidCursorError: the cursor is malformed, of another version, forged, or of another request.
            EmbeddingError: the embedding failed.
            RerankError: the rerank model failed and `fail_open` is false.
        """
        validation.known("option", unknown, OPTIONS_OF_SEARCH)
        options = {
            "vector": vector,
            "limit": limit,
            "page": page,
            "cursor": cursor,
            "candidates": candidates,
            "min_score": min_score,
            "min_cosine": min_cosine,
            "vector_similarity_weight": vector_similarity_weight,
            "rerank_model": rerank_model,
            "rank_feature": rank_feature,
            "filters": filters,
            "order_by": order_by,
            "match_all": match_all,
            "highlight": highlight,
            "facets": facets,
            "facet_limit": facet_limit,
            "explain": explain,
            "include": include,
            "profile": profile,
            "text_leg": text_leg,
            "fusion": fusion,
            "weights": weights,
            "rrf_k": rrf_k,
            "ranking": ranking,
            "fail_open": fail_open,
            "rerank_timeout": rerank_timeout,
            "on_index_change": on_index_change,
            "rerank_top_k": rerank_top_k,
            "rerank_fusion": rerank_fusion,
            "rerank_weight": rerank_weight,
            "rerank_batch_size": rerank_batch_size,
        }
        return self._searcher.page(question, given(options))

    # search:end

    def search_many(self, questions: Iterable[str], **options: Unpack[SearchOptions]) -> list[Page]:
        """Return the first page of each question, with options as for `search`."""
        return [self.search(question, **options) for question in list_of_questions(questions)]

    def similar(self, id: str | int, **options: Unpack[SearchOptions]) -> Page:  # noqa: A002
        """Return the documents that are most similar to a stored one, without it.

        They are found by its vector, or by its text where it has none.

        Args:
            id: its id.
            options: as for `search`, but for `vector`.

        Raises:
            InvalidInputError: there is no such document; or as `search`.
        """
        name = own_values.identifier("id", id)
        question, added = similar_search(self.store, name, options)
        return self.search(question, **added)

    def each(self, question: str = "", **options: Unpack[SearchOptions]) -> Iterator[Hit]:
        """Return all hits one after another: those of all pages from the first or from `cursor` on, ranked once.

        A question has at most `candidates` hits; with `match_all` all documents are read, in bounded memory.

        Args:
            question: as for `search`.
            options: as for `search`.
        """
        validation.known("option", options, OPTIONS_OF_SEARCH)
        return self._searcher.each(question, options)

    @property
    def ranking_cache(self) -> RankingCache | None:
        """Where rankings are kept between pages, none without."""
        return self._searcher.ranking_cache

    def __len__(self) -> int:
        return self.count()

    def __repr__(self) -> str:
        name = f" {self._path}" if self._path is not None else ""
        model = "no vectors" if self._embedding is None else self._embedding.model or "a model without a name"
        return f"<Index{name}: {self.store.count():,} documents, {model}>"


def list_of_questions(questions: Any) -> list[Any]:
    """Return questions as a list; one text is none."""
    if isinstance(questions, (str, bytes, Mapping)) or not isinstance(questions, Iterable):
        raise validation.fail("questions", questions, "a list of texts")
    return list(questions)
