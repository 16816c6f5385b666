"""Operations of the document builder (IDX-1, IDX-2)."""

from typing import Any

from conformance.implementations.python import own_types
from conformance.implementations.python.registry import Trace, operation
from hybrid_search.embedding.embedding import Embedding
from hybrid_search.embedding.hashing import HashingEmbedder
from hybrid_search.records.document_builder import DocumentBuilder

TOKENS = ("content_ltks", "title_tks", "important_tks", "question_tks")
"""The fields that hold the tokens of the tokenizer."""


@operation("document_builder.build", {"dimension": None, "title_weight": None})
def build(params: dict[str, Any], given: Any, trace: Trace) -> Any:
    """The stored documents of `records` (see `own_types`); with a `dimension` the hashing embedder makes vectors."""
    dimension = params["dimension"]
    embedding = None if dimension is None else Embedding(HashingEmbedder(dimension=dimension))
    builder = DocumentBuilder(
        embedding=embedding, title_weight=params["title_weight"], any_vectors=params.get("any_vectors", False)
    )
    documents = builder.build_many(own_types.read(given["records"]))
    trace.stage("tokenise", [[document.get(field) for field in TOKENS] for document in documents])
    return documents
