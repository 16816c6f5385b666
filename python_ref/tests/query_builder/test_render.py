import sqlite3

import pytest

from hybrid_search.errors import InvalidInputError
from hybrid_search.query_builder import render
from hybrid_search.query_builder.tree import AnyOf, Boost, Group, Node, Phrase, Term

DOCUMENTS = ["a x b", "b a", "a x y z b", 'say "quoted" words', "c"]


def found(tree: Node) -> list[int]:
    database = sqlite3.connect(":memory:")
    try:
        database.execute("CREATE VIRTUAL TABLE documents USING fts5(content)")
        database.executemany("INSERT INTO documents VALUES (?)", [(text,) for text in DOCUMENTS])
        rows = database.execute(
            "SELECT rowid FROM documents WHERE documents MATCH ? ORDER BY rowid", (render.fts5(tree),)
        )
        return [row[0] - 1 for row in rows]
    finally:
        database.close()


def test_sqlite_accepts_the_rendered_query() -> None:
    assert found(Phrase(("a", "b"), slop=2)) == [0, 1]
    assert found(AnyOf((Boost(Group(Term("c")), 2.0), AnyOf(()), Phrase(("a", "x"))))) == [0, 2, 4]
    assert found(AnyOf((Term('"quoted"'), Term("NEAR")))) == [3]


def test_text_is_escaped_for_postgres() -> None:
    assert render.tsquery(Phrase(("it's", "a\\b"))) == "('it''s' <-> 'a\\\\b')"
    assert render.tsquery(Phrase(("a", "b"), slop=2)) == ("('a' <1> 'b' | 'a' <2> 'b' | 'a' <3> 'b' | 'b' <1> 'a')")
    assert render.tsquery(AnyOf(())) == ""


def test_values_that_are_not_a_query_tree_are_refused() -> None:
    for engine in (render.lucene, render.tsquery, render.fts5):
        with pytest.raises(InvalidInputError, match="a query tree"):
            engine(AnyOf((None,)))  # type: ignore[arg-type]
