"""The first stage of a retrieval: queries the store, and queries it again if it found nothing (RET-1, RET-2)."""

import dataclasses
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from hybrid_search.base import log
from hybrid_search.base.observation import Observation
from hybrid_search.doc_store_adapter import vector_models
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.doc_store_adapter.checked_store import CheckedStore
from hybrid_search.doc_store_adapter.documents.field_path import FieldPath
from hybrid_search.doc_store_adapter.documents.stored_fields import StoredFields
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.embedding.embedding import Embedding
from hybrid_search.errors import EmbeddingError
from hybrid_search.query_builder.builder import QueryBuilder
from hybrid_search.query_builder.expressions import MatchBm25fExpr, MatchDenseExpr, MatchTextExpr
from hybrid_search.query_builder.tree import Node
from hybrid_search.retriever.request import RetrievalRequest

SELECTED_FIELDS = (
    "id",
    "doc_id",
    "docnm_kwd",
    "kb_id",
    "content_ltks",
    "content_with_weight",
    "title_tks",
    "important_kwd",
    "question_tks",
    "position_int",
    "pagerank_fea",
    "tag_feas",
    "metadata",
)
RERANK_FIELDS = ("content_ltks", "title_tks", "important_kwd", "question_tks", "pagerank_fea", "tag_feas")
"""The fields that a rerank reads; the vector that is compared is fetched with them."""
RETRY_MIN_MATCH = 0.1
RETRY_SIMILARITY = 0.17


class CandidateBlock(NamedTuple):
    """A block of candidates that are fetched together.

    Attributes:
        offset: the number of candidates before the block.
        limit: the maximum number of candidates in the block.
        fields: the fields to fetch of each; `None` fetches those that a rerank and a chunk need.
        documents: whether the documents are fetched as well, if the store can read them at once.
    """

    offset: int
    limit: int
    fields: Sequence[str] | None = None
    documents: bool = False


class TextQuestion(NamedTuple):
    """The text leg's query for a question.

    Attributes:
        expression: the query for the store, `None` if the question contains nothing to search for.
        query: its tree or its tokens.
        marked: the words to highlight.
        keywords: the question's keywords (RNK-1), `None` if the leg has not extracted them.
    """

    expression: MatchTextExpr | MatchBm25fExpr | None
    query: Node | Sequence[str] | None
    marked: Sequence[str]
    keywords: Sequence[str] | None


@dataclasses.dataclass(frozen=True)
class Recalled:
    """The result of recall.

    Attributes:
        result: the store's result; its keywords are the question's, each followed by its fine-grained parts.
        query: the tree or the tokens of the text query, `None` if the question had no text query.
        min_match: the minimum share of clauses that the found documents matched.
        similarity: the lowest cosine that the dense leg accepts.
        keywords: the question's keywords; `None` until they are extracted.
        listed: whether a document's chunks were listed without matching (RET-2).
    """

    result: SearchResult
    query: Node | Sequence[str] | None
    min_match: float
    similarity: float
    keywords: Sequence[str] | None
    listed: bool = False

    def block(self, offset: int, limit: int) -> "Recalled":
        """Return the same recall with only the documents of one block."""
        ids = self.result.ids[offset : offset + limit]
        fields = {identifier: self.result.fields[identifier] for identifier in ids}
        return dataclasses.replace(self, result=dataclasses.replace(self.result, ids=ids, fields=fields))


class Recall:
    """Queries a store for the candidates of a question.

    Args:
        store: the documents.
        query_builder: makes the text query.
        embedding: makes the dense query; without one only the text leg runs.
        observation: receives an event for each recall, and for each vector of a question (OBS-1).
        any_vectors: whether to accept a store all of whose vectors have another dimension than the embedding's.

    Attributes:
        keeps_order: whether the store's order is the order of its scores (ORD-1), as the stores of this library
            guarantee.

    Raises:
        InvalidInputError: the store's vectors are of another model or dimension than the embedding's (DOC-7).
    """

    def __init__(
        self,
        store: DocStoreAdapter,
        query_builder: QueryBuilder,
        embedding: Embedding | None,
        observation: Observation | None = None,
        any_vectors: bool = False,
    ) -> None:
        self._observation = Observation.of(observation)
        self._store = store
        self._query_builder = query_builder
        self._embedding = embedding
        self._any_vectors = any_vectors
        self._takes_parsed = CheckedStore.takes_parsed(store)
        self._checked: tuple[Any, tuple[str, ...]] = (None, self._check())
        self.keeps_order = self._takes_parsed and store.supports_bm25f

    def candidates(
        self,
        request: RetrievalRequest,
        vector: Sequence[float] | None = None,
        fields: Sequence[str] | None = None,
        generation: int | str | None = None,
        checks: bool = True,
    ) -> "FetchedCandidates":
        """Return the candidates of a request; the question's vector is made now, the store is queried later.

        Args:
            request: the request.
            vector: replaces the vector of the question.
            fields: the fields to fetch of each document; `None` fetches those that a rerank and a chunk need.
            generation: the generation of the store, if it is known; the store's vectors are checked once for each
                (DOC-7).
            checks: whether this check is made now; otherwise the caller must call `warnings` afterwards.
        """
        started = time.perf_counter()
        warnings: Sequence[str] = ()
        if vector is None:
            dense = self._asked(request)
            if checks:
                warnings = self.warnings(request, generation)
        else:
            dense, warnings = self._given(request, vector)
        return FetchedCandidates(self, request, dense, fields, time.perf_counter() - started, warnings)

    def search(self, request: RetrievalRequest, offset: int, limit: int) -> Recalled:
        """Return up to `limit` candidates from `offset` on, by the fused order of both legs (ORD-1)."""
        dense = self._asked(request)
        self.warnings(request, None)
        return self.search_with(request, dense, CandidateBlock(offset, limit))

    def search_with(self, request: RetrievalRequest, dense: MatchDenseExpr | None, block: CandidateBlock) -> Recalled:
        """Return the same as `search`, with a dense query that was made before."""
        with self._observation.measure("recall", offset=block.offset, limit=block.limit) as event:
            recalled = self._found(request, dense, block)
            event.update(candidates=len(recalled.result.ids), total=recalled.result.total)
            return recalled

    def stretch(self, request: RetrievalRequest, dense: MatchDenseExpr | None, block: CandidateBlock) -> Recalled:
        """Return the same as `search_with`, for a part of a ranking of all candidates; the event describes the part."""
        with self._observation.measure("recall", offset=0, limit=request.topk) as event:
            recalled = self._found(request, dense, block)
            event.update(candidates=min(recalled.result.total, request.topk), total=recalled.result.total)
            return recalled

    def _found(self, request: RetrievalRequest, dense: MatchDenseExpr | None, block: CandidateBlock) -> Recalled:
        if request.match_all:
            found = self._search(request, [], None, [], block)
            return Recalled(found, None, request.min_match, request.similarity, (), listed=True)
        recalled = self._attempt(request, request.min_match, dense, block)
        if recalled.result.total > 0:
            return recalled
        if request.names_documents:
            keywords = recalled.result.keywords
            result = self._search(request, [], dense, keywords, block)
            return dataclasses.replace(
                recalled,
                result=result.asked_with(keywords, _vector(dense)),
                listed=True,
            )
        if request.is_fused and request.text_leg == "bm25f":
            return recalled
        if dense is not None and not request.is_fused:
            dense = dataclasses.replace(dense, extra_options={"similarity": RETRY_SIMILARITY})
        return self._attempt(request, RETRY_MIN_MATCH, dense, block)

    def _asked(self, request: RetrievalRequest) -> MatchDenseExpr | None:
        """Return the dense query."""
        if request.match_all:
            return None
        return None if self._embedding is None else self._embedded(request, self._embedding)

    def _embedded(self, request: RetrievalRequest, embedding: Embedding) -> MatchDenseExpr:
        try:
            with self._observation.measure("embed", texts=1, kind="query"):
                return embedding.match_dense(request.question, topk=request.depth, similarity=request.similarity)
        except EmbeddingError as problem:
            log.warning(str(problem))
            raise

    def _given(self, request: RetrievalRequest, vector: Sequence[float]) -> tuple[MatchDenseExpr, Sequence[str]]:
        """Return the same as `_asked`, for a given vector."""
        field = StoredFields.vector_field(len(vector))
        warnings = vector_models.check_vector(self._store, len(vector), self._any_vectors)
        options = {"similarity": request.similarity}
        return MatchDenseExpr(field, tuple(vector), topn=request.depth, extra_options=options), warnings

    def warnings(
        self, request: RetrievalRequest, generation: int | str | None, fields: vector_models.Fields | None = None
    ) -> tuple[str, ...]:
        """Return warnings about documents that a question's vector does not find (DOC-7).

        Args:
            request: the request; if it lists everything, there are no warnings.
            generation: the generation of the store, for each of which this is computed once; `None` if it is not known.
            fields: the facts about the vector fields of this generation; `None` if the store has to be asked.
        """
        if request.match_all:
            return ()
        known, warnings = self._checked
        if generation is None or known != generation:
            warnings = self._check(fields)
            self._checked = (generation, warnings)
        return warnings

    def _check(self, fields: vector_models.Fields | None = None) -> tuple[str, ...]:
        return vector_models.check(self._store, self._embedding, self._any_vectors, fields)

    def _attempt(
        self, request: RetrievalRequest, min_match: float, dense: MatchDenseExpr | None, block: CandidateBlock
    ) -> Recalled:
        text, query, keywords, read = self._text(request, min_match)
        expressions: list[Any] = [expression for expression in (text, dense) if expression is not None]
        if len(expressions) == 2 or (expressions and request.fuses_one_leg):
            expressions.append(request.fusion)
        widened = self._with_parts(keywords) if request.highlight or request.explain else []
        if expressions:
            found = self._search(request, expressions, dense, widened, block)
        else:
            found = SearchResult(0, (), {}, keywords=widened)
        return Recalled(
            result=found if self._takes_parsed else found.asked_with(widened, _vector(dense)),
            query=query,
            min_match=min_match,
            similarity=float(dense.extra_options["similarity"]) if dense is not None else request.similarity,
            keywords=read,
        )

    def _text(self, request: RetrievalRequest, min_match: float) -> TextQuestion:
        """Return the text query of a question, and the words to highlight."""
        if request.text_leg == "bm25f":
            bag = self._query_builder.build_bm25f_query(request.question)
            if bag is None:
                return TextQuestion(None, None, (), None)
            words = self._query_builder.written_words(request.question) if request.highlight or request.explain else []
            keywords = list(dict.fromkeys([*bag.tokens, *words]))
            return TextQuestion(dataclasses.replace(bag, topn=request.depth), bag.tokens, keywords, None)
        text, keywords = self._query_builder.build_text_query(request.question, min_match=min_match)
        if text is None:
            return TextQuestion(None, None, keywords, keywords)
        return TextQuestion(dataclasses.replace(text, topn=request.depth), text.tree, keywords, keywords)

    def _search(
        self,
        request: RetrievalRequest,
        expressions: Sequence[Any],
        dense: MatchDenseExpr | None,
        keywords: Sequence[str],
        block: CandidateBlock,
    ) -> SearchResult:
        ordering = [FieldPath.of(field).steps[0] for field, _ in request.order_by]
        counted = [FieldPath.of(field).steps[0] for field in (request.facets or {}).values()]
        filters: Any = request.parsed_filters if self._takes_parsed else request.filters
        vector = [] if dense is None else [dense.field]  # what a rerank compares
        fields: Sequence[str] = [*SELECTED_FIELDS, *vector]
        if block.fields is not None:
            fields = [*block.fields, *vector] if block.fields == RERANK_FIELDS else block.fields
        return self._store.search(
            select_fields=list(dict.fromkeys([*fields, *ordering, *counted])),
            filters=filters,
            match_exprs=expressions,
            order_by=request.order_by,
            limit=block.limit,
            offset=block.offset,
            rank_feature=request.rank_feature if request.rank_feature_recall else None,
            agg_fields=list(dict.fromkeys((request.facets or {}).values())),
            highlight_fields=["content_with_weight"] if request.highlight and block.fields is None else [],
            keywords=keywords,
            **({"documents": True} if block.documents else {}),
        )

    def _with_parts(self, keywords: Sequence[str]) -> list[str]:
        """Return the keywords without repeats, each followed by its fine-grained parts of two characters or more."""
        found: dict[str, None] = {}
        for keyword in keywords:
            found.setdefault(keyword)
            for part in self._query_builder.tokenizer.fine_grained(keyword):
                if len(part) >= 2:
                    found.setdefault(part)
        return list(found)


class FetchedCandidates:
    """The candidates of one request, fetched from the store block by block, or all at once.

    Attributes:
        seconds: the duration of recall so far.
        warnings: warnings about documents that their vectors do not find.
    """

    def __init__(
        self,
        recall: Recall,
        request: RetrievalRequest,
        dense: MatchDenseExpr | None,
        fields: Sequence[str] | None = None,
        seconds: float = 0.0,
        warnings: Sequence[str] = (),
    ) -> None:
        self._recall = recall
        self._request = request
        self._dense = dense
        self._fields = fields
        self._latest: Recalled | None = None
        self._all: Recalled | None = None
        self.seconds = seconds
        self.warnings = warnings

    @property
    def is_cut(self) -> bool:
        """Whether more candidates may exist than the budget permits (RET-1)."""
        return not self._request.match_all and self.total >= self._request.topk

    @property
    def latest(self) -> Recalled:
        """The last fetched result."""
        assert self._latest is not None
        return self._latest

    @property
    def total(self) -> int:
        """The number of candidates, as the store last reported it."""
        return self.latest.result.total

    def block(self, first: int, size: int) -> Recalled:
        """Return `size` candidates from position `first` on; the store is queried unless all have been fetched."""
        return self._fetch(first, size) if self._all is None else self._all.block(first, size)

    def stretch(self, first: int, size: int) -> Recalled:
        """Return `size` candidates from position `first` on, in the ranking of `fetch_all`, with their documents."""
        block = CandidateBlock(first, max(0, min(size, self._request.topk - first)), self._fields, documents=True)
        self._latest = self._recall.stretch(self._request, self._dense, block)
        return self._latest

    def fetch_all(self) -> bool:
        """Fetch all candidates that the budget permits, unless they have been; return whether the store was queried."""
        if self._all is not None:
            return False
        self._all = self._fetch(0, self._request.topk)
        return True

    def _fetch(self, offset: int, limit: int) -> Recalled:
        started = time.perf_counter()
        self._latest = self._recall.search_with(self._request, self._dense, CandidateBlock(offset, limit, self._fields))
        self.seconds += time.perf_counter() - started
        return self._latest


def _vector(dense: MatchDenseExpr | None) -> tuple[float, ...] | None:
    return None if dense is None else dense.vector
