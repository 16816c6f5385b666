"""The generation of an index: read by itself, or in the same request as other searches (OS-9)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from hybrid_search.doc_store_adapter.opensearch.opensearch_client import EngineSearch, OpenSearchClient

LAST = {"last": {"max": {"field": "_seq_no"}}}

Answers = list[dict[str, Any]]
Sequences = tuple[tuple[int, int], ...]
"""For each shard the number of documents that searches can find, and of the last operation on them."""


class Generation(NamedTuple):
    """A generation of an index.

    Attributes:
        uuid: distinguishes the index from another one of its name.
        identity: the field that only this index has, if it has one.
        sequences: the state of each shard.
    """

    uuid: str
    identity: str | None
    sequences: Sequences

    @property
    def text(self) -> str:
        """The generation as a store returns it."""
        return ".".join([self.uuid, *(f"{count}-{last}" for count, last in self.sequences)])

    @property
    def documents(self) -> int:
        """The number of documents that searches can find."""
        return sum(count for count, _ in self.sequences)  # whole numbers

    @property
    def is_recognized(self) -> bool:
        """Whether a search can recognize the index, which requires a document in it."""
        return self.identity is not None and any(count for count, _ in self.sequences)


class OpenSearchGenerations:
    """Reads the generation of an index, and remembers the last one.

    Args:
        client: sends requests to the cluster.
        index: the path of the index or of its alias.
        existing: returns the description of the index (`OpenSearchIndex.existing`).
    """

    def __init__(self, client: OpenSearchClient, index: str, existing: Callable[[], Any]) -> None:
        self._client = client
        self._index = index
        self._existing = existing
        self._latest: Generation | None = None

    @property
    def is_known(self) -> bool:
        """Whether `along` returns a generation."""
        return self._latest is not None and self._latest.is_recognized

    def read(self) -> Generation:
        """Return the generation, from two requests."""
        found = self._existing()
        self._latest = Generation(found.uuid, found.identity, self.sequences(found.shards))
        return self._latest

    def sequences(self, shards: int) -> Sequences:
        """Return the state of each shard, from one request."""
        return _sequences(self._client.search(self._searches(shards, {})))

    def is_latest(self, generation: str | None) -> bool:
        """Return whether a generation is the last one that was read."""
        return self._latest is not None and self._latest.text == generation

    def along(self, searches: Callable[[Generation | None], Sequence[EngineSearch]]) -> tuple[Answers, str | None]:
        """Return the responses to searches, and the generation, which is read in the same request.

        The searches of a request may read different states. So the generation is one that was read before: if it is
        still the same, all of them have read it. If it has changed, they are sent once again, and what they find is not
        older than the generation that is returned.

        Args:
            searches: returns the searches, for the generation that they are expected to see; `None` if the index
                cannot be recognized.

        Returns:
            The responses, and the generation; `None` if the index cannot be recognized.
        """
        before = self._latest
        if before is None or not before.is_recognized:
            return self._alone(searches(None)), None
        answers, now = self._together(searches(before), before)
        if now == before:
            return answers, before.text
        before = now if now.is_recognized else self.read()
        if not before.is_recognized:
            return self._alone(searches(None)), before.text
        answers, self._latest = self._together(searches(before), before)
        return answers, before.text

    def _alone(self, searches: Sequence[EngineSearch]) -> Answers:
        return self._client.search(searches) if searches else []

    def _together(self, searches: Sequence[EngineSearch], before: Generation) -> tuple[Answers, Generation]:
        """Return the responses to searches, and the generation of the same index that the same request has read."""
        query = {"query": {"exists": {"field": before.identity}}}
        answers = self._client.search([*searches, *self._searches(len(before.sequences), query)])
        now = before._replace(sequences=_sequences(answers[len(searches) :]))
        return answers[: len(searches)], now

    def _searches(self, shards: int, query: Mapping[str, Any]) -> list[EngineSearch]:
        body = {"size": 0, "track_total_hits": True, "aggs": LAST, **query}
        return [EngineSearch(self._index, body, f"_shards:{shard}") for shard in range(shards)]


def _sequences(answers: Sequence[Mapping[str, Any]]) -> Sequences:
    return tuple(
        (int(answer["hits"]["total"]["value"]), int(answer["aggregations"]["last"]["value"] or 0)) for answer in answers
    )
