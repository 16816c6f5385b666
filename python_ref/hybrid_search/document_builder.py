"""Documents in: from what people have to the fields a RAGFlow index stores (IDX-1, IDX-2)."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Unpack

from hybrid_search import _characters as characters
from hybrid_search import _log as log
from hybrid_search import _numeric as numeric
from hybrid_search import _own_values as own_values
from hybrid_search import _validation as validation
from hybrid_search._observation import Observation, Observer
from hybrid_search.embedding.embedding import Embedding
from hybrid_search.errors import DimensionMismatchError, EmbeddingError, InvalidInputError
from hybrid_search.text.tokenizer import Tokenizer, TokenizerLike

RECORD_KEYS = (
    "id",
    "content",
    "title",
    "keywords",
    "questions",
    "tags",
    "page_rank",
    "doc_id",
    "document_name",
    "kb_id",
    "position",
    "available",
    "metadata",
    "vector",
)
"""The keys of a record; all but `id` and `content` are optional, and a key whose value is null counts as absent."""

OWN_ATTRIBUTES = "; own attributes belong in metadata"

FILE_ENDING = re.compile(r"\.[A-Za-z]+\Z")
TABLE_TAG = re.compile(r"</?(?:table|td|caption|tr|th)(?: [^<>]{0,12})?>")

Record = Mapping[str, Any]
StoredDocument = dict[str, Any]


class DocumentBuilder:
    """Makes stored documents from records.

    Args:
        tokenizer: what cuts titles and contents into tokens; the default `Tokenizer` when not given.
        embedding: makes the vector of records that bring none; without one they get no vector.
        title_weight: the share of the title in a vector (IDX-2), 0 to 1; none: the content alone is embedded.
        any_vectors: whether vectors are kept that no question finds: zero, or of another dimension than those of the
            embedding.
        observer: told of the vectors that are asked for (OBS-1).
    """

    def __init__(
        self,
        tokenizer: TokenizerLike | None = None,
        embedding: Embedding | None = None,
        title_weight: float | None = None,
        any_vectors: bool = False,
        observer: Observation | Observer | None = None,
        **unknown: Unpack[validation.NoOptions],
    ) -> None:
        validation.known("option", unknown, ("tokenizer", "embedding", "title_weight", "any_vectors", "observer"))
        self._observation = Observation.of(observer)
        self._tokenizer = tokenizer if tokenizer is not None else Tokenizer()
        self._embedding = embedding
        self._title_weight = None if title_weight is None else validation.number("title_weight", title_weight, 0.0, 1.0)
        self._any_vectors = validation.boolean("any_vectors", any_vectors)

    def build(self, record: Record) -> StoredDocument:
        """The stored document of one record.

        Raises:
            InvalidInputError: an unknown key, a missing or empty id, a value of the wrong type; the message names it.
            DimensionMismatchError: a vector of another dimension than the embedding's.
        """
        return self.build_many([record])[0]

    def check(self, name: str, record: Record) -> None:
        """Refuse a record of which no document can be made; that its embedding fails is not known beforehand.

        Args:
            name: what it is called in messages.
            record: as for `build`.

        Raises:
            InvalidInputError: as `build`.
            DimensionMismatchError: likewise.
        """
        self._check_vector(f"{name}.vector", self._checked(name, record))

    def build_many(
        self, records: Sequence[Record], first: int = 0, wanted: Callable[[StoredDocument], bool] | None = None
    ) -> list[StoredDocument]:
        """The stored documents of many records; vectors are asked for in one call.

        Args:
            records: as for `build`.
            first: the place of the first of them where they come from, for messages.
            wanted: asked of each document, in order, before it is embedded; those of which it is false are left out.
                A document has no vector then, but the one that its record brings.

        Raises:
            InvalidInputError: as `build`; the message names the place of the record too.
            DimensionMismatchError: likewise.
        """
        checked = [self._checked(f"records[{index}]", record) for index, record in enumerate(records, start=first)]
        documents = [self._fields(record) for record in checked]
        self._check_vectors(checked, first)
        if wanted is None:
            self._add_vectors(checked, documents)
        else:
            kept = [pair for pair in zip(checked, documents, strict=True) if wanted(pair[1])]
            documents = [document for _, document in kept]
            self._add_vectors([record for record, _ in kept], documents)
        self._check_vectors(checked, first)
        return documents

    def _checked(self, place: str, record: Any) -> dict[str, Any]:
        record = validation.mapping(place, record)
        validation.known("document field", record, RECORD_KEYS, OWN_ATTRIBUTES)
        given = {key: value for key, value in record.items() if value is not None}
        for key in ("id", "content"):
            if key not in given:
                raise InvalidInputError(f"{place} has no {key}")
        checked: dict[str, Any] = {}
        for key in ("id", "doc_id", "kb_id"):
            if key in given:
                checked[key] = own_values.identifier(f"{place}.{key}", given[key])
        for key in ("content", "title", "document_name"):
            if key in given:
                checked[key] = validation.text(f"{place}.{key}", given[key])
        if not checked["id"]:
            raise InvalidInputError(f"{place}.id must not be empty")
        for key in ("keywords", "questions"):
            if key in given:
                checked[key] = validation.texts(f"{place}.{key}", given[key])
        if "tags" in given:
            tags = validation.mapping(f"{place}.tags", given["tags"])
            checked["tags"] = {name: validation.number(f"{place}.tags.{name}", tags[name]) for name in tags}
        if "page_rank" in given:
            checked["page_rank"] = validation.number(f"{place}.page_rank", given["page_rank"])
        if "position" in given:
            checked["position"] = _positions(f"{place}.position", given["position"])
        if "available" in given:
            checked["available"] = validation.boolean(f"{place}.available", given["available"])
        if "metadata" in given:
            checked["metadata"] = own_values.attributes(f"{place}.metadata", given["metadata"])
        if "vector" in given:
            checked["vector"] = validation.vector(f"{place}.vector", given["vector"])
        return checked

    def _fields(self, record: dict[str, Any]) -> StoredDocument:
        content_tokens = self._tokenizer.tokenize(TABLE_TAG.sub(" ", record["content"]))
        document: StoredDocument = {
            "id": record["id"],
            "doc_id": record.get("doc_id", record["id"]),
            "docnm_kwd": record.get("document_name", record.get("title", "")),
            "content_with_weight": record["content"],
            "content_ltks": " ".join(content_tokens),
            "content_sm_ltks": " ".join(self._fine_grained(content_tokens)),
        }
        if "kb_id" in record:
            document["kb_id"] = record["kb_id"]
        if "title" in record:
            title_tokens = self._tokenizer.tokenize(FILE_ENDING.sub("", record["title"]))
            document["title_tks"] = " ".join(title_tokens)
            document["title_sm_tks"] = " ".join(self._fine_grained(title_tokens))
        if "keywords" in record:
            document["important_kwd"] = record["keywords"]
            document["important_tks"] = " ".join(self._tokenizer.tokenize(" ".join(record["keywords"])))
        if "questions" in record:
            document["question_kwd"] = record["questions"]
            document["question_tks"] = " ".join(self._tokenizer.tokenize("\n".join(record["questions"])))
        for key, field in (("tags", "tag_feas"), ("page_rank", "pagerank_fea"), ("position", "position_int")):
            if key in record:
                document[field] = record[key]
        if "available" in record:
            document["available_int"] = 1 if record["available"] else 0
        if "metadata" in record:
            document["metadata"] = record["metadata"]
        if "vector" in record:
            _set_vector(document, record["vector"])
        return document

    def _fine_grained(self, tokens: list[str]) -> list[str]:
        return [part for token in tokens for part in self._tokenizer.fine_grained(token)]

    def _check_vectors(self, records: list[dict[str, Any]], first: int) -> None:
        """Refuse what no question finds; called again when the embedding has made vectors and knows its dimension."""
        for index, record in enumerate(records, start=first):
            self._check_vector(f"records[{index}].vector", record)

    def _check_vector(self, name: str, record: dict[str, Any]) -> None:
        vector = record.get("vector")
        if self._any_vectors or vector is None:
            return
        dimension = None if self._embedding is None else self._embedding.dimension
        if dimension is not None and len(vector) != dimension:
            raise DimensionMismatchError(
                f"{name} must have {dimension} components, as the embedding's have, not {len(vector)}; "
                "any_vectors keeps it"
            )
        if numeric.dot(vector, vector) == 0.0:
            raise InvalidInputError(f"{name} must not be zero: its squared norm is 0; any_vectors keeps it")

    def _add_vectors(self, records: list[dict[str, Any]], documents: list[StoredDocument]) -> None:
        embedding = self._embedding
        wanted: list[tuple[int, str, str]] = []
        for index, record in enumerate(records):
            if "vector" not in record and embedding is not None:
                title, content = record.get("title", ""), record["content"]
                if _blank(content):
                    title, content = "", title
                if not _blank(content):
                    wanted.append((index, title, content))
        if embedding is None or not wanted:
            return
        weight = self._title_weight
        titled = [entry for entry in wanted if weight is not None and not _blank(entry[1])]
        texts = [content for _, _, content in wanted] + [title for _, title, _ in titled]
        with self._observation.measure("embed", texts=len(texts), kind="passage"), log.failures(EmbeddingError):
            vectors = embedding.encode(texts)
        title_vectors = {entry[0]: vector for entry, vector in zip(titled, vectors[len(wanted) :], strict=True)}
        for (index, _, _), vector in zip(wanted, vectors, strict=False):
            if weight is not None and index in title_vectors:
                share = 1.0 - weight
                pairs = zip(title_vectors[index], vector, strict=True)
                vector = [weight * of_title + share * of_content for of_title, of_content in pairs]
            _set_vector(documents[index], list(vector))


def _set_vector(document: StoredDocument, vector: list[float]) -> None:
    document[f"q_{len(vector)}_vec"] = vector


def _blank(text: str) -> bool:
    return not characters.strip(text.replace("\x00", " "))


def _positions(name: str, value: Any) -> list[Any]:
    if not isinstance(value, (list, tuple)):
        raise validation.fail(name, value, "a list of integers, or of lists of integers")
    return [
        _positions(f"{name}[{index}]", item)
        if isinstance(item, (list, tuple))
        else validation.integer(f"{name}[{index}]", item)
        for index, item in enumerate(value)
    ]
