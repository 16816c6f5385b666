"""The vectors of records (IDX-2): those that they bring, and those that are made from their texts."""

from collections.abc import Mapping, Sequence
from typing import Any

from hybrid_search.base import characters, log
from hybrid_search.base.observation import Observation
from hybrid_search.embedding.embedding import Embedding
from hybrid_search.errors import DimensionMismatchError, EmbeddingError, InvalidInputError


def field(vector: Sequence[float]) -> str:
    """Return the field that contains a vector."""
    return f"q_{len(vector)}_vec"


def fields_of(document: Mapping[str, Any]) -> list[str]:
    """Return the fields of a stored document that contain vectors."""
    return [name for name in document if name.endswith("_vec")]


class RecordVectors:
    """Checks the vectors of records, and computes those of records without one.

    Args:
        embedding: computes vectors; `None`: only vectors of records are stored.
        title_weight: the share of the title in a vector; `None`: only the content is embedded.
        any_vectors: whether vectors that no question can find are accepted.
        observation: receives an event for each request of vectors (OBS-1).
    """

    def __init__(
        self, embedding: Embedding | None, title_weight: float | None, any_vectors: bool, observation: Observation
    ) -> None:
        self._embedding = embedding
        self._title_weight = title_weight
        self._any_vectors = any_vectors
        self._observation = observation

    @property
    def makes(self) -> bool:
        """Whether there is an embedding."""
        return self._embedding is not None

    @property
    def needs_model(self) -> bool:
        """Whether a model makes vectors."""
        return self._embedding is not None and self._embedding.needs_model

    def check(self, records: Sequence[Mapping[str, Any]], first: int) -> None:
        """Refuse vectors of records that no question can find; called again when the embedding's dimension is known.

        Args:
            records: checked records; those without a vector are skipped.
            first: the place of the first record in its source, for messages.
        """
        for index, record in enumerate(records, start=first):
            self.check_record(f"records[{index}]", record)

    def check_record(self, name: str, record: Mapping[str, Any]) -> None:
        """Refuse the vector of a record if no question can find it.

        Args:
            name: the name of the record in messages.
            record: a checked record.
        """
        vector = record.get("vector")
        if self._any_vectors or vector is None:
            return
        dimension = None if self._embedding is None else self._embedding.dimension
        if dimension is not None and len(vector) != dimension:
            raise DimensionMismatchError(
                f"{name}.vector must have {dimension} components, as the embedding's have, not {len(vector)}; "
                "any_vectors keeps it"
            )
        largest = max(map(abs, vector))
        if largest * largest == 0.0:
            raise InvalidInputError(f"{name}.vector must not be zero: its squared norm is 0; any_vectors keeps it")

    def texts(self, record: Mapping[str, Any]) -> list[str]:
        """Return the texts from which the vector of a record is made: its content, and its title if it has a share.

        If one of them is blank, only the other one is used; if both are, there are no texts.
        """
        title, content = record.get("title", ""), record["content"]
        if _blank(content):
            return [] if _blank(title) else [title]
        return [content] if self._title_weight is None or _blank(title) else [content, title]

    def made_of(self, records: Sequence[Mapping[str, Any]]) -> list[list[float] | None]:
        """Return the vectors of records, from one call; `None` without a text to embed or without an embedding."""
        wanted = [self.texts(record) if self._embedding is not None else [] for record in records]
        titles = [texts[1] for texts in wanted if len(texts) > 1]
        vectors = iter(self._encoded([texts[0] for texts in wanted if texts] + titles))
        made = [list(next(vectors)) if texts else None for texts in wanted]
        for place, texts in enumerate(wanted):
            vector = made[place]
            if len(texts) > 1 and vector is not None:
                made[place] = self._weighted(next(vectors), vector)
        return made

    def _encoded(self, texts: list[str]) -> Sequence[Sequence[float]]:
        if self._embedding is None or not texts:
            return []
        with self._observation.measure("embed", texts=len(texts), kind="passage"), log.failures(EmbeddingError):
            return self._embedding.encode(texts)

    def _weighted(self, of_title: Sequence[float], of_content: Sequence[float]) -> list[float]:
        weight = self._title_weight
        assert weight is not None
        share = 1.0 - weight
        return [weight * title + share * content for title, content in zip(of_title, of_content, strict=True)]


def _blank(text: str) -> bool:
    return not characters.strip(text.replace("\x00", " "))
