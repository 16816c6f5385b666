"""Performs the operations of the service (CUR-6)."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hybrid_search.base import validation
from hybrid_search.errors import DimensionMismatchError, InvalidInputError
from hybrid_search.index import Index
from hybrid_search.server import http_json, static_files
from hybrid_search.server.http_metrics import HttpMetrics
from hybrid_search.server.http_problem import HttpProblem

# fields:begin: made by `bin/conformance make http`
SEARCH_FIELDS = (
    "question",
    "vector",
    "limit",
    "page",
    "cursor",
    "candidates",
    "min_score",
    "min_cosine",
    "vector_similarity_weight",
    "rank_feature",
    "rank_feature_recall",
    "filters",
    "order_by",
    "match_all",
    "highlight",
    "fragments",
    "facets",
    "facet_limit",
    "explain",
    "include",
    "context",
    "parents",
    "collapse",
    "diversity",
    "fold_duplicates",
    "profile",
    "text_leg",
    "fusion",
    "weights",
    "rrf_k",
    "ranking",
    "on_index_change",
)
"""What the body of a search may hold."""

# fields:end

CITE_FIELDS = ("answer", "hits", "mark", "vector_similarity_weight")
LONGEST_ANSWER = 65_536
"""The maximum number of code points of an answer whose sources are found."""
TAG_FIELDS = ("question", "record", "field", "limit", "smoothing", "filters")
DOCUMENT_FIELDS = ("documents", "mode")
MODES = ("upsert", "add")
_PLACE = re.compile(r"\Arecords(?=\[| must)")
_STORED = re.compile(r"(?<=is already stored); use [a-z ]+\Z")


class Operations:
    """Performs authorized requests; each method returns the body of the response as bytes.

    Args:
        index: the index to search and change.
        metrics: counts the operations.
    """

    def __init__(self, index: Index, metrics: HttpMetrics) -> None:
        self._index = index
        self._metrics = metrics

    def search(self, body: Mapping[str, Any]) -> bytes:
        """Return a page of hits (CUR-4)."""
        validation.known("field", body, SEARCH_FIELDS)
        options: Any = {name: value for name, value in body.items() if name != "question"}
        page = self._index.search(validation.text("question", body.get("question", "")), **options)
        self._metrics.count("hits", len(page.hits))
        return http_json.write(page.to_dict())

    def cite(self, body: Mapping[str, Any]) -> bytes:
        """Return the sources of an answer (CIT-3)."""
        validation.known("field", body, CITE_FIELDS)
        for name in CITE_FIELDS[:2]:
            if name not in body:
                raise InvalidInputError(f"body has no {name}")
        answer = validation.text("answer", body["answer"])
        if len(answer) > LONGEST_ANSWER:
            raise InvalidInputError(f"answer must have at most {LONGEST_ANSWER} characters, not {len(answer)}")
        options: Any = {name: body[name] for name in CITE_FIELDS[2:] if name in body}
        return http_json.write(self._index.cite(answer, body["hits"], **options).to_dict())

    def tags(self, body: Mapping[str, Any]) -> bytes:
        """Return the tags of a question or of a record (TAG-1, TAG-2)."""
        validation.known("field", body, TAG_FIELDS)
        given = [name for name in TAG_FIELDS[:2] if name in body]
        if len(given) != 1:
            raise InvalidInputError("body must have question or record, and not both")
        options: Any = {name: body[name] for name in TAG_FIELDS[2:] if name in body}
        find = self._index.tags_of_question if given == ["question"] else self._index.tags_of_record
        return http_json.write({"tags": find(body[given[0]], **options)})

    def documents(self, body: Mapping[str, Any]) -> bytes:
        """Store documents, all of them or none of them."""
        validation.known("field", body, DOCUMENT_FIELDS)
        if "documents" not in body:
            raise InvalidInputError("body has no documents")
        mode = validation.choice("mode", body.get("mode", "upsert"), MODES)
        documents = body["documents"]
        if not isinstance(documents, list):
            raise validation.fail("documents", documents, "a list of objects")
        try:
            changed = getattr(self._index, mode)(documents, batch_size=max(1, len(documents)))
        except (InvalidInputError, DimensionMismatchError) as error:
            message = _STORED.sub('; mode "upsert" replaces it', _PLACE.sub("documents", str(error)))
            raise type(error)(message) from None
        self._metrics.count("changed", changed)
        return http_json.write({"received": len(documents), "changed": changed})

    def get(self, identifier: str, include: Sequence[str]) -> bytes:
        """Return the record of a document."""
        record = self._index.get(identifier, include=include)
        if record is None:
            raise HttpProblem("document_not_found")
        return http_json.write(record)

    def delete(self, identifier: str) -> bytes:
        """Remove a document."""
        deleted = self._index.delete([identifier])
        if deleted == 0:
            raise HttpProblem("document_not_found")
        self._metrics.count("deleted", deleted)
        return http_json.write({"deleted": deleted})

    def health(self) -> bytes:
        """Return whether the store responds."""
        self._index.count()
        return http_json.write({"status": "ok"})

    def metrics(self) -> bytes:
        """Return all counters."""
        gauges = {"documents": self._index.count()}
        cache = self._index.ranking_cache
        if cache is not None:
            gauges |= {"cache_hits": cache.hits, "cache_misses": cache.misses}
            gauges |= {"cache_entries": cache.size, "cache_bytes": cache.bytes}
        return self._metrics.text(gauges).encode("utf-8")

    def openapi(self) -> bytes:
        """Return the OpenAPI document."""
        return static_files.openapi()

    def page(self, root: str) -> bytes:
        """Return the search page, for a service that is mounted at a path."""
        return static_files.page(root)

    def page_style(self) -> bytes:
        """Return the style of the search page."""
        return static_files.style()

    def page_script(self) -> bytes:
        """Return the script of the search page."""
        return static_files.script()
