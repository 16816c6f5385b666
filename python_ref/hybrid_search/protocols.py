"""Protocols for type checkers: the interfaces that users' own objects must have.

No class must be inherited: any object with these methods is accepted. `Index(embedding=…)` and `Embedding` take an
`Embedder`, and the `rerank_model` of a retrieval is a `RerankSource`. A tokenizer is a
`hybrid_search.text.tokenizer.TokenizerLike`, and a keyword extractor is a
`hybrid_search.text.keyword_cache.KeywordSource`. A store is a subclass of `hybrid_search.DocStoreAdapter`.

`Index.add` takes `Records`, and a search takes `FilterData` and `OrderBy`; their values are checked at run time.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias

from numpy.typing import NDArray

Vector: TypeAlias = Sequence[float] | NDArray[Any]
Vectors: TypeAlias = Sequence[Vector] | NDArray[Any]
Scores: TypeAlias = Sequence[float] | NDArray[Any]

Record: TypeAlias = Mapping[str, object]
"""A document to add, with the keys of IDX-1."""


class Table(Protocol):
    """A DataFrame of pandas or polars, or a table of Arrow."""

    @property
    def columns(self) -> object:
        """The names of the columns."""

    def __len__(self) -> int:
        """Return the number of rows."""


Records: TypeAlias = Iterable[Record] | Record | Table
"""The argument of `Index.add` (IDX-3).

It is a list or a stream of records, one record, a DataFrame of pandas or polars, or a table of Arrow.
"""

OtherKeys: TypeAlias = Literal["refuse", "metadata", "drop"]
"""The treatment of keys that records do not have (IDX-3)."""

FilterData: TypeAlias = Mapping[str, object]
"""The conditions that documents must satisfy, as data (RET-8)."""

OrderPairs: TypeAlias = Sequence[Sequence[str]]
"""Pairs of a name and "asc" or "desc": the order in the form that stores receive (DOC-1)."""

OrderBy: TypeAlias = str | Mapping[str, str] | Sequence[str | Mapping[str, str] | Sequence[str]]
"""The order of a search (RET-8): pairs, objects of a name and a direction, names, or one of these."""


class TextEncoder(Protocol):
    """Makes vectors of texts, and also of questions if it has no `encode_queries`."""

    def encode(self, texts: list[str], /) -> Vectors:
        """Return one vector for each text, in their order."""


class QueryEncoder(Protocol):
    """Makes the vector of a question, and also of documents if it has no `encode`."""

    def encode_queries(self, text: str, /) -> Vector | Vectors:
        """Return the vector of one question, or a list of it; despite its name, it receives one text."""


class DocumentEncoder(Protocol):
    """A model of sentence-transformers from version 5; its `encode_query` is for questions."""

    def encode_document(self, texts: list[str], /) -> object:
        """Return one vector for each text, in their order."""


class DocumentEmbedder(Protocol):
    """Embeddings of LangChain; their `embed_query` is for questions."""

    def embed_documents(self, texts: list[str], /) -> object:
        """Return one vector for each text, in their order."""


class BatchEmbedder(Protocol):
    """An embedding of LlamaIndex; its `get_query_embedding` is for questions."""

    def get_text_embedding_batch(self, texts: list[str], /) -> object:
        """Return one vector for each text, in their order."""


class PassageEmbedder(Protocol):
    """A model of fastembed; its `query_embed` is for questions."""

    def passage_embed(self, texts: list[str], /) -> object:
        """Return one vector for each text, in their order."""


class PlainEmbedder(Protocol):
    """An object that embeds texts and questions in the same way."""

    def embed(self, texts: list[str], /) -> object:
        """Return one vector for each text, in their order."""


OtherEmbedder: TypeAlias = DocumentEncoder | DocumentEmbedder | BatchEmbedder | PassageEmbedder | PlainEmbedder
"""Objects of other libraries, accepted as they are (EMB-2)."""

Embedder: TypeAlias = TextEncoder | QueryEncoder | Callable[[list[str]], Vectors] | OtherEmbedder


class RerankScorer(Protocol):
    """Scores texts against a question."""

    def similarity(self, query: str, texts: list[str], /) -> Scores:
        """Return one finite number for each text, in their order."""


RerankSource: TypeAlias = RerankScorer | Callable[[str, list[str]], Scores]

Rewrite: TypeAlias = Callable[[str], str | Mapping[str, object] | None]
"""The `rewrite` of a search: it returns another question, an object with `question` and `filters`, or `None` if the
question does not change (RWR-1)."""
