"""Finds tags of questions and records, from the tags of the documents that they find (TAG-1, TAG-2)."""

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from hybrid_search.base import characters, numeric, validation
from hybrid_search.doc_store_adapter.base import DocStoreAdapter
from hybrid_search.query_builder.builder import QueryBuilder
from hybrid_search.query_builder.expressions import MatchTextExpr
from hybrid_search.query_builder.tree import AnyOf
from hybrid_search.records.document_builder import DocumentBuilder
from hybrid_search.retriever.field_words import FieldWords
from hybrid_search.retriever.request import DEFAULTS, RetrievalRequest

LOWEST_SHARE = 1e-6
UNKNOWN_SHARE = 0.0001
"""The assumed share of a tag that all documents together no longer have."""


@dataclasses.dataclass(frozen=True)
class TagOptions:
    """The checked options of a search for tags.

    Attributes:
        field: the field of the store whose values are tags.
        limit: the maximum number of tags.
        smoothing: a number that is added to both numbers of tags.
        filters: the filters of the documents that count.
    """

    field: str
    limit: int
    smoothing: float
    filters: Mapping[str, Any]

    @classmethod
    def of(cls, field: Any, limit: Any, smoothing: Any, filters: Any) -> "TagOptions":
        """Check the options.

        Raises:
            InvalidInputError: an option is not accepted; the message names it.
        """
        options = {} if filters is None else {"filters": filters}
        return cls(
            field=FieldWords().name("field", validation.text("field", field)),
            limit=validation.integer("limit", limit, 1),
            smoothing=validation.number("smoothing", smoothing, 0.0),
            filters=RetrievalRequest.build("", options, int(DEFAULTS["page_size"])).filters,
        )


class Tagger:
    """Finds the tags that are more frequent in the results of a text than in all documents.

    Args:
        store: documents with tags.
        query_builder: makes the queries.
    """

    def __init__(self, store: DocStoreAdapter, query_builder: QueryBuilder) -> None:
        self._store = store
        self._query_builder = query_builder
        self._documents = DocumentBuilder(tokenizer=query_builder.tokenizer)

    def of_question(self, question: Any, options: TagOptions) -> dict[str, int]:
        """Return the tags of a question, each with a weight of at least 1 (TAG-1)."""
        query, _ = self._query_builder.build_text_query(self._query_builder.accept_question(question), min_match=0.0)
        return {tag: max(1, weight) for tag, weight in self._weighted(query, options)}

    def of_record(self, record: Any, options: TagOptions) -> dict[str, int]:
        """Return the tags of a record, those with a weight above 0 (TAG-2)."""
        fields = self._documents.build(record)
        tokens = f"{fields.get('title_tks', '')} {fields['content_ltks']}".split()
        query = self._query_builder.paragraph(tokens, fields.get("important_kwd", []))
        return {tag: weight for tag, weight in self._weighted(query, options) if weight > 0}

    def _weighted(self, query: MatchTextExpr | None, options: TagOptions) -> list[tuple[str, int]]:
        """Return the heaviest tags and their weights."""
        if query is None or query.tree == AnyOf(()):
            return []
        deep = dataclasses.replace(query, topn=max(1, self._store.count()))
        found = self._counts([deep], options)
        if not found:
            return []
        everything = self._counts([], options)
        shares = _shares(everything, options.smoothing)
        total = sum(count for _, count in found) + options.smoothing  # whole numbers
        weighted = []
        for tag, count in found:
            share = max(LOWEST_SHARE, shares.get(tag, UNKNOWN_SHARE))
            weighted.append((tag, numeric.round_half_even(0.1 * (count + 1) / total / share)))
        weighted.sort(key=lambda pair: -pair[1])
        return weighted[: options.limit]

    def _counts(self, expressions: Sequence[Any], options: TagOptions) -> list[tuple[str, int]]:
        """Return the tags of the documents that expressions find, each with the number of its documents, by DOC-4."""
        result = self._store.search(
            select_fields=[],
            filters=options.filters,
            match_exprs=expressions,
            limit=0,
            agg_fields=[options.field],
        )
        return [(tag, count) for tag, count in result.aggs.get(options.field, ()) if _is_tag(tag)]


def _is_tag(value: Any) -> bool:
    return isinstance(value, str) and characters.strip(value) != ""


def _shares(everything: Sequence[tuple[str, int]], smoothing: float) -> dict[str, float]:
    total = sum(count for _, count in everything) + smoothing  # whole numbers
    return {tag: (count + 1) / total for tag, count in everything}
