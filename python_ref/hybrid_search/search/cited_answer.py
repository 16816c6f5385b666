"""An answer with its sources (CIT-3)."""

import dataclasses
from collections.abc import Sequence
from typing import Any

from hybrid_search.base.known_names import KnownNames


@dataclasses.dataclass(frozen=True)
class CitedSource(KnownNames):
    """A source of a sentence.

    Attributes:
        number: its place among the hits, from 1.
        id: its id.
        similarity: its similarity with the sentence.
    """

    number: int
    id: str
    similarity: float

    def to_dict(self) -> dict[str, Any]:
        """Return the source as plain data."""
        return {"number": self.number, "id": self.id, "similarity": self.similarity}


@dataclasses.dataclass(frozen=True)
class CitedSpan(KnownNames):
    """A sentence of an answer that has sources.

    Attributes:
        start: the number of code points before it in the answer.
        end: the number of code points before its end in the answer.
        text: the sentence.
        sources: its sources, the most similar first, at most four.
    """

    start: int
    end: int
    text: str
    sources: Sequence[CitedSource]

    def to_dict(self) -> dict[str, Any]:
        """Return the span as plain data."""
        sources = [source.to_dict() for source in self.sources]
        return {"start": self.start, "end": self.end, "text": self.text, "sources": sources}


@dataclasses.dataclass(frozen=True)
class CitedAnswer(KnownNames):
    """An answer with its sources.

    Attributes:
        text: the answer with a mark after the first sentence of each source.
        spans: the sentences that have sources, in their order.
        threshold: the lowest similarity of a source; `None` without sources.
    """

    text: str
    spans: Sequence[CitedSpan] = ()
    threshold: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain data."""
        return {"text": self.text, "spans": [span.to_dict() for span in self.spans], "threshold": self.threshold}

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        sources = {source.id for span in self.spans for source in span.sources}
        return f"<CitedAnswer: {len(self.spans)} spans, {len(sources)} sources>"
