"""PostgreSQL's own text search: a tsvector a field, a GIN index on each, ranked by `ts_rank_cd`."""

import itertools
import json
import os
import uuid
from typing import Any

import psycopg
from psycopg import sql

from conformance.bench.contestants.helpers import each_timed
from conformance.bench.contestants.stores import text_queries, with_room
from conformance.engines.testing import POSTGRES_VARIABLE
from hybrid_search.adapter_kit import render
from hybrid_search.query_builder.expressions import MatchTextExpr

BATCH = 2000


class TsRank:
    """The text leg as the server itself can do it, with the fields, the boosts and the tree of the library's query."""

    def load(self, path: str, queries: str, count: int) -> None:
        """Store the documents that were written, and read the first queries."""
        self._queries = text_queries(queries, count)
        self._fields = [field for field, _ in self._queries[0].fields]
        self._table = sql.Identifier(f"bench_{uuid.uuid4().hex}")
        self._connection = psycopg.connect(with_room(os.environ[POSTGRES_VARIABLE]), autocommit=True)
        columns = sql.SQL(", ").join(sql.SQL("{} tsvector").format(sql.Identifier(field)) for field in self._fields)
        self._run("create table {table} (id text primary key, {columns})", columns=columns)
        values = sql.SQL(", ").join(sql.SQL("to_tsvector('simple', %s)") for _ in self._fields)
        statement = sql.SQL("insert into {} values (%s, {})").format(self._table, values)
        with open(path, encoding="utf-8") as file:
            while batch := [json.loads(line) for line in itertools.islice(file, BATCH)]:
                rows = [[document["id"], *(_text(document.get(field)) for field in self._fields)] for document in batch]
                with self._connection.cursor() as cursor:
                    cursor.executemany(statement, rows)
        for field in self._fields:
            self._run("create index on {table} using gin ({field})", field=sql.Identifier(field))
        self._run("analyze {table}")
        self._answer(self._queries[0])

    def text_legs(self, rounds: int) -> list[dict[str, list[float]]]:
        """Answer the queries, one after the other, several times."""
        return [each_timed(self._queries, self._answer)[1] for _ in range(rounds)]

    def drop(self) -> None:
        """Remove the table."""
        self._run("drop table {table}")
        self._connection.close()

    def _answer(self, query: MatchTextExpr) -> list[tuple[str, float]]:
        names = [sql.Identifier(field) for field in self._fields]
        rank = sql.SQL(" + ").join(
            sql.SQL("{} * ts_rank_cd({}, q)").format(sql.Literal(boost), name)
            for (_, boost), name in zip(query.fields, names, strict=True)
        )
        match = sql.SQL(" or ").join(sql.SQL("{} @@ q").format(name) for name in names)
        text = "select id, {rank} as score from {table}, (select %s::tsquery) as asked (q) where {match} "
        statement = sql.SQL(text + "order by score desc, id limit {limit}").format(
            rank=rank, table=self._table, match=match, limit=sql.Literal(query.topn)
        )
        return self._connection.execute(statement, [render.tsquery(query.tree)]).fetchall()

    def _run(self, statement: str, **names: Any) -> None:
        self._connection.execute(sql.SQL(statement).format(table=self._table, **names))


def _text(value: Any) -> str:
    return " ".join(value) if isinstance(value, list) else value or ""
