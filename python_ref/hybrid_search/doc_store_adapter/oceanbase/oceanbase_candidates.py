"""The text leg of a search in OceanBase (OB-2): candidates by the engine, scores by this library.

The engine returns the documents that it scores best for the tokens of a question. This library scores them with its own
formulas, from the numbers of all documents: a candidate has the same score as in a `MemoryDocStore`.
"""

from collections.abc import Mapping, Sequence

from hybrid_search.doc_store_adapter.base import Ranking
from hybrid_search.doc_store_adapter.documents import stored_document
from hybrid_search.doc_store_adapter.filters.filters import Filters
from hybrid_search.doc_store_adapter.oceanbase import oceanbase_statements as sql
from hybrid_search.doc_store_adapter.oceanbase import oceanbase_tokens
from hybrid_search.doc_store_adapter.oceanbase.oceanbase_connection import Row
from hybrid_search.doc_store_adapter.oceanbase.oceanbase_tables import OceanBaseTables
from hybrid_search.doc_store_adapter.queries.match_exprs import Bm25fQuery, TextQuery
from hybrid_search.doc_store_adapter.snapshot.bm25 import Bm25
from hybrid_search.doc_store_adapter.snapshot.document_index import DocumentIndex
from hybrid_search.doc_store_adapter.snapshot.inverted_index import InvertedIndex
from hybrid_search.doc_store_adapter.snapshot.leg_head import LegHead
from hybrid_search.doc_store_adapter.tables.posting_tables import FieldRow
from hybrid_search.fusion.fused_legs import DEPTH

MORE = 2
"""The number of candidates for each wanted document, since the engine orders them by other scores."""
CANDIDATES = 1_000
"""The minimum number of candidates."""
BM25 = Bm25.of("lucene")


class CandidateField(InvertedIndex):
    """The tokens of one field for the candidates, with the numbers of all documents.

    Args:
        row: the field.
        places: token → id → its positions, ascending; tokens of the question only.
        lengths: id → the number of tokens of a candidate's field.
        documents: token → the number of documents that have it in this field.
    """

    def __init__(
        self,
        row: FieldRow,
        places: dict[str, dict[str, list[int]]],
        lengths: dict[str, int],
        documents: Mapping[str, int],
    ) -> None:
        super().__init__(BM25, stored_document.is_keyword_field(row.name), {})
        self._row = row
        self._positions = places
        self.lengths = lengths
        self._holding = documents

    @property
    def average_length(self) -> float:
        """See `InvertedIndex.average_length`."""
        return self._row.tokens / self._row.documents

    @property
    def average_filled_length(self) -> float:
        """See `InvertedIndex.average_filled_length`."""
        return self._row.tokens / (self._row.filled or 0)

    def idf(self, token: str) -> float:
        """See `InvertedIndex.idf`; this formula has no negative ones."""
        return self._bm25.raw_idf(self._row.documents, self._holding[token])


class CandidateIndex(DocumentIndex):
    """The candidates of a text leg as `DocumentIndex` scores documents.

    Args:
        count: the number of all documents.
        rows: the candidates.
        fields: name → field, of the searched fields that documents have.
        tokens: the tokens of the question.
        holding: for each token and each set of fields the number of documents, as `OceanBaseTables.holding` returns it.
    """

    def __init__(
        self,
        count: int,
        rows: Sequence[Row],
        fields: Mapping[str, FieldRow],
        tokens: Sequence[str],
        holding: Sequence[tuple[str, list[int], int]],
    ) -> None:
        super().__init__(BM25)
        self._count = count
        self._identifiers = [row[1].decode("utf-8") for row in rows]
        known = {oceanbase_tokens.encoded(token): token for token in tokens}
        searched = {row.field for row in fields.values()}
        self._documents_with = dict.fromkeys(tokens, 0)
        inside: dict[int, dict[str, int]] = {number: {} for number in searched}
        for encoded, numbers, documents in holding:
            token = known[encoded]
            if not searched.isdisjoint(numbers):
                self._documents_with[token] += documents
            for number in searched.intersection(numbers):
                inside[number][token] = inside[number].get(token, 0) + documents
        places, lengths = _read(rows, self._identifiers, searched, known)
        self._searched: dict[str, InvertedIndex] = {
            name: CandidateField(row, places[row.field], lengths[row.field], inside[row.field])
            for name, row in fields.items()
        }

    @property
    def count(self) -> int:
        """The number of all documents."""
        return self._count

    def passing(self, _filters: Filters) -> list[str]:
        """Return the ids of the candidates, all of which pass."""
        return self._identifiers

    def _text_index(self, field: str) -> InvertedIndex:
        return self._searched.get(field) or InvertedIndex(BM25, False, {})

    def _holding(self, token: str, _frequencies: Mapping[str, float]) -> int:
        return self._documents_with[token]


class OceanBaseCandidates:
    """Finds the text leg of a search.

    Args:
        tables: the tables in one state.
        query: the query.
        filters: the filters.
    """

    def __init__(self, tables: OceanBaseTables, query: TextQuery | Bm25fQuery, filters: Filters) -> None:
        self._tables = tables
        self._query = query
        self._filters = filters
        rows = ((name, tables.fields.get(name)) for name, _ in query.fields)
        self._fields = {name: row for name, row in rows if row is not None and row.filled}
        self._tokens = sorted(query.tokens)
        self._encoded = [oceanbase_tokens.encoded(token) for token in self._tokens]

    def leg(self) -> Ranking:
        """Return the leg, at most `topn` documents."""
        if self._is_empty(self._query.topn):
            return []
        return self._scored(self._query.topn)[0]

    def head(self) -> LegHead:
        """Return the first hundred documents of a leg, and the number of all."""
        if self._is_empty(self._query.topn):
            return LegHead.of([])
        ranking, is_whole = self._scored(DEPTH)
        total = len(ranking) if is_whole else min(self._tables.counted(self._condition()), self._query.topn)
        found = LegHead.of(ranking)
        return LegHead(found.ranking, total, found.scores)

    def _is_empty(self, limit: int) -> bool:
        return not (limit and self._fields and self._tokens)

    def _scored(self, limit: int) -> tuple[Ranking, bool]:
        """Return the leg, and whether it consists of all documents that match."""
        most = max(CANDIDATES, MORE * min(limit, self._tables.count))
        rows = self._tables.connection.rows(
            "candidates", words=self._words(self._fields), score=self._score(), filter=self._filter(), limit=most
        )
        holding = self._tables.holding(self._encoded)
        index = CandidateIndex(self._tables.count, rows, self._fields, self._tokens, holding)
        is_whole = len(rows) < most
        if isinstance(self._query, TextQuery):
            return index.text_leg(self._query, self._filters), is_whole
        return index.bm25f_leg(self._query, self._filters), is_whole

    def _filter(self) -> str:
        return self._tables.condition(self._filters)

    def _condition(self) -> str:
        weighted = {name for name, weight in self._query.fields if weight > 0.0}
        fields = {name: row for name, row in self._fields.items() if name in weighted}
        if not fields:
            return "false"
        statements = self._tables.connection.statements
        return f"{statements.text('score', words=self._words(fields))} and ({self._filter()})"

    def _words(self, fields: Mapping[str, FieldRow]) -> str:
        return " ".join(f"{row.field}{token}" for row in fields.values() for token in self._encoded)

    def _score(self) -> str:
        """Return the expression by which the engine orders documents: a sum over fields with equal weights."""
        together: dict[float, dict[str, FieldRow]] = {}
        for name, weight in self._query.fields:
            if name in self._fields:
                together.setdefault(weight, {})[name] = self._fields[name]
        statements = self._tables.connection.statements
        return " + ".join(
            f"{sql.value(float(weight))} * {statements.text('score', words=self._words(fields))}"
            for weight, fields in sorted(together.items())
        )


def _read(
    rows: Sequence[Row], identifiers: Sequence[str], searched: set[int], known: Mapping[str, str]
) -> tuple[dict[int, dict[str, dict[str, list[int]]]], dict[int, dict[str, int]]]:
    """Return number of a searched field → token → id → positions, and number of a field → id → number of tokens."""
    wanted = {f"{field}{encoded}": (field, token) for field in searched for encoded, token in known.items()}
    places: dict[int, dict[str, dict[str, list[int]]]] = {field: {} for field in searched}
    lengths: dict[int, dict[str, int]] = {field: {} for field in searched}
    for identifier, (_, _, written, words) in zip(identifiers, rows, strict=True):
        starts: dict[int, int] = {}
        start = 0
        for field, length in oceanbase_tokens.read_lengths(written.decode("utf-8")).items():
            starts[field] = start
            start += length
            if field in searched:
                lengths[field][identifier] = length
        for place, word in enumerate(words.split(" ")):
            found = wanted.get(word)
            if found is not None:
                field, token = found
                places[field].setdefault(token, {}).setdefault(identifier, []).append(place - starts[field])
    return places, lengths
