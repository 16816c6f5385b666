"""What a rerank needs of documents, as doc values, so that an engine reads no whole documents for it (OS-11).

The field `ranked` of a document is one line of JSON with the fields and the lengths of the vectors, and after it the
vectors as `opensearch_vectors` packs them. Blanks end the line so that the base64 of the whole needs no padding.
"""

from base64 import b64encode
from binascii import a2b_base64
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hybrid_search.base import validation
from hybrid_search.doc_store_adapter.documents import stored_document, stored_json
from hybrid_search.doc_store_adapter.documents.packed_fields import PackedFields, PackedVector
from hybrid_search.doc_store_adapter.documents.stored_document import StoredDocument
from hybrid_search.doc_store_adapter.opensearch import opensearch_vectors
from hybrid_search.doc_store_adapter.opensearch.opensearch_client import EngineSearch, OpenSearchClient
from hybrid_search.errors import DocStoreError

RANKED = "ranked"
RANKED_TYPE = {"type": "binary", "doc_values": True}
RANKED_FIELDS = ("content_ltks", "title_tks", "important_kwd", "question_tks", "pagerank_fea", "tag_feas")
"""The fields that a rerank reads (RNK-1, RNK-2, RNK-5)."""


def pack(document: StoredDocument) -> str:
    """Return what a rerank needs of a document, in base64."""
    fields = {name: value for name, value in document.fields.items() if name in RANKED_FIELDS}
    vectors = {name: opensearch_vectors.binary(vector) for name, vector in document.vectors.items()}
    lengths = {name: len(packed) for name, packed in vectors.items()}
    line = stored_json.write({"fields": fields, "vectors": lengths}).encode("utf-8")
    packed = b"\n" + b"".join(vectors.values())
    blanks = b" " * (-len(line + packed) % 3)  # not every engine returns the padding of base64
    return b64encode(line + blanks + packed).decode("ascii")


def unpack(identifier: str, text: str, dimensions: Mapping[str, int]) -> PackedFields:
    """Return the fields and some vectors of a document.

    Args:
        identifier: its id.
        text: an output of `pack`.
        dimensions: the vector fields to return, with the number of components of each.

    Raises:
        DocStoreError: the text is not an output of `pack`.
    """
    try:
        line, _, packed = a2b_base64(text, strict_mode=True).partition(b"\n")
        told = stored_json.read(line.decode("utf-8"))
        found, start = {}, 0
        for name, length in told["vectors"].items():
            if name in dimensions:
                found[name] = PackedVector.of(packed[start : start + length], dimensions[name])
            start += length
        return PackedFields({**told["fields"]}, found)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise DocStoreError(
            f"the document {validation.describe(identifier)} of the index is not as this library writes it"
        ) from None


class OpenSearchRanked:
    """Reads what a rerank needs of documents.

    Args:
        client: sends requests to the cluster.
        index: the path of the index or of its alias.
        most: the maximum number of documents in one response of the engine.
        has: returns whether the index has a field.
    """

    def __init__(self, client: OpenSearchClient, index: str, most: int, has: Callable[[str], bool]) -> None:
        self._client = client
        self._index = index
        self._most = most
        self._has = has

    def read(self, identifiers: Sequence[str], needed: Sequence[str]) -> dict[str, PackedFields]:
        """Return id → fields of those documents that a search finds, with the needed fields at least.

        The result is empty if the index has no such field, or if fields other than those of a rerank are needed.
        Documents that an earlier version has written are missing.

        Args:
            identifiers: the ids.
            needed: the names of the fields and vector fields, each once.
        """
        vectors = {
            name: stored_document.vector_dimension("field", name)
            for name in needed
            if stored_document.is_vector_field(name)
        }
        if len(vectors) + len(set(RANKED_FIELDS).intersection(needed)) < len(needed) or not self._has(RANKED):
            return {}
        found: dict[str, PackedFields] = {}
        for start in range(0, len(identifiers), self._most):
            part = list(identifiers[start : start + self._most])
            (answer,) = self._client.search([EngineSearch(self._index, self._body(part))])
            for hit in answer["hits"]["hits"]:
                values = hit.get("fields", {})
                if RANKED in values:
                    (identifier,), (packed,) = values["id"], values[RANKED]
                    found[identifier] = unpack(identifier, packed, vectors)
        return found

    @staticmethod
    def _body(identifiers: list[str]) -> dict[str, Any]:
        """Return a search for documents by their ids, in no order."""
        return {
            "query": {"bool": {"filter": [{"terms": {"id": identifiers}}]}},
            "size": len(identifiers),
            "_source": False,
            "stored_fields": "_none_",
            "docvalue_fields": ["id", RANKED],
            "track_total_hits": False,
        }
