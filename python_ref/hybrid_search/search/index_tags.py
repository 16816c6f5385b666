"""Finds tags for texts from those of the documents of an index (TAG-1, TAG-2)."""

from hybrid_search.base import validation
from hybrid_search.embedding.embedding_argument import NOT_GIVEN, NotGiven
from hybrid_search.protocols import FilterData, Record
from hybrid_search.search.tagger import Tagger, TagOptions

TAG_OPTIONS = ("field", "limit", "smoothing", "filters")


class IndexTags:
    """The methods of an index that find tags for questions and records."""

    _tagger: Tagger
    _tag_filters: FilterData | None

    @validation.checked
    def tags_of_question(
        self,
        question: str,
        *,
        field: str = "metadata.tags",
        limit: int = 3,
        smoothing: float = 1000.0,
        filters: FilterData | NotGiven | None = NOT_GIVEN,
    ) -> dict[str, int]:
        """Return the weighted tags of the documents that a question finds: a `rank_feature` for searches (TAG-1).

        Args:
            question: any text.
            field: the name of the values that are tags: texts, or lists of texts.
            limit: the maximum number of tags, at least 1.
            smoothing: a number that is added to the number of found tags and to that of all tags; less is enough for
                fewer than some thousand documents.
            filters: the documents whose tags count, as for `search`; default: those of the index.

        Raises:
            InvalidInputError: an argument is not accepted.
        """
        return self._tagger.of_question(question, self._tag_options(field, limit, smoothing, filters))

    @validation.checked
    def tags_of_record(
        self,
        record: Record,
        *,
        field: str = "metadata.tags",
        limit: int = 3,
        smoothing: float = 1000.0,
        filters: FilterData | NotGiven | None = NOT_GIVEN,
    ) -> dict[str, int]:
        """Return the weighted tags of the documents that a record's texts find: the `tags` of that record (TAG-2).

        Args:
            record: as for `add`; its title, content and keywords count.
            field: as for `tags_of_question`.
            limit: as for `tags_of_question`.
            smoothing: as for `tags_of_question`.
            filters: as for `tags_of_question`.

        Raises:
            InvalidInputError: an argument is not accepted.
        """
        return self._tagger.of_record(record, self._tag_options(field, limit, smoothing, filters))

    def _tag_options(
        self, field: str, limit: int, smoothing: float, filters: FilterData | NotGiven | None
    ) -> TagOptions:
        return TagOptions.of(field, limit, smoothing, self._tag_filters if filters is NOT_GIVEN else filters)
