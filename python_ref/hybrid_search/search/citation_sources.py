"""Finds the texts that an answer may cite: hits, records or ids (CIT-2)."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from hybrid_search.base import input_values, validation
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.doc_store_adapter.documents.stored_fields import StoredFields
from hybrid_search.embedding.embedding import Embedding
from hybrid_search.errors import InvalidInputError
from hybrid_search.records import record_of
from hybrid_search.search.hit import Hit
from hybrid_search.search.page import Page

MOST = 50
"""The maximum number of hits that an answer may cite."""
ACCEPTED = "a hit, an object with id and content, or the id of a stored document"


@dataclasses.dataclass(frozen=True)
class CitationSource:
    """One text that an answer may cite.

    Attributes:
        number: its place among the hits, from 1.
        id: its id.
        content: its text.
        document: its stored fields, `None` if it is not stored.
    """

    number: int
    id: str
    content: str
    document: Mapping[str, Any] | None

    def vector(self, dimension: int) -> list[float] | None:
        """Return its stored vector of a dimension, `None` without one."""
        if self.document is None:
            return None
        return StoredFields().vector(self.id, self.document, StoredFields.vector_field(dimension), dimension)


def citation_sources(store: DocStoreAdapter, hits: Any, with_vectors: bool) -> list[CitationSource]:
    """Return the sources of hits, each id once.

    Args:
        store: the documents.
        hits: a page, or a list of hits, objects and ids.
        with_vectors: whether vectors are needed.

    Raises:
        InvalidInputError: `hits` is something else, too long, or an id has neither a text nor a document.
    """
    if not isinstance(hits, (list, tuple, Page)):
        raise validation.fail("hits", hits, "a page or a list of hits, records or ids")
    if len(hits) > MOST:
        raise InvalidInputError(f"hits must be at most {MOST}, not {len(hits)}")
    given = [_given(f"hits[{place}]", hit) for place, hit in enumerate(hits)]
    documents = _documents(store, [identifier for identifier, text in given if with_vectors or text is None])
    found: dict[str, CitationSource] = {}
    for place, (identifier, text) in enumerate(given):
        document = documents.get(identifier)
        if text is None and document is None:
            raise validation.fail(f"hits[{place}]", identifier, ACCEPTED)
        content = record_of.record(document)["content"] if text is None and document is not None else text
        found.setdefault(identifier, CitationSource(place + 1, identifier, content or "", document))
    return list(found.values())


def source_vectors(
    sources: Sequence[CitationSource], readable: Sequence[bool], embedding: Embedding, dimension: int
) -> list[list[float] | None]:
    """Return the vector of each source: the stored one, or that of its text.

    Args:
        sources: the sources.
        readable: whether each has tokens; a text without tokens has no vector.
        embedding: makes the vectors of texts.
        dimension: the number of components.
    """
    vectors = [source.vector(dimension) for source in sources]
    missing = [place for place, vector in enumerate(vectors) if vector is None and readable[place]]
    for place, vector in zip(missing, embedding.encode([sources[one].content for one in missing]), strict=True):
        vectors[place] = vector
    return vectors


def _given(name: str, hit: Any) -> tuple[str, str | None]:
    """Return the id of a hit, and its text; no text if only the id is given."""
    if isinstance(hit, Hit):
        return hit.id, hit.content
    if not isinstance(hit, Mapping):
        if isinstance(hit, bool) or not isinstance(hit, (str, int)):
            raise validation.fail(name, hit, ACCEPTED)
        return input_values.identifier(name, hit), None
    if "id" not in hit:
        raise InvalidInputError(f"{name} has no id")
    identifier = input_values.identifier(validation.member(name, "id"), hit["id"])
    content = hit.get("content")
    return identifier, None if content is None else validation.text(validation.member(name, "content"), content)


def _documents(store: DocStoreAdapter, identifiers: Sequence[str]) -> Mapping[str, Mapping[str, Any]]:
    wanted = list(dict.fromkeys(identifiers))
    found = store.get_many(wanted, None) if wanted else []
    return {name: document for name, document in zip(wanted, found, strict=True) if document is not None}
