"""Lets a user's callable change question and filters before the search (RWR-1)."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from hybrid_search.base import awaitable, json_writer, log, strict_json, validation
from hybrid_search.errors import InvalidCursorError, InvalidInputError
from hybrid_search.query_builder import question_words
from hybrid_search.search.cursor import MALFORMED, CursorCodec
from hybrid_search.search.rewritten import Rewritten
from hybrid_search.search.search_request import SearchRequest

Build = Callable[[str, Any], SearchRequest]
"""Makes a request from a question and filters, with all other options as given."""

PARTS = ("question", "filters")
LONGEST = 16_384
"""The maximum number of code points that a cursor contains of a rewrite."""
ACCEPTED = "a text, an object of question and filters, or null"
NO_JSON = f"the answer of the rewrite must be plain data, as JSON at most {LONGEST} characters"
FAILED = "the rewrite of a question failed; it was searched as given"
WARNING = "searched as given: the rewrite failed: {}"


class Rewriting:
    """The rewrite of one request.

    The callable is called for a first page and for pages by number. A page after a cursor has the question and the
    filters that the cursor carries, so a walk stays the same even if the callable would return another answer now.

    Args:
        request: the request as given, with a callable.
        filters: the filters as given.
        codec: reads the request's cursor.
    """

    def __init__(self, request: SearchRequest, filters: Any, codec: CursorCodec) -> None:
        self._request = request
        self._filters = filters
        self._codec = codec

    def request(self, build: Build) -> SearchRequest:
        """Return the request to search with.

        Args:
            build: makes the request of another question and other filters.

        Raises:
            InvalidCursorError: the cursor is not accepted, or contains something that no rewrite makes.
        """
        if question_words.is_blank(self._request.retrieval.question):
            return self._request
        return self._called(build) if self._request.cursor is None else self._walked(build)

    def _called(self, build: Build) -> SearchRequest:
        assert self._request.rewrite is not None
        try:
            answer: Any = self._request.rewrite(self._request.retrieval.question)
        except Exception as problem:
            return self._failed(validation.foreign_error(problem))
        try:
            carried = self._carried(answer)
            return self._request if carried is None else self._built(build, carried, self._parts(carried))
        except InvalidInputError as problem:
            return self._failed(str(problem))

    def _walked(self, build: Build) -> SearchRequest:
        carried = self._codec.decode(self._request.cursor).rewritten
        if carried is None:
            return self._request
        try:
            return self._built(build, carried, self._parts(carried))
        except InvalidInputError:
            raise InvalidCursorError(MALFORMED) from None

    def _carried(self, answer: Any) -> str | None:
        """Return a response of the callable as JSON; `None` if it changes no question and adds no filters."""
        awaitable.refuse_answer("the rewrite", answer, InvalidInputError)
        if answer is None:
            return None
        parts = {"question": answer} if isinstance(answer, str) else answer
        if not isinstance(parts, Mapping):
            raise validation.fail("the answer of the rewrite", answer, ACCEPTED)
        validation.known("part of a rewrite", parts, PARTS)
        given = {name: parts[name] for name in PARTS if parts.get(name) is not None}
        if given.get("question") == self._request.retrieval.question:
            del given["question"]
        try:
            return json_writer.write(given) if given else None
        except (TypeError, ValueError, RecursionError):
            raise InvalidInputError(NO_JSON) from None

    def _parts(self, carried: str) -> Mapping[str, Any]:
        """Return the parts of a rewritten question that the search uses, so that every page has the same ones."""
        parts = None if len(carried) > LONGEST else strict_json.parse_object(carried)
        if parts is None:
            raise InvalidInputError(NO_JSON)
        validation.known("part of a rewrite", parts, PARTS)
        if "question" in parts and question_words.is_blank(validation.text("question", parts["question"])):
            raise InvalidInputError("the question of the rewrite is blank")
        return parts

    def _built(self, build: Build, carried: str, parts: Mapping[str, Any]) -> SearchRequest:
        asked = self._request.retrieval
        question, added = parts.get("question", asked.question), parts.get("filters")
        filters = self._filters
        if added is not None:
            filters = added if filters is None else {"all": [filters, added]}
        rewritten = Rewritten(
            carried=carried,
            asked={"given": {"question": asked.question, "filters": asked.filters}},
            explained={"rewritten": {"question": question, "filters": added}},
        )
        return dataclasses.replace(build(question, filters), rewritten=rewritten)

    def _failed(self, reason: str) -> SearchRequest:
        """Return the given request with a warning; the log contains neither question nor response."""
        log.warning(FAILED)
        return dataclasses.replace(self._request, rewritten=Rewritten(warnings=(WARNING.format(reason),)))
