"""Adds scores that documents themselves carry: page rank and tags (RNK-5)."""

import math
from collections.abc import Mapping
from typing import Any

from hybrid_search.base import characters, numeric, strict_json, validation
from hybrid_search.doc_store_adapter.documents.stored_fields import StoredFields
from hybrid_search.doc_store_adapter.search_result import SearchResult
from hybrid_search.errors import InvalidInputError

PAGE_RANK_FIELD = "pagerank_fea"
TAG_FIELD = "tag_feas"
TAG_FACTOR = 10.0


class RankFeatures:
    """Computes page rank + 10 · cosine(query tags, document tags) for each document of a result."""

    @staticmethod
    def scores(
        result: SearchResult, rank_feature: Mapping[str, float] | None, reader: StoredFields | None = None
    ) -> list[float]:
        """Return the rank features of the documents, in the order of `result.ids`.

        Args:
            result: the documents; their fields `pagerank_fea` and `tag_feas` are read.
            rank_feature: the query's tags, name → finite number; a `pagerank_fea` among them is ignored. With `None`,
                or without tags, only the page rank counts.
            reader: collects unusable values.

        Raises:
            InvalidInputError: `rank_feature` is not an object of finite numbers.
        """
        query = RankFeatures.query_tags(rank_feature)
        norm = math.sqrt(numeric.sum_left(value * value for value in query.values()))
        usable = norm != 0.0 and math.isfinite(norm)
        notes = StoredFields() if reader is None else reader
        scores = []
        for identifier in result.ids:
            fields = result.fields_of(identifier)
            tags = RankFeatures._document_tags(identifier, fields, notes) if usable else {}
            page_rank = notes.number(identifier, fields, PAGE_RANK_FIELD, 0.0)
            scores.append((RankFeatures._tag_score(query, norm, tags) if tags else 0.0) + page_rank)
        return scores

    @staticmethod
    def query_tags(rank_feature: Any) -> dict[str, float]:
        """Return the query's tags without `pagerank_fea`, checked."""
        if rank_feature is None:
            return {}
        given = validation.mapping("rank_feature", rank_feature)
        return {
            name: validation.number(f"rank_feature[{validation.describe(name)}]", value)
            for name, value in given.items()
            if name != PAGE_RANK_FIELD
        }

    @staticmethod
    def tags(value: Any) -> dict[str, float] | None:
        """Return a document's tags, from an object or strict JSON text of one, or `None` if it is neither.

        Keys are stripped. If a key is repeated, the last value counts, at the position of the first. An entry with a
        blank key, or a value that is not a finite number, is dropped without the others.
        """
        source = strict_json.parse_object(value) if _is_text(value) else value
        if not isinstance(source, Mapping):
            return None
        tags = {}
        for name, number in source.items():
            key = characters.strip(name) if _is_text(name) else ""
            finite = _finite(number)
            if key and finite is not None:
                tags[key] = finite
        return tags

    @staticmethod
    def _document_tags(identifier: str, fields: Mapping[str, Any], reader: StoredFields) -> dict[str, float]:
        value = fields.get(TAG_FIELD)
        if value is None or value == "":
            return {}
        tags = RankFeatures.tags(value)
        if tags is None:
            reader.reject(identifier, TAG_FIELD, "an object of numbers")
        return tags or {}

    @staticmethod
    def _tag_score(query: Mapping[str, float], query_norm: float, tags: Mapping[str, float]) -> float:
        common = 0.0
        square = 0.0
        for name, value in tags.items():
            if name in query:
                common = common + query[name] * value
            square = square + value * value
        norm = math.sqrt(square)
        if norm == 0.0 or not math.isfinite(norm):
            return 0.0
        return common / norm / query_norm * TAG_FACTOR


def _is_text(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        validation.text("text", value)
    except InvalidInputError:
        return False
    return True


def _finite(value: Any) -> float | None:
    try:
        return validation.number("a tag", value)
    except InvalidInputError:
        return None
