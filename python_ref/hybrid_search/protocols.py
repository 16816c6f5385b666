"""What objects of your own must have to take the place of ours, for type checkers.

Nothing needs to be inherited: an object with these methods will do. `Embedder` is what `Index(embedding=…)` and
`Embedding` take, `RerankSource` what a retrieval's `rerank_model` may be. A tokenizer is a
`hybrid_search.text.tokenizer.TokenizerLike`, what finds keywords a `hybrid_search.text.keyword_cache.KeywordSource`; a
store is a subclass of `hybrid_search.DocStoreAdapter`.

`Records` is what `Index.add` takes, `FilterData` and `OrderBy` what a search does; their values are checked when they
come.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias

from numpy.typing import NDArray

Vector: TypeAlias = Sequence[float] | NDArray[Any]
Vectors: TypeAlias = Sequence[Vector] | NDArray[Any]
Scores: TypeAlias = Sequence[float] | NDArray[Any]

Record: TypeAlias = Mapping[str, object]
"""A document to add, by the names of IDX-1."""


class Table(Protocol):
    """A DataFrame of pandas or polars, or a table of Arrow."""

    @property
    def columns(self) -> object:
        """The names of the columns."""

    def __len__(self) -> int:
        """How many rows there are."""


Records: TypeAlias = Iterable[Record] | Record | Table
"""What `Index.add` takes: a list or a stream of records, one record, a DataFrame of pandas or polars, or a table of
Arrow (IDX-3)."""

OtherKeys: TypeAlias = Literal["refuse", "metadata", "drop"]
"""What becomes of keys that no record has (IDX-3)."""

FilterData: TypeAlias = Mapping[str, object]
"""Which documents count, as data (RET-8)."""

OrderPairs: TypeAlias = Sequence[Sequence[str]]
"""Pairs of a name and "asc" or "desc": the order that a store is given (DOC-1)."""

OrderBy: TypeAlias = str | Mapping[str, str] | Sequence[str | Mapping[str, str] | Sequence[str]]
"""The order that a search is given (RET-8): pairs, objects of a name and a direction, names, or one of these."""


class TextEncoder(Protocol):
    """Makes vectors of texts; those of questions too, where it has no `encode_queries`."""

    def encode(self, texts: list[str], /) -> Vectors:
        """As many vectors as texts, in their order."""


class QueryEncoder(Protocol):
    """Makes the vector of a question; those of documents too, where it has no `encode`."""

    def encode_queries(self, text: str, /) -> Vector | Vectors:
        """Return the vector of one question, or a list of it; despite its name it is given one text."""


class DocumentEncoder(Protocol):
    """A model of sentence-transformers from version 5; its `encode_query` is for questions."""

    def encode_document(self, texts: list[str], /) -> object:
        """As many vectors as texts, in their order."""


class DocumentEmbedder(Protocol):
    """Embeddings of LangChain; their `embed_query` is for questions."""

    def embed_documents(self, texts: list[str], /) -> object:
        """As many vectors as texts, in their order."""


class BatchEmbedder(Protocol):
    """An embedding of LlamaIndex; its `get_query_embedding` is for questions."""

    def get_text_embedding_batch(self, texts: list[str], /) -> object:
        """As many vectors as texts, in their order."""


class PassageEmbedder(Protocol):
    """A model of fastembed; its `query_embed` is for questions."""

    def passage_embed(self, texts: list[str], /) -> object:
        """As many vectors as texts, in their order."""


class PlainEmbedder(Protocol):
    """An object that embeds texts and questions alike."""

    def embed(self, texts: list[str], /) -> object:
        """As many vectors as texts, in their order."""


OtherEmbedder: TypeAlias = DocumentEncoder | DocumentEmbedder | BatchEmbedder | PassageEmbedder | PlainEmbedder
"""Objects of other libraries, taken as they are (EMB-2)."""

Embedder: TypeAlias = TextEncoder | QueryEncoder | Callable[[list[str]], Vectors] | OtherEmbedder


class RerankScorer(Protocol):
    """Scores texts against a question."""

    def similarity(self, query: str, texts: list[str], /) -> Scores:
        """One finite number for each text, in their order."""


RerankSource: TypeAlias = RerankScorer | Callable[[str, list[str]], Scores]
