"""Full text by others: SQLite's FTS5 and bm25s; and the simplest scorer, which only says what is right."""

import sqlite3
from collections import Counter
from typing import Any

import numpy as np

from conformance.bench.contestants.helpers import each_timed, lines
from hybrid_search.base import numeric
from hybrid_search.doc_store_adapter.snapshot.bm25 import Bm25

TOP = 10


class Fts5:
    """SQLite FTS5 in memory; tokens are numbered words, so that its tokenizer has nothing to decide."""

    def load(self, documents: str) -> None:
        """Index the documents (lists of token numbers)."""
        self._database = sqlite3.connect(":memory:")
        self._database.execute("CREATE VIRTUAL TABLE documents USING fts5(body, detail=full)")
        rows = ((number, " ".join(f"t{token}" for token in tokens)) for number, tokens in enumerate(lines(documents)))
        self._database.executemany("INSERT INTO documents(rowid, body) VALUES (?, ?)", rows)
        self._database.execute("INSERT INTO documents(documents) VALUES ('optimize')")
        self._database.commit()

    def take(self, queries: str) -> None:
        """Read the queries to answer (lists of token numbers)."""
        self._queries = [" OR ".join(f"t{token}" for token in query) for query in lines(queries)]

    def run(self) -> dict[str, Any]:
        """Answer all queries, one after the other."""
        statement = f"SELECT rowid FROM documents WHERE documents MATCH ? ORDER BY rank LIMIT {TOP}"
        return each_timed(self._queries, lambda query: self._database.execute(statement, (query,)).fetchall())[1]


class Bm25s:
    """bm25s with its numpy backend, one query at a time in one thread.

    It picks the best of all documents by numpy's `argpartition`, which takes about 0.5 ms where hardly any document or
    most of them have a score, and 13 ms where some hundredths have one and all others the same zero, whatever the
    scoring took (0.1 to 0.4 ms). So it can also be asked to pick only among documents that have a score.
    """

    def load(self, documents: str) -> None:
        """Index the documents; bm25s computes every score now."""
        import bm25s

        self._index = bm25s.BM25(method="lucene", k1=1.5, b=0.75, backend="numpy")
        corpus = [[f"t{token}" for token in tokens] for tokens in lines(documents)]
        self._index.index(corpus, show_progress=False)

    def take(self, queries: str) -> None:
        """Read the queries to answer (lists of token numbers)."""
        self._queries = [[[f"t{token}" for token in query]] for query in lines(queries)]

    def run(self, scored_only: bool) -> dict[str, Any]:
        """Answer all queries, one after the other."""
        return each_timed(self._queries, self._among_scored if scored_only else self._as_it_comes)[1]

    def _as_it_comes(self, query: list[list[str]]) -> Any:
        return self._index.retrieve(query, k=TOP, show_progress=False, n_threads=0, backend_selection="numpy")

    def _among_scored(self, query: list[list[str]]) -> Any:
        scores = self._index.get_scores(query[0])
        places = np.flatnonzero(scores)
        found = scores[places]
        best = np.argpartition(found, -TOP)[-TOP:] if len(found) > TOP else np.arange(len(found))
        order = np.argsort(-found[best])
        return places[best][order], found[best][order]


class SimpleBm25:
    """BM25 as its formula reads, document by document, for the queries' tokens only."""

    def load(self, documents: str, queries: str) -> None:
        """Count the queries' tokens in every document."""
        self._queries = lines(queries)
        wanted = {token for query in self._queries for token in query}
        corpus = lines(documents)
        self._lengths = [len(tokens) for tokens in corpus]
        self._average = sum(self._lengths) / len(corpus)
        self._holding: dict[int, dict[int, int]] = {token: {} for token in wanted}
        for number, tokens in enumerate(corpus):
            for token, frequency in Counter(token for token in tokens if token in wanted).items():
                self._holding[token][number] = frequency
        formula = Bm25.of("okapi")
        everywhere = Counter(token for tokens in corpus for token in set(tokens))
        average_idf = formula.average_idf(len(corpus), Counter(everywhere.values()))
        self._idf = {}
        for token, holding in self._holding.items():
            if holding:
                idf = formula.raw_idf(len(corpus), len(holding))
                self._idf[token] = idf if idf >= 0 else formula.epsilon * average_idf

    def run(self) -> list[list[tuple[int, str]]]:
        """For every query the best documents and the bits of their scores."""
        return [self._answer(query) for query in self._queries]

    def _answer(self, query: list[int]) -> list[tuple[int, str]]:
        scores: dict[int, float] = {}
        for token in query:
            for number, frequency in self._holding[token].items():
                saturation = frequency + 1.5 * (1 - 0.75 + 0.75 * self._lengths[number] / self._average)
                score = self._idf[token] * (frequency * (1.5 + 1) / saturation)
                scores[number] = scores.get(number, 0.0) + score
        best = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[:TOP]
        return [(number, numeric.to_bits(score)) for number, score in best]
