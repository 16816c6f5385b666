"""The record of a stored document: what `index` makes that document of again (CUR-5, IDX-1)."""

from collections.abc import Mapping
from typing import Any

from hybrid_search.document_builder import DocumentBuilder

KEPT = {
    "content_with_weight": "content",
    "important_kwd": "keywords",
    "question_kwd": "questions",
    "tag_feas": "tags",
    "pagerank_fea": "page_rank",
    "kb_id": "kb_id",
    "position_int": "positions",
    "metadata": "metadata",
}
"""Field → key of a record, where both hold the same."""


class RecordOf:
    """Makes records of documents.

    A title is stored as its tokens alone. Where they are those of the document's name, that is the title, else the
    tokens themselves are.

    Args:
        vectors: whether records bring their vectors.
    """

    def __init__(self, vectors: bool) -> None:
        self._vectors = vectors
        self._builder = DocumentBuilder()

    def record(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """The record of a stored document."""
        record: dict[str, Any] = {"id": document["id"], "content": ""}
        name = document.get("docnm_kwd", "")
        if "title_tks" in document:
            record["title"] = name if self._is_title(name, document["title_tks"]) else document["title_tks"]
        record.update((key, document[field]) for field, key in KEPT.items() if field in document)
        if document.get("doc_id", document["id"]) != document["id"]:
            record["doc_id"] = document["doc_id"]
        if name != record.get("title", ""):
            record["document_name"] = name
        if "available_int" in document:
            record["available"] = document["available_int"] == 1
        vector = next(
            (value for field, value in document.items() if field.startswith("q_") and field.endswith("_vec")), None
        )
        if self._vectors and vector is not None:
            record["vector"] = list(vector)
        return record

    def _is_title(self, name: str, tokens: str) -> bool:
        made: str = self._builder.build({"id": "-", "content": "", "title": name})["title_tks"]
        return made == tokens
