"""Makes records from stored documents (IDX-1, IDX-6)."""

from collections.abc import Collection, Mapping
from typing import Any

from hybrid_search.base import characters, validation
from hybrid_search.doc_store_adapter.documents import stored_document

KEPT = {
    "important_kwd": "keywords",
    "question_kwd": "questions",
    "tag_feas": "tags",
    "pagerank_fea": "page_rank",
    "kb_id": "kb_id",
    "mom_id": "parent",
    "position_int": "positions",
    "metadata": "metadata",
}
"""The field → the key of a record with the same value."""
OF_RECORDS = {
    *KEPT,
    *("id", "doc_id", "docnm_kwd", "title", "content_with_weight", "available_int"),
    *("title_tks", "title_sm_tks", "title_id_tks", "content_ltks", "content_sm_ltks", "content_id_ltks"),
    *("important_tks", "important_id_tks", "question_tks", "question_id_tks"),
}
"""The fields that are made from records."""
TOKENS = "content_ltks"
INCLUDED = ("vector", "tokens")
"""The parts of records and hits that are included only on request."""


def record(document: Mapping[str, Any], include: Collection[str] = ()) -> dict[str, Any]:
    """Return the record of a stored document, from which `index.add` would make the same document again.

    Args:
        document: the stored fields.
        include: additional parts of the record, if the document has them: "vector" and "tokens".
    """
    texts = texts_of(document)
    found: dict[str, Any] = {"id": document["id"], "content": texts["content"]}
    if "title" in texts:
        found["title"] = texts["title"]
    for field, key in KEPT.items():
        if field in document:
            found[key] = document[field]
    if document.get("doc_id", document["id"]) != document["id"]:
        found["doc_id"] = document["doc_id"]
    if "document_name" in texts:
        found["document_name"] = texts["document_name"]
    if "available_int" in document:
        found["available"] = document["available_int"] == 1
    if "vector" in include and (vector := vector_of(document)) is not None:
        found["vector"] = vector
    if "tokens" in include:
        found["tokens"] = characters.split_white(document.get(TOKENS, ""))
    return found


def texts_of(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content, the title and the document name of a record, from each of which several fields are made.

    A document name that equals the title is omitted, because it is the default, and so is an empty one without a title.
    """
    name = document.get("docnm_kwd")
    title = document.get("title", name if "title_tks" in document else None)
    texts = {"content": document.get("content_with_weight", "")}
    if isinstance(title, str):
        texts["title"] = title
    if name is not None and name != texts.get("title", ""):
        texts["document_name"] = name
    return texts


def vector_of(document: Mapping[str, Any]) -> list[float] | None:
    """Return the vector of a stored document, or `None`."""
    return next((list(value) for field, value in document.items() if stored_document.is_vector_field(field)), None)


def other_fields(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a stored document that are not made from a record, such as those of a RAGFlow index."""
    if document.keys() <= OF_RECORDS:
        return {}
    return {
        field: value
        for field, value in document.items()
        if field not in OF_RECORDS and not stored_document.is_vector_field(field)
    }


def included(value: Any) -> tuple[str, ...]:
    """Return the additional parts of hits and records, each once."""
    names = [value] if isinstance(value, str) else [*validation.texts("include", value)]
    return tuple(
        dict.fromkeys(validation.choice(f"include[{place}]", name, INCLUDED) for place, name in enumerate(names))
    )
