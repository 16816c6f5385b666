"""The layout of documents in an index made by this library, and the queries of such an index (OS-1).

`body` contains the values as JSON text, so that the engine never parses their numbers. Token fields are stored next to
it, under names of the engine; the body repeats them only if the engine cannot store them exactly. `packed` contains the
vectors. What the engine only indexes is not stored: `name` and `value`, the fields that filters search, `zero`,
`ranked`, and the vectors as numbers, which would be most of a document.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from hybrid_search.base import validation
from hybrid_search.doc_store_adapter.documents import stored_document, stored_json
from hybrid_search.doc_store_adapter.documents.stored_document import StoredDocument
from hybrid_search.doc_store_adapter.filters import value_keys as keys
from hybrid_search.doc_store_adapter.opensearch import opensearch_keys, opensearch_ranked, opensearch_vectors
from hybrid_search.doc_store_adapter.opensearch import opensearch_queries as queries
from hybrid_search.doc_store_adapter.opensearch.opensearch_engine import OpenSearchEngine
from hybrid_search.doc_store_adapter.opensearch.opensearch_filters import OwnLeaves
from hybrid_search.doc_store_adapter.opensearch.opensearch_ranked import RANKED, RANKED_TYPE
from hybrid_search.doc_store_adapter.queries.query_clauses import Clause
from hybrid_search.doc_store_adapter.snapshot import bm25f
from hybrid_search.errors import DocStoreError, InvalidInputError
from hybrid_search.query_builder.builder import BM25F_FIELDS

SCHEMA = 4
EARLIER = (2, 3)
"""The layouts before: both store vectors as numbers, and the first has no field of all tokens. Their indexes are read
and written as they are."""
INDEXED_ONLY = ("name", "value", "zero", RANKED, "v_*")
"""The parts of a source that the engine indexes and does not store."""
MARK = "hybrid_search"
TOKEN_FIELDS = (
    "content_ltks", "content_sm_ltks", "content_id_ltks", "title_tks", "title_sm_tks", "title_id_tks",
    "important_tks", "important_id_tks", "question_tks", "question_id_tks",
)  # fmt: skip
"""The token fields that records produce; others are added to the mapping when they first occur."""

LONGEST_IDENTIFIER = 512
MOST_FIELDS = 10_000
LONGEST_TOKEN = 1_048_576
PLAIN_NAME = re.compile("[A-Za-z0-9_]{1,64}")
KEYWORD = {"type": "keyword", "doc_values": False}
TEXT = {"type": "text", "analyzer": "blanks"}
COPIES = 2
"""The number of copies of a token in the bag for a weight of 1, so that half of it is a whole number."""
BAG_B = 0.4
"""The weight of the bag's length, which is that of all fields together; so it is less than that of a field in BM25F."""
SIMILARITY = {"type": "BM25", "k1": bm25f.K1 * COPIES, "b": BAG_B}
STRICT = "strict"
"""An index refuses documents with fields that it does not index, so that every stored vector can be found."""
UNREAD = {"type": "object", "enabled": False}
IDENTITY = "index_"
"""The beginning of the name of a field alias that no other index has. With it a search can check that it reads the same
index as before, and not another one that was created under its name."""


class OwnLayout:
    """The layout of an index made by this library."""

    read_only = False
    leaves = OwnLeaves()
    order: Sequence[Mapping[str, Any]] = ({"id": "asc"},)
    nothing_stored: Mapping[str, Any] = {"_source": False, "stored_fields": "_none_"}

    @staticmethod
    def identifier(hit: Mapping[str, Any]) -> str:
        """Return the id of a found document: the last text of its sort values; Elasticsearch may add a number."""
        last = hit["sort"][-1]
        return last if type(last) is str else str(next(value for value in hit["sort"][::-1] if type(value) is str))

    @staticmethod
    def index(
        engine: OpenSearchEngine, shards: int, replicas: int, alias: str, meta: Mapping[str, Any], identity: str = ""
    ) -> dict[str, Any]:
        """Return the settings and mappings of an index.

        Args:
            engine: the engine of the cluster.
            shards: the number of shards.
            replicas: the number of replicas of each shard.
            alias: the alias of the index; empty for an index that is still to be filled.
            meta: the metadata that is stored next to the documents.
            identity: the rest of the name of that alias; empty for what all indexes have in common.
        """
        settings = engine.settings()
        tokenizer = {"type": "char_group", "tokenize_on_chars": [" "], "max_token_length": LONGEST_TOKEN}
        made: dict[str, Any] = {
            "settings": {
                "index": {
                    **settings,
                    "number_of_shards": shards,
                    "number_of_replicas": replicas,
                    "mapping": {"total_fields": {"limit": MOST_FIELDS}, **settings.get("mapping", {})},
                    "similarity": {queries.BAG: SIMILARITY},
                },
                "analysis": {
                    "tokenizer": {"blanks": tokenizer},
                    "analyzer": {"blanks": {"type": "custom", "tokenizer": "blanks"}},
                },
            },
            "mappings": {
                "dynamic": STRICT,
                "_meta": {MARK: {**meta, "schema": SCHEMA}},
                "_source": {"excludes": [*INDEXED_ONLY]},
                "properties": {
                    "id": {"type": "keyword"},
                    "body": UNREAD,
                    "packed": UNREAD,
                    "name": KEYWORD,
                    "value": KEYWORD,
                    "zero": KEYWORD,
                    RANKED: RANKED_TYPE,
                    queries.BAG: {**TEXT, "index_options": "freqs", "similarity": queries.BAG},
                    **{text_name(field): {**TEXT, **_copied(field)} for field in TOKEN_FIELDS},
                },
            },
        }
        if identity:
            made["mappings"]["properties"][IDENTITY + identity] = {"type": "alias", "path": "id"}
        if alias:
            made["aliases"] = {alias: {}}
        return made

    @staticmethod
    def identity(properties: Mapping[str, Any]) -> str | None:
        """Return the field that only this index has; `None` if there is no such field, or several that were copied."""
        found = [name for name in properties if name.startswith(IDENTITY)]
        return found[0] if len(found) == 1 else None

    @staticmethod
    def check(index: str, meta: Any) -> None:
        """Refuse an index with another layout.

        Args:
            index: the name of the index, for the message.
            meta: the metadata that is stored next to its documents.
        """
        own = meta.get(MARK) if isinstance(meta, Mapping) else None
        schema = own.get("schema") if isinstance(own, Mapping) else None
        if schema not in (SCHEMA, *EARLIER):
            shown = validation.describe(index)
            what = "was not made by this library" if schema is None else f"has the layout {validation.describe(schema)}"
            if type(schema) is int:
                what += f", and this version of the library reads {SCHEMA}; index its records again"
            raise DocStoreError(f"the index {shown} {what}; ragflow_index reads one that RAGFlow made")

    @staticmethod
    def accept(documents: Sequence[StoredDocument], engine: OpenSearchEngine) -> None:
        """Refuse documents that no index of an engine can store, before any is stored."""
        most = engine.most_components
        for index, document in enumerate(documents):
            if len(document.identifier.encode("utf-8")) > LONGEST_IDENTIFIER:
                raise InvalidInputError(
                    f"documents[{index}].id must have at most {LONGEST_IDENTIFIER} bytes in {engine.name}"
                )
            for field, vector in document.vectors.items():
                if len(vector) > most:
                    raise InvalidInputError(
                        f"documents[{index}].{field} must have at most {most} components in {engine.name}"
                    )

    @staticmethod
    def possible(identifiers: Sequence[str]) -> list[str]:
        """Return the ids that an index can contain, without repetitions."""
        return [one for one in dict.fromkeys(identifiers) if one and len(one.encode("utf-8")) <= LONGEST_IDENTIFIER]

    @staticmethod
    def properties(documents: Sequence[StoredDocument], engine: OpenSearchEngine) -> dict[str, Any]:
        """Return the fields that documents need, by their names in the index."""
        found: dict[str, Any] = {"body": UNREAD, "packed": UNREAD, RANKED: RANKED_TYPE}
        for document in documents:
            for field in document.fields:
                if _is_token_field(field) and field not in TOKEN_FIELDS:
                    found[text_name(field)] = TEXT
            for field in document.vectors:
                found[vector_name(field)] = engine.vector(stored_document.vector_dimension("field", field))
        return found

    @staticmethod
    def source(document: StoredDocument) -> dict[str, Any]:
        """Return the source of a document, as it is sent to the engine."""
        held = keys.held(document)
        source: dict[str, Any] = {"id": document.identifier, "body": "", "name": held.names, "value": held.terms}
        fields: dict[str, Any] = {}
        for field, value in document.fields.items():
            fields[field] = value
            if _is_token_field(field):
                source[text_name(field)] = " ".join(map(opensearch_keys.token, value.split(" ")))
                fields[field] = None if source[text_name(field)] == value else value
        zero = []
        for field, vector in document.vectors.items():
            indexed = queries.scaled(vector)
            if indexed is None:
                zero.append(keys.name_key(field))
            else:
                source[vector_name(field)] = indexed
        if zero:
            source["zero"] = zero
        if document.vectors:
            source["packed"] = {field: opensearch_vectors.pack(vector) for field, vector in document.vectors.items()}
        source["body"] = stored_json.write({"fields": fields, "vectors": dict.fromkeys(document.vectors)})
        source[RANKED] = opensearch_ranked.pack(document)
        return source

    @staticmethod
    def document(identifier: str, source: Mapping[str, Any], vectors: Sequence[str] | None) -> StoredDocument:
        """Return the document of a stored source.

        Args:
            identifier: its id.
            source: an output of `source`, or what an index stores of it.
            vectors: the vector fields to return; `None` returns all.
        """
        try:
            body = stored_json.read(source["body"])
            fields = {
                field: source[text_name(field)] if value is None and _is_token_field(field) else value
                for field, value in body["fields"].items()
            }
            packed = source.get("packed", {})
            found = {
                field: opensearch_vectors.unpack(packed[field], stored_document.vector_dimension("field", field))
                if field in packed
                else list(map(float, source[vector_name(field)] if vector is None else vector))
                for field, vector in body["vectors"].items()
                if vectors is None or field in vectors
            }
            return StoredDocument(identifier, fields, found)
        except (AttributeError, KeyError, TypeError, ValueError):
            raise DocStoreError(
                f"the document {validation.describe(identifier)} of the index is not as this library writes it"
            ) from None

    @staticmethod
    def matching(field: str, clause: Clause) -> dict[str, Any]:
        """See `TextFields`."""
        if stored_document.is_keyword_field(field):
            value = keys.value_key(field, ("text", " ".join(clause.tokens)))
            return {"term": {"value": {"value": value}}}
        if len(clause.tokens) == 1:
            return {"term": {text_name(field): {"value": opensearch_keys.token(clause.tokens[0])}}}
        phrase = {
            "query": " ".join(map(opensearch_keys.token, clause.tokens)),
            "slop": min(clause.slop, queries.LARGEST_SLOP),
        }
        return {"match_phrase": {text_name(field): phrase}}

    @staticmethod
    def zero(field: str) -> dict[str, Any] | None:
        """Return a query for the documents whose vector in a field is zero."""
        return {"term": {"zero": keys.name_key(field)}}

    @staticmethod
    def vector_name(field: str) -> str:
        """Return the engine's name of a vector field."""
        return vector_name(field)


def _copied(field: str) -> dict[str, Any]:
    """Return the part of a mapping that copies the tokens of a field into the bag, as often as its weight says."""
    weight = dict(BM25F_FIELDS).get(field, 0.0)
    return {"copy_to": [queries.BAG] * int(weight * COPIES)} if weight else {}


def text_name(field: str) -> str:
    """Return the engine's name of a token field, which is never a path or a reserved name."""
    if field == queries.BAG:
        return field
    if PLAIN_NAME.fullmatch(field):
        return f"t_{field}"
    return "t_" + hashlib.sha256(field.encode("utf-8")).hexdigest() + "_"


def vector_name(field: str) -> str:
    """Return the engine's name of a vector field."""
    return f"v_{stored_document.vector_dimension('field', field)}"


@lru_cache(1_024)
def _is_token_field(field: str) -> bool:
    return stored_document.is_searchable(field) and not stored_document.is_keyword_field(field)
