"""Operations of the ranking table: what each way of searching ranks first for one query of a collection."""

from pathlib import Path
from typing import Any

from hybrid_search.fusion.fusion import Fusion
from hybrid_search.fusion.fusion_expr import FusionExpr
from hybrid_search.generate import corpora
from hybrid_search.generate.registry import Trace, operation
from hybrid_search.post_processor.document import Document
from hybrid_search.post_processor.keyword_cache import KeywordCache
from hybrid_search.post_processor.post_processor import PostProcessor
from hybrid_search.query_builder.builder import QueryBuilder
from hybrid_search.retriever.retriever import Retriever

TOPK = 1024
DEPTH = 50
NO_THRESHOLD = -1e9
NORMALIZERS = ["min_max", "none"]
CANDIDATES = 200
WEIGHTS = {"Dify 1/0": "1,0", "Dify 0.5/0.5": "0.5,0.5", "Dify 0.3/0.7": "0.3,0.7", "Dify 0/1": "0,1"}
"""Ways of weighing vectors and keywords (DFY-2) over the union of both legs' first 200."""


class Ranker:
    """A collection ready to be ranked in every way."""

    def __init__(self, folder: Path, model: str | None, fields: dict[str, float] | None) -> None:
        self.collection = corpora.Collection(folder, model)
        self._builder = QueryBuilder(fields=fields)
        self._store = self.collection.store()
        self._embedding = self.collection.embedding()
        self._retriever = Retriever(self._store, self._builder, self._embedding)
        self._keywords = KeywordCache(capacity=1_000_000)
        self._texts = {one["_id"]: f"{one.get('title', '')} {one['text']}" for one in self.collection.documents}

    def rankings(self, place: int, weights: str, vector_similarity_weight: float) -> dict[str, list[str]]:
        """The first ids of every way of searching, by its name."""
        question = self.collection.queries[place]["text"]
        text, _ = self._builder.build_text_query(question)
        text_leg = [] if text is None else self._store.text_leg(text.with_topn(TOPK))
        found = {"full text": text_leg}
        if self._embedding is not None:
            legs = [text_leg, self._store.dense_leg(self._embedding.match_dense(question, topk=TOPK, similarity=-1.0))]
            found["dense"] = legs[1]
            found["weighted_sum"] = Fusion.fuse(
                FusionExpr("weighted_sum", TOPK, {"weights": weights}), legs, NORMALIZERS
            )
            found["rrf"] = Fusion.fuse(FusionExpr("rrf", TOPK), legs, NORMALIZERS)
        rankings = {name: [identifier for identifier, _ in ranking[:DEPTH]] for name, ranking in found.items()}
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
        return rankings | self._weighted(question, text_leg)

    def _weighted(self, question: str, text_leg: list[tuple[str, float]]) -> dict[str, list[str]]:
        """Dify's weighted score of titles and texts."""
        if self._embedding is None:
            return {}
        dense = self._embedding.match_dense(question, topk=max(1, self._store.count()), similarity=-1.0)
        cosines = dict(self._store.dense_leg(dense))
        ids = dict.fromkeys([*list(cosines)[:CANDIDATES], *(identifier for identifier, _ in text_leg[:CANDIDATES])])
        documents = [
            Document(self._texts[identifier], {"doc_id": identifier, "vector_score": cosines.get(identifier, 0.0)})
            for identifier in ids
        ]
        found = {}
        for way, weights in WEIGHTS.items():
            processor = PostProcessor("weighted_score", weights, keyword_extractor=self._keywords)
            ranked = processor.process(question, documents, top_n=DEPTH).documents
            found[way] = [str(document.doc_id) for document in ranked]
        return found


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
    """The first ids of every way of searching for one query of the loaded collection."""
    return _loaded[0].rankings(given["query"], params["weights"], params["vector_similarity_weight"])
