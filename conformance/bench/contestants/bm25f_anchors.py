"""Full text in titles and bodies by others: SQLite's FTS5 and tantivy; and the plain form, which says what is right."""

import math
import sqlite3
from collections import Counter
from typing import Any

from conformance.bench.contestants.bm25f_leg import TITLE
from conformance.bench.contestants.helpers import each_timed, lines
from hybrid_search.base import numeric

TOP = 10
WEIGHTS = (3.0, 1.0)


class Fts5Fields:
    """SQLite FTS5 in memory, in two columns; tokens are numbered words, so that its tokenizer has nothing to decide."""

    def load(self, documents: str) -> None:
        """Index the documents (lists of token numbers, the title first)."""
        self._database = sqlite3.connect(":memory:")
        self._database.execute("CREATE VIRTUAL TABLE documents USING fts5(title, body, detail=full)")
        rows = ((number, *_texts(tokens)) for number, tokens in enumerate(lines(documents)))
        self._database.executemany("INSERT INTO documents(rowid, title, body) VALUES (?, ?, ?)", rows)
        self._database.execute("INSERT INTO documents(documents) VALUES ('optimize')")
        self._database.execute("INSERT INTO documents(documents, rank) VALUES ('rank', ?)", (f"bm25{WEIGHTS}",))
        self._database.commit()

    def take(self, queries: str) -> None:
        """Read the queries to answer (lists of token numbers)."""
        self._queries = [" OR ".join(f"t{token}" for token in query) for query in lines(queries)]

    def run(self) -> dict[str, Any]:
        """Answer all queries, one after the other."""
        statement = f"SELECT rowid FROM documents WHERE documents MATCH ? ORDER BY rank LIMIT {TOP}"
        return each_timed(self._queries, lambda query: self._database.execute(statement, (query,)).fetchall())[1]


class Tantivy:
    """tantivy in memory, in one segment, in two fields whose terms are boosted."""

    def load(self, documents: str) -> None:
        """Index the documents (lists of token numbers, the title first)."""
        import tantivy

        builder = tantivy.SchemaBuilder()
        builder.add_unsigned_field("number", stored=True)
        for name in ("title", "body"):
            builder.add_text_field(name, tokenizer_name="whitespace")
        index = tantivy.Index(builder.build())
        writer = index.writer(heap_size=256_000_000, num_threads=1)
        for number, tokens in enumerate(lines(documents)):
            title, body = _texts(tokens)
            writer.add_document(tantivy.Document(number=number, title=title, body=body))
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
        self._schema, self._searcher = index.schema, index.searcher()

    def take(self, queries: str) -> None:
        """Read the queries to answer (lists of token numbers)."""
        self._queries = [[f"t{token}" for token in query] for query in lines(queries)]

    def run(self) -> dict[str, Any]:
        """Answer all queries, one after the other."""
        return each_timed(self._queries, self._best)[1]

    def _best(self, tokens: list[str]) -> Any:
        from tantivy import Occur, Query

        boosted = [
            (Occur.Should, Query.boost_query(Query.term_query(self._schema, field, token), weight))
            for token in tokens
            for field, weight in zip(("title", "body"), WEIGHTS, strict=True)
        ]
        return self._searcher.search(Query.boolean_query(boosted), TOP, count=False).hits


class SimpleBm25f:
    """BM25F as its formula reads (DOC-9), document by document, for the queries' tokens only."""

    def load(self, documents: str, queries: str) -> None:
        """Count the queries' tokens in every document."""
        self._queries = lines(queries)
        wanted = {token for query in self._queries for token in query}
        corpus = [(tokens[:TITLE], tokens[TITLE:]) for tokens in lines(documents)]
        self._documents = len(corpus)
        lengths = [[len(fields[place]) for fields in corpus] for place in range(len(WEIGHTS))]
        averages = [sum(own) / sum(length > 0 for length in own) for own in lengths]
        self._holding: dict[int, dict[int, float]] = {token: {} for token in wanted}
        for number, fields in enumerate(corpus):
            for place, (weight, tokens) in enumerate(zip(WEIGHTS, fields, strict=True)):
                scale = 0.25 + 0.75 * lengths[place][number] / averages[place]
                for token, count in Counter(token for token in tokens if token in wanted).items():
                    own = self._holding[token]
                    own[number] = own.get(number, 0.0) + weight * count / scale

    def run(self) -> list[list[tuple[int, str]]]:
        """For every query the best documents and the bits of their scores."""
        return [self._answer(query) for query in self._queries]

    def _answer(self, query: list[int]) -> list[tuple[int, str]]:
        scores: dict[int, float] = {}
        for token in query:
            held = self._holding[token]
            idf = math.log(1.0 + (self._documents - len(held) + 0.5) / (len(held) + 0.5))
            for number, total in held.items():
                scores[number] = scores.get(number, 0.0) + idf * (total / (total + 1.2))
        best = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))[:TOP]
        return [(number, numeric.to_bits(score)) for number, score in best]


def _texts(tokens: list[int]) -> tuple[str, str]:
    """The title and the body."""
    title, body = (" ".join(f"t{token}" for token in part) for part in (tokens[:TITLE], tokens[TITLE:]))
    return title, body
