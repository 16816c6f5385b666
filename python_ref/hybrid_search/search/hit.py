"""One hit of a search, with the names of records (IDX-6)."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hybrid_search.base import validation
from hybrid_search.base.known_names import KnownNames
from hybrid_search.errors import InvalidInputError


@dataclasses.dataclass(frozen=True)
class Scores(KnownNames):
    """The parts of a hit's score: raw and normalised; `None` for a part that does not exist.

    Attributes:
        bm25: the score of the text leg, of any size.
        cosine: the cosine of the question's vector and the document's, -1 to 1.
        text: the part of the text leg on a scale of 0 to 1.
        vector: the part of the dense leg on a scale of 0 to 1; the cosine after a rerank by tokens and vectors.
        rerank: the rerank model's score.
    """

    bm25: float | None = None
    cosine: float | None = None
    text: float | None = None
    vector: float | None = None
    rerank: float | None = None

    def to_dict(self) -> dict[str, float | None]:
        """Return the scores as plain data."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}


@dataclasses.dataclass(frozen=True)
class Hit(KnownNames):
    """One document that was found.

    Attributes:
        id: the id of the record.
        doc_id: the id of its document.
        title: its title, "" if it has none.
        content: its text.
        score: the score that determines its rank, relative to the best candidate of the search; `None` with
            `match_all`.
        scores: the parts of the score.
        document_name: the name of its document.
        keywords: its keywords.
        questions: the questions that it answers.
        positions: its positions in the document.
        metadata: its own attributes.
        kb_id: its knowledge base, or `None`.
        parent: the id of its parent, or `None`.
        tags: name → number, or `None`.
        page_rank: its page rank, or `None`.
        highlight: the content with matches in `<em>`, if requested (DOC-4).
        fragments: field → pieces of its text with the matches marked, if requested (DOC-10).
        fields: further stored fields, such as those of a RAGFlow index.
        vector: its vector, if requested and available.
        tokens: the tokens of its content, if requested.
        context: the records `before` and `after` it in its document, if requested.
        children: the ids of hits that it replaces, if parents were requested.
        others: the number of other hits with its value of `collapse`, if requested.
        duplicates: the ids of hits that are folded into it, if requested.
    """

    id: str
    doc_id: str
    title: str
    content: str
    score: float | None
    scores: Scores
    document_name: str = ""
    keywords: Sequence[str] = ()
    questions: Sequence[str] = ()
    positions: Sequence[Any] = ()
    metadata: Mapping[str, Any] = dataclasses.field(default_factory=dict, hash=False)
    kb_id: str | None = None
    parent: str | None = None
    tags: Mapping[str, float] | None = dataclasses.field(default=None, hash=False)
    page_rank: float | None = None
    highlight: str | None = None
    fragments: Mapping[str, Sequence[str]] | None = dataclasses.field(default=None, hash=False)
    fields: Mapping[str, Any] = dataclasses.field(default_factory=dict, hash=False)
    vector: Sequence[float] | None = None
    tokens: Sequence[str] | None = None
    context: Mapping[str, Sequence[Mapping[str, Any]]] | None = dataclasses.field(default=None, hash=False)
    children: Sequence[str] = ()
    others: int | None = None
    duplicates: Sequence[str] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the hit as plain data, with the names of records.

        `kb_id`, `parent`, `questions`, `tags`, `page_rank` and `fields` are present if the document has them;
        `highlight`, `fragments`, `vector`, `tokens`, `context`, `children`, `others` and `duplicates` if they were
        requested.
        """
        plain: dict[str, Any] = {name: getattr(self, name) for name in ALWAYS}
        plain.update((name, value) for name in SOMETIMES if (value := getattr(self, name)) not in (None, (), [], {}))
        plain["scores"] = self.scores.to_dict()
        return {name: _plain(value) for name, value in plain.items()}

    def keys(self) -> Iterator[str]:
        """Return the names of `to_dict`; with them `dict(hit)` is the hit as plain data."""
        return iter(self.to_dict())

    def __getitem__(self, name: str) -> Any:
        """Return a part as plain data by its name; `None` if it is missing.

        Raises:
            InvalidInputError: a hit has no such part.
        """
        if not isinstance(name, str):
            shown = validation.describe(name)
            raise InvalidInputError(f'a hit is not a list: hit.content or hit["content"], hit.score, not {shown}')
        validation.known("part of a hit", [name], NAMES)
        return self.to_dict().get(name)

    def __contains__(self, name: object) -> bool:
        """Return whether `to_dict` has a name."""
        return name in self.to_dict()

    def __repr__(self) -> str:
        score = "no score" if self.score is None else f"{self.score:.4f}"
        return f"<Hit {self.id!r}: {score}, {_start(self.title or self.content)!r}>"


ALWAYS = ("id", "doc_id", "title", "content", "score", "scores", "document_name", "keywords", "positions", "metadata")
SOMETIMES = (
    "kb_id",
    "parent",
    "questions",
    "tags",
    "page_rank",
    "highlight",
    "fragments",
    "fields",
    "vector",
    "tokens",
    "context",
    "children",
    "others",
    "duplicates",
)
NAMES = (*ALWAYS, *SOMETIMES)
SHOWN = 60


def _start(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else f"{line[:SHOWN]}…"


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return list(value) if isinstance(value, (list, tuple)) else value
