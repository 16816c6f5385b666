"""The common base of stores whose documents an engine finds and scores (DOC-11)."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from hybrid_search.base import validation
from hybrid_search.doc_store_adapter.base import Ranking
from hybrid_search.doc_store_adapter.checked_store import CheckedStore, StoreSearch
from hybrid_search.doc_store_adapter.documents.field_path import FieldPath
from hybrid_search.doc_store_adapter.documents.packed_fields import PackedFields
from hybrid_search.doc_store_adapter.documents.stored_document import StoredDocument
from hybrid_search.doc_store_adapter.filters.filters import Filters
from hybrid_search.doc_store_adapter.queries import aggregations
from hybrid_search.doc_store_adapter.queries.highlight import Highlight
from hybrid_search.doc_store_adapter.queries.match_exprs import MatchExprs
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.fusion.fused_legs import DEPTH, FusedLegs
from hybrid_search.fusion.fusion import Fusion
from hybrid_search.fusion.fusion_methods import METHODS

MOST_ATTEMPTS = 3
"""The maximum number of times that documents are fetched if some were removed after the search had found them."""


class EngineHead(NamedTuple):
    """The first documents of both legs, and the number of all documents that either leg finds.

    Attributes:
        text: those of the text leg with their scores, in the order of ORD-1; empty without one.
        dense: those of the dense leg with their cosines, likewise.
        total: the number of documents that match the text or have a vector, and pass the filters; at most a limit.
        generation: that of the store, if the engine reads it at the same time; the documents are not older.
    """

    text: Ranking
    dense: Ranking
    total: int
    generation: str | None = None


class EngineLegs(NamedTuple):
    """Both legs.

    Attributes:
        text: the ids and scores of the text leg.
        dense: the ids and cosines of the dense leg.
        generation: as in `EngineHead`.
    """

    text: Ranking
    dense: Ranking
    generation: str | None = None


class Engine(Protocol):
    """An engine that finds documents: their ids and scores, and the documents themselves by their ids.

    Errors of the engine are a `DocStoreError`.
    """

    def head(self, match: MatchExprs, filters: Filters, depth: int, most: int) -> EngineHead:
        """Return the first `depth` documents of each leg, and the number of all, counted up to `most`.

        `match` has at least one leg. Its dense leg, if any, has no minimum similarity.
        """
        ...

    def legs(self, match: MatchExprs, filters: Filters, features: Sequence[str] = ()) -> EngineLegs:
        """Return the whole text leg and the whole dense leg, each up to its `topn`, in the order of ORD-1.

        Args:
            match: the match expressions; the ranking of a missing leg is empty.
            filters: the filters.
            features: the names of features that count in the text leg (RNK-10). If there are any, that leg has all
                documents with one of them, and the best of the others.
        """
        ...

    def page(self, filters: Filters, offset: int, limit: int) -> tuple[int, list[str]]:
        """Return the number of documents that pass filters, and the ids of a page of them, ascending."""
        ...

    def listed(self, filters: Filters) -> list[str]:
        """Return the ids of all documents that pass filters, ascending."""
        ...

    def read(self, identifiers: Sequence[str], vectors: Sequence[str] | None = None) -> Mapping[str, StoredDocument]:
        """Return id → document, of those that are stored.

        Args:
            identifiers: the ids, each once.
            vectors: the vector fields that are needed; `None` for all.
        """
        ...


class EngineCandidates(NamedTuple):
    """The candidates of a search in their order, from the first on.

    Attributes:
        total: their number, also of those that were not read.
        ranking: their ids and scores.
        fused: the share of each leg, if the fusion reports it.
        text: id → score in the text leg.
        features: id → what features add to it.
        aggs: field → its values with their counts.
        generation: that of the store, if the engine has read it at the same time.
    """

    total: int
    ranking: Ranking
    fused: FusedLegs | None = None
    text: Mapping[str, float] = MappingProxyType({})
    features: Mapping[str, float] = MappingProxyType({})
    aggs: Mapping[str, Sequence[tuple[Any, int]]] = MappingProxyType({})
    generation: str | None = None


PageWithout = Callable[[set[str]], tuple[int, Ranking]]
"""Returns the number of found documents and a page of them, without the given removed ones."""


class EngineStore(CheckedStore):
    """A store whose engine finds and scores the candidates of each leg.

    This class fuses them and reads only the documents that are returned. If the fusion compares the first hundred of
    each leg, and the page is among them, no more than these are requested. The engine's scores are its own: a leg finds
    the documents of DOC-3 and DOC-9, but may order them in another way than a `MemoryDocStore`.

    A subclass sets `_engine`, and has the methods that write.
    """

    _engine: Engine

    @property
    def supports_bm25f(self) -> bool:
        """See `DocStoreAdapter.supports_bm25f`; the engine scores the tokens in its own way."""
        return True

    def get(self, identifier: str) -> dict[str, Any] | None:
        """See `DocStoreAdapter.get`."""
        return self.get_many([validation.text("identifier", identifier)])[0]

    def get_many(
        self, identifiers: Sequence[str], vector_fields: Sequence[str] | None = None
    ) -> list[dict[str, Any] | None]:
        """See `DocStoreAdapter.get_many`; all documents are read at once."""
        names = validation.texts("identifiers", identifiers)
        fields = None if vector_fields is None else validation.texts("vector_fields", vector_fields)
        wanted = self._possible(names)
        found = self._engine.read(wanted, fields) if wanted else {}
        return [None if (one := found.get(name)) is None else {**one.fields, **one.vectors} for name in names]

    def _possible(self, identifiers: Sequence[str]) -> list[str]:
        """Return the ids that the engine can contain, each once; a subclass may exclude some."""
        return list(dict.fromkeys(identifiers))

    def _search(self, wanted: StoreSearch) -> SearchResult:
        if wanted.is_listing() and wanted.order.is_empty():
            return self._result(wanted, lambda gone: self._listed(wanted, gone), EngineCandidates(0, []))
        found = self._head(wanted) or self._arranged(wanted, self._whole(wanted))
        return self._result(wanted, lambda gone: _cut(wanted, found, gone), found)

    def _rank(self, match: MatchExprs, filters: Filters) -> Ranking:
        if match.is_empty():
            return [(identifier, 0.0) for identifier in self._engine.listed(filters)]
        legs = self._legs(match, filters)
        return self._fused(match, legs.text, legs.dense).ranking

    def _listed(self, wanted: StoreSearch, gone: set[str]) -> tuple[int, Ranking]:
        """Return the number of documents, and a page of them without the removed ones."""
        total, identifiers = self._engine.page(wanted.filters, wanted.offset, wanted.limit + len(gone))
        left = [(identifier, 0.0) for identifier in identifiers if identifier not in gone]
        return total - len(gone), left[: wanted.limit]

    def _head(self, wanted: StoreSearch) -> EngineCandidates | None:
        """Return the candidates from the first hundred of each leg, or `None` if these are not enough (FUS-5)."""
        depth = wanted.offset + wanted.limit
        if depth > DEPTH or wanted.features is not None or not wanted.order.is_empty() or wanted.agg_fields:
            return None
        match, fusion = wanted.match, wanted.match.fusion
        if fusion is None or not _has_head(match):
            return None
        head = self._engine.head(match, wanted.filters, DEPTH, fusion.topn)
        found = self._fused(match, head.text, head.dense)
        if depth > found.total and head.total > found.total:
            return None
        return found._replace(total=max(head.total, found.total), generation=head.generation)

    def _whole(self, wanted: StoreSearch) -> EngineCandidates:
        """Return all candidates."""
        match, filters, features = wanted.match, wanted.filters, wanted.features
        if match.is_empty():
            listed = self._rank(match, filters)
            return EngineCandidates(len(listed), listed)
        if features is None or match.text is None:
            legs = self._legs(match, filters)
            return self._fused(match, legs.text, legs.dense)._replace(generation=legs.generation)
        text, dense, generation = self._engine.legs(match, filters, features.paths)
        fields = self._fields([identifier for identifier, _ in text])
        leg = features.leg(text, match.text.topn, lambda path, ids: [path.value(fields.get(one, {})) for one in ids])
        weighted = leg.weighted(match.fusion, dense)
        found = (
            self._fused(match, leg.ranking, dense) if weighted is None else EngineCandidates(len(weighted), weighted)
        )
        return found._replace(text=leg.scores, features=leg.features, generation=generation)

    def _legs(self, match: MatchExprs, filters: Filters) -> EngineLegs:
        """Return both legs; the first hundred of the dense leg are those that `_head` finds.

        An engine may find other neighbours if it looks for more of them. So no document moves between two pages.
        """
        legs = self._engine.legs(match, filters)
        if len(legs.dense) <= DEPTH or not _has_head(match):
            return legs
        head = self._engine.head(match, filters, DEPTH, DEPTH).dense
        ahead = dict(head)
        dense = [*head, *(pair for pair in legs.dense if pair[0] not in ahead)][: len(legs.dense)]
        return legs._replace(dense=dense)

    @staticmethod
    def _fused(match: MatchExprs, text: Ranking, dense: Ranking) -> EngineCandidates:
        fused = None
        if match.fusion is None:
            ranking = dense if match.text is None else text
        elif (legs_of := METHODS[match.fusion.method].legs) is None:
            ranking = Fusion.fuse(match.fusion, [text, dense], ["min_max", "none"])
        else:
            fused = legs_of(text, dense)
            ranking = fused.ranking(text, dense)[: match.fusion.topn]
        return EngineCandidates(len(ranking), ranking, fused, dict(text))

    def _arranged(self, wanted: StoreSearch, found: EngineCandidates) -> EngineCandidates:
        """Return candidates in the requested order, with the counts of values; both read all candidates."""
        if wanted.order.is_empty() and not wanted.agg_fields:
            return found
        fields = self._fields([identifier for identifier, _ in found.ranking])
        ranking = [pair for pair in found.ranking if pair[0] in fields]
        wanted.order.arrange(ranking, lambda path, ids: [path.value(fields[identifier]) for identifier in ids])
        aggs = {field: aggregations.count(_values(field, ranking, fields)) for field in wanted.agg_fields}
        return found._replace(total=len(ranking), ranking=ranking, aggs=aggs)

    def _result(self, wanted: StoreSearch, page_without: PageWithout, found: EngineCandidates) -> SearchResult:
        """Return the result of a search; if found documents were removed meanwhile, the next ones replace them."""
        if wanted.shows_ids_alone():
            total, page = page_without(set())
            fields: dict[str, Mapping[str, Any]] = {identifier: {} for identifier, _ in page}
            documents: dict[str, Mapping[str, Any]] = {}
        else:
            total, page, documents = self._documents(wanted, page_without)
            fields = _selected(documents, wanted.selected)
        return SearchResult(
            total=total,
            ids=list(fields),
            fields=fields,
            scores=dict(page),
            query_vector=None if wanted.match.dense is None else list(wanted.match.dense.vector),
            highlight=_highlights(documents, wanted.highlight_fields, Highlight(wanted.keywords)),
            aggs=found.aggs,
            keywords=wanted.keywords,
            fused=found.fused,
            text_scores=found.text,
            features=found.features,
            generation=found.generation,
        )

    def _documents(
        self, wanted: StoreSearch, page_without: PageWithout
    ) -> tuple[int, Ranking, dict[str, Mapping[str, Any]]]:
        """Return the number of found documents, and a page of them with the fields and vectors of its documents."""
        gone: set[str] = set()
        stored: Mapping[str, Mapping[str, Any]] = {}
        needed = None if wanted.selected is None else list(dict.fromkeys([*wanted.selected, *wanted.highlight_fields]))
        for _ in range(MOST_ATTEMPTS):
            total, page = page_without(gone)
            stored = self._read([identifier for identifier, _ in page], needed) if page else {}
            missing = [identifier for identifier, _ in page if identifier not in stored]
            if not missing:
                break
            gone.update(missing)
        page = [pair for pair in page if pair[0] in stored]
        return total, page, {identifier: stored[identifier] for identifier, _ in page}

    def _read(self, identifiers: Sequence[str], needed: Sequence[str] | None) -> Mapping[str, Mapping[str, Any]]:
        """Return the fields and vectors of those documents that are stored; a subclass may omit unneeded parts.

        Args:
            identifiers: the ids, each once.
            needed: the names of the fields and vector fields, each once; `None` for all.
        """
        vectors = None if needed is None else [name for name in needed if name.endswith("_vec")]
        found = self._engine.read(identifiers, vectors)
        return {identifier: {**document.fields, **document.vectors} for identifier, document in found.items()}

    def _fields(self, identifiers: Sequence[str]) -> dict[str, dict[str, Any]]:
        found = self._engine.read(identifiers, []) if identifiers else {}
        return {identifier: document.fields for identifier, document in found.items()}


def _has_head(match: MatchExprs) -> bool:
    """Return whether the first hundred of each leg determine the first documents of the fusion (FUS-5)."""
    if match.fusion is None or METHODS[match.fusion.method].legs is None:
        return False
    shortest = min(part.topn for part in (match.fusion, match.text, match.dense) if part is not None)
    return shortest >= DEPTH and (match.dense is None or match.dense.similarity is None)


def _values(field: str, ranking: Ranking, fields: Mapping[str, Mapping[str, Any]]) -> list[Any]:
    path = FieldPath.of(field)
    return [path.value(fields[identifier]) for identifier, _ in ranking]


def _cut(wanted: StoreSearch, found: EngineCandidates, gone: set[str]) -> tuple[int, Ranking]:
    """Return the number of candidates, and a page of them, both without the removed documents."""
    left = [pair for pair in found.ranking if pair[0] not in gone] if gone else found.ranking
    removed = len(found.ranking) - len(left)
    return found.total - removed, left[wanted.offset : wanted.offset + wanted.limit]


def _selected(documents: dict[str, Mapping[str, Any]], selected: Sequence[str] | None) -> dict[str, Mapping[str, Any]]:
    """Return the documents with their selected fields and vectors alone."""
    if selected is None:
        return documents
    names = set(selected)
    return {
        identifier: document.only(names)
        if isinstance(document, PackedFields)
        else {name: document[name] for name in selected if name in document}
        for identifier, document in documents.items()
    }


def _highlights(
    documents: Mapping[str, Mapping[str, Any]], fields: Sequence[str], highlight: Highlight
) -> dict[str, str]:
    marked: dict[str, str] = {}
    for identifier, document in documents.items() if fields else ():
        values = (document.get(field) for field in fields)
        texts = (highlight.mark(value) for value in values if isinstance(value, str))
        found = next((text for text in texts if text is not None), None)
        if found is not None:
            marked[identifier] = found
    return marked
