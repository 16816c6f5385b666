"""Calls an embedding provider of any library (EMB-2)."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from hybrid_search.base import awaitable, object_checks, validation
from hybrid_search.errors import EmbeddingError, HybridSearchError

OF_TEXTS = ("encode_document", "encode", "embed_documents", "get_text_embedding_batch", "passage_embed", "embed")
"""The methods for texts, of which the first that a provider has is called. They are those of sentence-transformers, of
this library, of LangChain, of LlamaIndex and of fastembed; Ruby's RubyLLM has `embed`."""
OF_A_QUESTION = ("encode_queries", "encode_query", "embed_query", "get_query_embedding", "query_embed")
"""The methods for one question; the first that a provider has is called."""
METHODS = (*OF_TEXTS, *OF_A_QUESTION)
ACCEPTED = (
    "a callable, or an object with encode, encode_queries, encode_document, embed_documents, "
    "get_text_embedding_batch, passage_embed or embed"
)
NO_NAME = "unknown"
"""The name in LlamaIndex of a model without a given name."""


class Provider:
    """Calls a provider, and makes lists of its results.

    Args:
        provider: see `Embedding`.

    Attributes:
        methods: the names of the methods that are called; empty if the provider itself is called.
    """

    def __init__(self, provider: Any) -> None:
        self._provider = provider
        self._of_texts = _first(provider, OF_TEXTS)
        is_called = self._of_texts is None and callable(provider)
        # A function of texts that also has an `embed_query` passes a list to it, as those of Chroma do.
        of_a_question = tuple(name for name in OF_A_QUESTION if not (is_called and name == "embed_query"))
        self._of_a_question = _first(provider, of_a_question)
        self.methods = [name for name in (self._of_texts, self._of_a_question) if name is not None]
        self.is_called = is_called

    @property
    def model(self) -> str | None:
        """The name of the model, `None` if the provider has no name."""
        names = [self.told("model", str), self.told("model_name", str)]
        return next((name for name in names if name is not None and name != NO_NAME), None)

    def told(self, name: str, kind: type) -> Any:
        """Return an attribute of the provider; one of another type has another meaning and is ignored."""
        value = getattr(self._provider, name, None)
        return value if isinstance(value, kind) else None

    @property
    def needs_model(self) -> bool:
        """Whether a model makes the vectors, which takes time or money; a provider may have `needs_model` = False."""
        return self.told("needs_model", bool) is not False

    @property
    def has_questions(self) -> bool:
        """Whether questions are embedded in their own way."""
        return self._of_a_question is not None

    def of_texts(self, texts: list[str]) -> Any:
        """Return the provider's response for texts, as a list if it is any kind of list.

        Raises:
            EmbeddingError: the provider failed, or must be awaited.
        """
        if self._of_texts is not None:
            return self._called(getattr(self._provider, self._of_texts), texts, len(texts))
        if self.is_called:
            return self._called(self._provider, texts, len(texts))
        return [self.of_a_question(text) for text in texts]

    def of_a_question(self, text: str) -> Any:
        """Return the provider's response for one question; from a list of one vector, that vector.

        Raises:
            EmbeddingError: the provider failed, or must be awaited.
        """
        answer = self._called(getattr(self._provider, str(self._of_a_question)), text, 1)
        return answer[0] if _is_list(answer) and len(answer) == 1 and _is_list(answer[0]) else answer

    def _called(self, function: Callable[[Any], Any], argument: Any, most: int) -> Any:
        try:
            answer = function(argument)
            if not isinstance(answer, (list, tuple)):
                awaitable.refuse_answer("the embedding provider", answer, EmbeddingError)
            return _listed(answer, most)
        except HybridSearchError:
            raise
        except Exception as problem:
            raise EmbeddingError(f"the embedding provider failed: {validation.foreign_error(problem)}") from problem


def accept(name: str, value: Any, accepted: str = ACCEPTED) -> Provider:
    """Return a checked provider.

    Args:
        name: the name of the argument in messages.
        value: the given provider.
        accepted: a description of accepted values, for the message.

    Raises:
        InvalidInputError: the value has nothing to call, or must be awaited.
    """
    if not object_checks.able(value, METHODS):
        raise validation.fail(name, value, accepted)
    provider = Provider(value)
    awaitable.refuse(name, value, provider.methods)
    return provider


def _first(provider: Any, names: Sequence[str]) -> str | None:
    return next((name for name in names if callable(getattr(provider, name, None))), None)


def _listed(answer: Any, most: int) -> Any:
    """Return a list-like response as a list; of a generator, at most one value more than wanted."""
    if isinstance(answer, Iterator):
        answer = list(islice(answer, most + 1))
    if isinstance(answer, (list, tuple)):
        return answer if set(map(type, answer)) <= {float} else [_plain(each) for each in answer]
    return _plain(answer)


def _plain(answer: Any) -> Any:
    """Return the list of an array of numpy, or of another library that has `tolist`."""
    if isinstance(answer, (list, tuple)) or not callable(getattr(answer, "tolist", None)):
        return answer
    return answer.tolist()


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple))
