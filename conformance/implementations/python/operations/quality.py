"""Operations of the ranking table: what each way of searching ranks first for one query of a collection."""

from pathlib import Path
from typing import Any

from conformance.implementations.python import corpora
from conformance.implementations.python.registry import Trace, operation
from hybrid_search.fusion.fusion import Fusion
from hybrid_search.fusion.fusion_expr import FusionExpr
from hybrid_search.post_processor import ranked_list, weighted_score
from hybrid_search.post_processor.document import Document
from hybrid_search.post_processor.keyword_cosine import KeywordCosine
from hybrid_search.post_processor.weighted_score import ScoreWeights
from hybrid_search.query_builder.builder import QueryBuilder
from hybrid_search.retriever.retriever import Retriever
from hybrid_search.text.keyword_cache import KeywordCache

TOPK = 1024
DEPTH = 50
NO_THRESHOLD = -1e9
NORMALIZERS = ["min_max", "none"]
CANDIDATES = 200
WEIGHED = "Dify "
"""What the name of a way begins with that weighs vectors and keywords (DFY-2): `Dify 0.3/0.7`."""
BALANCED: dict[str, Any] = {"balanced": "auto", "balanced min_max": "min_max", "balanced rrf": "rrf"}
"""Fusions of the bag of tokens and the vectors, in the order of which results stay (RET-10)."""
ALONE = {"bm25f", *BALANCED}
"""Ways that need no leg of the others."""


class Ranker:
    """A collection ready to be ranked in every way."""

    def __init__(self, folder: Path, model: str | None, fields: dict[str, float] | None) -> None:
        self.collection = corpora.Collection(folder, model)
        self._builder = QueryBuilder(fields=fields)
        self._store = self.collection.store()
        self._embedding = self.collection.embedding()
        self._retriever = Retriever(self._store, self._builder, self._embedding)
        self._keyword_cosine = KeywordCosine(KeywordCache(capacity=1_000_000))
        self._texts = {one["_id"]: f"{one.get('title', '')} {one['text']}" for one in self.collection.documents}

    def rankings(
        self, place: int, ways: list[str], weights: str, vector_similarity_weight: float
    ) -> dict[str, list[str]]:
        """The first ids of the ways of searching that are asked for, by name; none of those that need vectors without.

        Each leg is searched once for all of them, but for those of `ALONE`.
        """
        question = self.collection.queries[place]["text"]
        rankings = self._balanced(question, ways)
        if not set(ways) <= ALONE:
            rankings |= self._of_legs(question, ways, weights, vector_similarity_weight)
        return {way: rankings[way] for way in ways if way in rankings}

    def _of_legs(
        self, question: str, ways: list[str], weights: str, vector_similarity_weight: float
    ) -> dict[str, list[str]]:
        """RAGFlow's query and the vectors, alone and fused, and what is reranked."""
        text, _ = self._builder.build_text_query(question)
        text_leg = [] if text is None else self._store.text_leg(text.with_topn(TOPK))
        nearest = self._nearest(question)
        found = {"full text": text_leg}
        if self._embedding is not None:
            legs = [text_leg, nearest[:TOPK]]
            found["dense"] = legs[1]
            if "weighted_sum" in ways:
                expression = FusionExpr("weighted_sum", TOPK, {"weights": weights})
                found["weighted_sum"] = Fusion.fuse(expression, legs, NORMALIZERS)
            if "rrf" in ways:
                found["rrf"] = Fusion.fuse(FusionExpr("rrf", TOPK), legs, NORMALIZERS)
        rankings = {name: [identifier for identifier, _ in ranking[:DEPTH]] for name, ranking in found.items()}
        if "hybrid rerank" in ways:
            page = self._retriever.retrieve(
                question,
                page_size=DEPTH,
                topk=TOPK,
                similarity_threshold=NO_THRESHOLD,
                weights=weights,
                vector_similarity_weight=vector_similarity_weight,
                aggs=False,
            )
            rankings["hybrid rerank"] = [chunk.chunk_id for chunk in page.chunks]
        return rankings | self._weighted(question, text_leg, nearest, ways)

    def _balanced(self, question: str, ways: list[str]) -> dict[str, list[str]]:
        """The bag of tokens alone, and its fusions."""
        found = {}
        for way, fusion in BALANCED.items():
            if way in ways:
                page = self._retriever.retrieve(
                    question, profile="balanced", fusion=fusion, page_size=DEPTH, topk=TOPK, aggs=False
                )
                found[way] = [chunk.chunk_id for chunk in page.chunks]
        if "bm25f" in ways:
            bag = self._builder.build_bm25f_query(question)
            leg = [] if bag is None else self._store.rank([bag.with_topn(DEPTH)])
            found["bm25f"] = [identifier for identifier, _ in leg]
        return found

    def _nearest(self, question: str) -> list[tuple[str, float]]:
        """All documents with their cosines, best first; none without vectors."""
        if self._embedding is None:
            return []
        dense = self._embedding.match_dense(question, topk=max(TOPK, self._store.count()), similarity=-1.0)
        return self._store.dense_leg(dense)

    def _weighted(
        self, question: str, text_leg: list[tuple[str, float]], nearest: list[tuple[str, float]], ways: list[str]
    ) -> dict[str, list[str]]:
        """Dify's weighted score of titles and texts, over the union of both legs' first.

        What a `PostProcessor` does, with the keywords compared once for all weights.
        """
        weights = {way: tuple(way.removeprefix(WEIGHED).split("/")) for way in ways if way.startswith(WEIGHED)}
        if self._embedding is None:
            weights = {way: pair for way, pair in weights.items() if float(pair[0]) == 0.0}
        if not weights:
            return {}
        documents = self.candidates(text_leg, nearest)
        keywords = self._keyword_cosine.scores(question, [document.page_content for document in documents])
        found = {}
        for way, pair in weights.items():
            scored = weighted_score.score(documents, keywords, ScoreWeights.parse(",".join(pair)))
            found[way] = [str(document.doc_id) for document in ranked_list.best(scored, DEPTH)]
        return found

    def candidates(self, text_leg: list[tuple[str, float]], nearest: list[tuple[str, float]]) -> list[Document]:
        """The documents that are weighed, with their cosines."""
        cosines = dict(nearest)
        ids = dict.fromkeys(identifier for leg in (nearest, text_leg) for identifier, _ in leg[:CANDIDATES])
        return [
            Document(self._texts[identifier], {"doc_id": identifier, "vector_score": cosines.get(identifier, 0.0)})
            for identifier in ids
        ]


_loaded: list[Ranker] = []
"""The one collection at hand."""


@operation("quality.load")
def load(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """Load a collection in the place of the one before; answers with its counts."""
    _loaded.clear()
    _loaded.append(Ranker(Path(given["path"]), params.get("model"), params.get("fields")))
    collection = _loaded[0].collection
    return {"documents": len(collection.documents), "queries": len(collection.queries)}


@operation("quality.rankings", {"weights": "0.05,0.95", "vector_similarity_weight": 0.3})
def rankings(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The first ids of the ways of searching asked for, for one query of the loaded collection."""
    asked = params["ways"], params["weights"], params["vector_similarity_weight"]
    return _loaded[0].rankings(given["query"], *asked)
