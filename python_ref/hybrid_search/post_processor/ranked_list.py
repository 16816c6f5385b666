"""Deduplicates, filters, sorts, cuts and reorders lists of documents (DFY-1, DFY-3, DFY-5)."""

from collections.abc import Sequence

from hybrid_search.base import validation
from hybrid_search.post_processor.document import Document


def deduplicate(documents: Sequence[Document]) -> list[Document]:
    """Return the documents without repeats: of a doc_id, or of the content if there is no doc_id (DFY-1).

    The first document stays, even if it has no score. Each provider has its own ids, as in Dify.
    """
    first: dict[tuple[str, str, str], Document] = {}
    for document in documents:
        identifier = document.doc_id
        kind, text = ("content", document.page_content) if identifier is None else ("doc_id", identifier)
        first.setdefault((document.provider, kind, text), document)
    return list(first.values())


def limits(score_threshold: float | None = None, top_n: int | None = None) -> tuple[float | None, int | None]:
    """Return the two limits of `cut`, checked.

    Raises:
        InvalidInputError: a threshold that is not a finite number, or a `top_n` that is not an integer of at least 0.
    """
    threshold = None if score_threshold is None else validation.number("score_threshold", score_threshold)
    return threshold, None if top_n is None else validation.integer("top_n", top_n, 0)


def cut(
    documents: Sequence[Document], score_threshold: float | None = None, top_n: int | None = None
) -> list[Document]:
    """Return the documents that reach the threshold, best first, cut (DFY-3).

    Args:
        documents: every one must have a score if a threshold is set.
        score_threshold: the lowest score shown; `None` or 0 shows all.
        top_n: the maximum number of documents; `None` or 0 returns all.
    """
    return best(passing(documents, score_threshold), top_n)


def passing(documents: Sequence[Document], score_threshold: float | None) -> list[Document]:
    """Return the documents whose score reaches the threshold, if one is set; a missing score does not reach it."""
    if not score_threshold:
        return list(documents)
    scores = [document.number("score") for document in documents]
    pairs = zip(documents, scores, strict=True)
    return [document for document, score in pairs if score is not None and score >= score_threshold]


def best(documents: Sequence[Document], top_n: int | None = None) -> list[Document]:
    """Return the documents in order, cut."""
    ordered = sorted(documents, key=sort_key)
    return ordered[:top_n] if top_n else ordered


def sort_key(document: Document) -> tuple[bool, float, bool, str, str, str]:
    """Return the key: score descending, then doc_id, content, provider; a missing score, or id, sorts last."""
    score, identifier = document.number("score"), document.doc_id
    by_score = (score is None, -(score or 0.0))
    return (*by_score, identifier is None, identifier or "", document.page_content, document.provider)


def reorder(documents: Sequence[Document]) -> list[Document]:
    """Return the 1st, 3rd, 5th … documents, then the even ones backwards (DFY-5).

    This places the best documents at both ends, since language models overlook the middle of long prompts.
    """
    return [*documents[::2], *reversed(documents[1::2])]
