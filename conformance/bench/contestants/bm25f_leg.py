"""The text leg of titles and bodies as it is measured; the twin of `conformance/bench/ruby/bm25f_leg.rb`."""

import itertools
from typing import Any

from conformance.bench.contestants.helpers import each_timed, lines
from hybrid_search.base import numeric
from hybrid_search.doc_store_adapter.memory.memory_doc_store import MemoryDocStore
from hybrid_search.query_builder.expressions import MatchBm25fExpr, MatchTextExpr
from hybrid_search.query_builder.tree import AnyOf, Term

TITLE = 8
"""How many of the first tokens of a document are its title."""
FIELDS = (("title_tks", 3.0), ("content_ltks", 1.0))
TOP = 10
BATCH = 1000


class Bm25fLeg:
    """`MemoryDocStore.rank` of a `MatchBm25fExpr`, and of a `MatchTextExpr` of the same terms."""

    def load(self, documents: str) -> None:
        """Store the documents (lists of token numbers, the title first)."""
        self._store = MemoryDocStore()
        records = (
            {"id": f"{number:07}", "title_tks": _text(tokens[:TITLE]), "content_ltks": _text(tokens[TITLE:])}
            for number, tokens in enumerate(lines(documents))
        )
        while batch := list(itertools.islice(records, BATCH)):
            self._store.insert(batch)

    def take(self, queries: str) -> None:
        """Read the queries to answer (lists of token numbers)."""
        asked = [tuple(f"t{token}" for token in tokens) for tokens in lines(queries)]
        self._bags = [MatchBm25fExpr(FIELDS, tokens, TOP) for tokens in asked]
        self._trees = [MatchTextExpr(FIELDS, AnyOf(tuple(map(Term, tokens))), TOP) for tokens in asked]

    def run(self, tree: bool) -> dict[str, Any]:
        """Answer all queries, one after the other."""
        return each_timed(self._trees if tree else self._bags, lambda query: self._store.rank([query]))[1]

    def answers(self) -> list[list[tuple[int, str]]]:
        """For every query the best documents and the bits of their scores."""
        found = [self._store.rank([query]) for query in self._bags]
        return [[(int(identifier), numeric.to_bits(score)) for identifier, score in one] for one in found]


def _text(tokens: list[int]) -> str:
    return " ".join(f"t{token}" for token in tokens)
