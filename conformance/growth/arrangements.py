"""Searches in many documents whose options work on a whole ranking: their number grows with the text."""

from typing import Any

from conformance.growth.registry import OPERATIONS, Operation, Timed
from hybrid_search.embedding.hashing import HashingEmbedder
from hybrid_search.index import Index

QUESTION = 48
PIECE = 16
"""Code points of each document."""

ARRANGEMENTS: dict[str, dict[str, Any]] = {
    "collapse": {"collapse": "doc_id"},
    "collapse_by_text": {"collapse": "metadata.text"},
    "diversity": {"diversity": 0.3},
    "fold_duplicates": {"fold_duplicates": 0.5},
    "parents": {"parents": "max"},
    "context": {"context": 2},
    "features": {"profile": "ragflow", "rank_feature": {"a": 2, "pagerank_fea": 1}, "rank_feature_recall": True},
}
"""Options that work on a whole ranking."""


def _of_pieces(options: dict[str, Any]) -> Operation:
    """Search in the pieces of a text, each of which is a document."""

    def operation(text: str) -> Timed:
        index = Index(embedding=HashingEmbedder(dimension=16))
        pieces = [text[start : start + PIECE] for start in range(0, len(text), PIECE)]
        index.add(
            {"id": f"{place:06}", "doc_id": f"{place % 7}", "parent": f"{place // 8 * 8:06}", "content": piece,
             "metadata": {"text": piece}, "tags": {"a": place % 5}, "positions": [[place]]}
            for place, piece in enumerate(pieces)
        )  # fmt: skip
        return lambda: index.search(text[:QUESTION], candidates=len(pieces), min_score=-1e9, **options)

    return operation


for _name, _options in ARRANGEMENTS.items():
    OPERATIONS[_name] = _of_pieces(_options)
