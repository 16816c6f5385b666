"""Repeated documents dropped (DFY-1)."""

from collections.abc import Sequence

from hybrid_search.post_processor.document import Document


class Deduplication:
    """Keeps the first of documents that are the same."""

    @staticmethod
    def apply(documents: Sequence[Document]) -> list[Document]:
        """The documents without those whose doc_id came before; of those without a doc_id, whose content did.

        Scores do not matter: the first stays, with or without one. Each provider has ids of its own, as in Dify.
        """
        first: dict[tuple[str, str, str], Document] = {}
        for document in documents:
            identifier = document.doc_id
            kind, text = ("content", document.page_content) if identifier is None else ("doc_id", identifier)
            first.setdefault((document.provider, kind, text), document)
        return list(first.values())
