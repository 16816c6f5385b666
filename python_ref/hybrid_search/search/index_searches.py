"""The searches of an index (CUR-1, IDX-6)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, Unpack

from hybrid_search.base import input_values, validation
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.embedding.embedding import Embedding
from hybrid_search.embedding.embedding_argument import NOT_GIVEN, NotGiven
from hybrid_search.protocols import FilterData, OrderBy, RerankSource, Rewrite, Vector
from hybrid_search.query_builder.builder import QueryBuilder
from hybrid_search.search.cited_answer import CitedAnswer
from hybrid_search.search.citer import MARK, Citer
from hybrid_search.search.hit import Hit
from hybrid_search.search.page import Page
from hybrid_search.search.ranking_cache import RankingCache
from hybrid_search.search.search_options import SEARCH_DEFAULTS, SearchOptions
from hybrid_search.search.searcher import Searcher
from hybrid_search.search.similar import similar_search

OPTIONS_OF_SEARCH = tuple(SEARCH_DEFAULTS)


class IndexSearches:
    """The searches of an index.

    Attributes:
        store: the store of the documents.
    """

    store: DocStoreAdapter
    _searcher: Searcher
    _query_builder: QueryBuilder
    _embedding: Embedding | None

    # search:begin: made by `bin/conformance make options`
    @validation.checked
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
        rerank_model: RerankSource | str | NotGiven | None = NOT_GIVEN,
        rank_feature: Mapping[str, float] | NotGiven | None = NOT_GIVEN,
        rank_feature_recall: bool | NotGiven = NOT_GIVEN,
        rewrite: Rewrite | NotGiven | None = NOT_GIVEN,
        filters: FilterData | NotGiven | None = NOT_GIVEN,
        order_by: OrderBy | NotGiven | None = NOT_GIVEN,
        match_all: bool | NotGiven = NOT_GIVEN,
        highlight: bool | NotGiven = NOT_GIVEN,
        fragments: Mapping[str, Any] | NotGiven | None = NOT_GIVEN,
        facets: Sequence[str] | NotGiven | None = NOT_GIVEN,
        facet_limit: int | NotGiven = NOT_GIVEN,
        explain: bool | NotGiven = NOT_GIVEN,
        include: Sequence[str] | NotGiven = NOT_GIVEN,
        context: int | NotGiven = NOT_GIVEN,
        parents: Literal["mean", "max"] | NotGiven | None = NOT_GIVEN,
        collapse: str | NotGiven | None = NOT_GIVEN,
        diversity: float | NotGiven = NOT_GIVEN,
        fold_duplicates: float | NotGiven | None = NOT_GIVEN,
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
    ) -> Page:
        """Return one page of hits: by number, or after the page whose `next_cursor` is given (CUR-1 … CUR-4).

        All candidates are in one order; both ways lead through it. Options that are not given are those of the index.

        Args:
            question: any text; a blank one finds nothing, unless there is a `vector` or `match_all`.
            vector: a query vector; with a question both legs run, without one only the dense leg; default `None`.
            limit: the number of hits on a page, at least 1 and at most `max_results`; default `10`.
            page: the number of the page, from 1; null, or anything but a number of 1 or more, is the first page;
                default `None`.
            cursor: the `next_cursor` of the previous page, instead of a page number; default `None`.
            candidates: the maximum number of candidates of each leg and of their fusion, and so of ranked documents; at
                least 1 and at most `max_results`; default `1024`.
            min_score: the lowest score of a hit; scores are relative to the best candidate; default `0.0`.
            min_cosine: the lowest cosine of a hit with the question, -1 to 1; documents without a vector are omitted;
                default `None`.
            vector_similarity_weight: the share of the vector in the similarity of a rerank, 0 to 1; the rest is the
                share of the text; default `0.3`.
            rerank_model: an object with `similarity(query, texts)`, a callable, or the name of a model such as
                "fastembed"; it scores the first `rerank_top_k` candidates; default `None`.
            rank_feature: tags of the query, name → number; a rerank compares them with the documents' tags; default
                `None`.
            rank_feature_recall: whether `rank_feature` counts in recall too, so that a page rank or a tag may bring a
                candidate in; default `False`.
            rewrite: a callable that may change the question and add filters before the search, by a language model for
                example; it is given the question; default `None`.
            filters: the conditions that documents must satisfy, as data: `{"metadata.lang": "zh", "page_rank": {"gte":
                2}}`; default `None`.
            order_by: the fields that order the candidates instead of their similarity: `[name, "asc" or "desc"]` pairs,
                one name, or an object of names and directions; default `None`.
            match_all: whether to return all documents that satisfy the filters, without a question; default `False`.
            highlight: whether hits contain their content with the matches in `<em>`; default `False`.
            fragments: pieces of the texts of hits with the matches marked: an object with `fields`, `tags`, `size` and
                `count`, each optional; default `None`.
            facets: the names whose values are counted over all hits of all pages; default `None`.
            facet_limit: the maximum number of values in a facet, 1 to 10000; default `100`.
            explain: whether the result contains every part of every score; default `False`.
            include: additional parts of the hits: "vector", "tokens"; default `()`.
            context: the number of neighbours on each side that a hit has as `context`, 0 to 10; default `0`.
            parents: the score of a parent that replaces its children: "mean" (the mean of its children's scores) or
                "max" (the highest of its children's scores); default `None`.
            collapse: the name whose values make groups; only the best hit of each is returned; default `None`.
            diversity: the weight of the similarity to better hits in the order of the best 100, 0 to 1; default `0.0`.
            fold_duplicates: the similarity, 0.5 to 1, at which a hit is folded into a better one; default `None`.
            profile: the name of a set of defaults for `text_leg`, `fusion`, `ranking` and `min_score`: "balanced" (the
                default), "ragflow" (RAGFlow's ranking) or "dify" (Dify's fusion by ranks); default `"balanced"`.
            text_leg: the query of the text leg: "tree" (RAGFlow's query) or "bm25f" (the question's tokens in all
                fields at once); default `"bm25f"`.
            fusion: the method that fuses the text leg and the dense leg: "weighted_sum", "rrf", "auto" or "min_max";
                default `"auto"`.
            weights: the weights of the text leg and the dense leg in a weighted sum, "t,d"; default `"0.05,0.95"`.
            rrf_k: the constant k of reciprocal rank fusion, at least 0; default `60`.
            ranking: the order of the candidates: "rerank" (a rerank by tokens and vectors) or "fused" (the order of the
                fusion); default `"fused"`.
            fail_open: whether a failing rerank model causes a warning (true) or an error; default `True`.
            rerank_timeout: the number of seconds for a rerank model; default `30.0`.
            on_index_change: the reaction to a change of the index after the first page of a walk: "continue" (the walk
                continues) or "error" (the walk fails with an `InvalidCursorError`); default `"continue"`.
            rerank_top_k: the number of best candidates that the rerank model scores, at least 0; default `64`.
            rerank_fusion: the score of a result that the rerank model has scored: "replace" (the model's score) or
                "linear" (a weighted sum of the model's score and the similarity); default `"replace"`.
            rerank_weight: the weight of the model's score in a weighted sum, 0 to 1; default `0.8`.
            rerank_batch_size: the maximum number of texts in one call of the model, at least 1; null puts all into one
                call; default `None`.

        Raises:
            InvalidInputError: an option is unknown or not accepted, or the question is too long.
            InvalidCursorError: the cursor is malformed, of another version, forged, or of another request.
            EmbeddingError: the embedding failed.
            RerankError: the rerank model failed and `fail_open` is false.
        """
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
            "rank_feature_recall": rank_feature_recall,
            "rewrite": rewrite,
            "filters": filters,
            "order_by": order_by,
            "match_all": match_all,
            "highlight": highlight,
            "fragments": fragments,
            "facets": facets,
            "facet_limit": facet_limit,
            "explain": explain,
            "include": include,
            "context": context,
            "parents": parents,
            "collapse": collapse,
            "diversity": diversity,
            "fold_duplicates": fold_duplicates,
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
        return self._searcher.page(question, {name: value for name, value in options.items() if value is not NOT_GIVEN})

    # search:end

    @validation.taking(OPTIONS_OF_SEARCH)
    def search_many(self, questions: Iterable[str], **options: Unpack[SearchOptions]) -> list[Page]:
        """Return the first page of each question, with options as for `search`."""
        return [self.search(question, **options) for question in list_of_questions(questions)]

    @validation.taking(OPTIONS_OF_SEARCH)
    def similar(self, id: str | int, **options: Unpack[SearchOptions]) -> Page:  # noqa: A002
        """Return the documents that are most similar to a stored one, without it.

        They are found by its vector, or by its text if it has no vector.

        Args:
            id: the id of the stored document.
            options: as for `search`, except for `vector`.

        Raises:
            InvalidInputError: the document does not exist; or as `search`.
        """
        name = input_values.identifier("id", id)
        question, added = similar_search(self.store, name, {**options, "filters": self._searcher.filters(options)})
        return self.search(question, **added)

    @validation.taking(OPTIONS_OF_SEARCH)
    def each(self, question: str = "", **options: Unpack[SearchOptions]) -> Iterator[Hit]:
        """Return all hits one after another: those of all pages from the first or from `cursor` on, ranked once.

        A question has at most `candidates` hits; with `match_all` all documents are read, in bounded memory.

        Args:
            question: as for `search`.
            options: as for `search`.
        """
        return self._searcher.each(question, options)

    @validation.checked
    def cite(
        self,
        answer: str,
        hits: Page | Sequence[Hit | Mapping[str, Any] | str | int],
        *,
        mark: str = MARK,
        vector_similarity_weight: float = 0.9,
    ) -> CitedAnswer:
        """Find the sources of each sentence of an answer among hits, and mark them (CIT-1 … CIT-3).

        Args:
            answer: a text, such as the answer of a language model; code in it has no sources.
            hits: a page, or a list of at most 50 hits, of objects with `id` and `content`, or of ids of stored
                documents. Vectors are those of the stored documents; a text that is not stored is embedded.
            mark: the mark of a source: `{number}` is its place among the hits from 1, `{index}` from 0, `{id}` its id.
                RAGFlow's mark is `" [ID:{index}]"`.
            vector_similarity_weight: the share of the vectors in the similarity, 0 to 1; the rest is that of the
                terms. Without an embedding only the terms count.

        Returns:
            The answer with marks, and its sentences with their sources.

        Raises:
            InvalidInputError: an argument is not accepted, or a document is not stored.
            EmbeddingError: the embedding failed.
        """
        citer = Citer(self.store, self._query_builder, self._embedding)
        return citer.cite(answer, hits, mark, vector_similarity_weight)

    @property
    def ranking_cache(self) -> RankingCache | None:
        """Return the cache of rankings between pages, or `None`."""
        return self._searcher.ranking_cache


def list_of_questions(questions: Any) -> list[Any]:
    """Return questions as a list; a single text is not a list."""
    if isinstance(questions, (str, bytes, Mapping)) or not isinstance(questions, Iterable):
        raise validation.fail("questions", questions, "a list of texts")
    return list(questions)
