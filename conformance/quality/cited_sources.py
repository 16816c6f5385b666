"""`bin/quality --data DIR --citations`: how good the sources of answers are whose passages are known (CIT-2).

An answer has the texts of three queries of a collection as its lines; the passages of a line are those that are judged
relevant to its query. The hits are the first five of a search for each query, and these passages. Only queries of one
sentence take part. Precision is the share of the sources that are passages of their sentence, recall the share of
the passages that are among its sources, each over all sentences.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from conformance.implementations.python import corpora
from conformance.live.folders import Folder
from hybrid_search import HashingEmbedder, Index
from hybrid_search.search.answer_sentences import answer_sentences

LINES = 3
HITS = 5
HEAD = ("collection", "answers", "vectors and terms: precision", "recall", "terms: precision", "recall")


class Found(NamedTuple):
    """The counts of one collection."""

    cited: int
    right: int
    passages: int

    @property
    def precision(self) -> float:
        """The share of the sources that are passages."""
        return self.right / self.cited if self.cited else 0.0

    @property
    def recall(self) -> float:
        """The share of the passages that are sources."""
        return self.right / self.passages if self.passages else 0.0


class _LineVectors:
    """An embedder that knows the vectors of lines, which have lost their enders."""

    def __init__(self, collection: corpora.Collection) -> None:
        vectors = collection.query_vectors
        self._vectors = {_line(one["text"]): vectors[one["_id"]] for one in collection.queries}
        self._vectors |= {one["text"]: vectors[one["_id"]] for one in collection.queries}
        self._others = HashingEmbedder(dimension=len(next(iter(vectors.values()))))

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of lines; of other texts those of the hashing embedder."""
        return [self._vectors.get(text) or self._others.encode([text])[0] for text in texts]


def rows(folders: Sequence[Folder]) -> Iterator[tuple[str, ...]]:
    """The rows of the table, one for each collection with vectors."""
    for folder in folders:
        collection = corpora.Collection(folder.path, folder.model)
        if not collection.query_vectors:
            continue
        index = Index(store=collection.store(), embedding=_LineVectors(collection))
        terms = Index(store=collection.store(), embedding=None)
        asked = [one for one in collection.queries if collection.qrels.get(one["_id"]) and _line(one["text"])]
        answers = [asked[place : place + LINES] for place in range(0, len(asked), LINES)]
        found = [_measure(collection, answers, index, one) for one in (index, terms)]
        shares = [f"{share:.3f}" for one in found for share in (one.precision, one.recall)]
        name = collection.name if folder.model is None else f"{collection.name}/{folder.model}"
        yield (name, str(len(answers)), *shares)


def _measure(
    collection: corpora.Collection, answers: Sequence[Sequence[dict[str, str]]], searched: Index, index: Index
) -> Found:
    cited = right = passages = 0
    for queries in answers:
        relevant = {_line(one["text"]): _relevant(collection, one["_id"]) for one in queries}
        hits = [hit.id for one in queries for hit in searched.search(one["text"], limit=HITS)]
        hits = list(dict.fromkeys([*hits, *sorted(set().union(*relevant.values()))]))
        passages += sum(map(len, relevant.values()))
        for span in index.cite("\n".join(one["text"] for one in queries), hits[:50]).spans:
            sources = {source.id for source in span.sources}
            cited += len(sources)
            right += len(sources & relevant.get(span.text, set()))
    return Found(cited, right, passages)


def _relevant(collection: corpora.Collection, query: str) -> set[str]:
    return {document for document, grade in collection.qrels[query].items() if grade > 0}


def _line(text: str) -> str:
    """The sentence that a query is, "" if it is none or several."""
    found = answer_sentences(text)
    return found[0].text if len(found) == 1 else ""
