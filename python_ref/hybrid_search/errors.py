"""The error tree (ERR-1): the same names in both languages; no input ends in another (ERR-2).

```
HybridSearchError
├── InvalidInputError        an argument or a document is not acceptable; a ValueError too
│   └── InvalidCursorError       a paging cursor is malformed, forged or of another request
├── DimensionMismatchError   a vector has another length than the index
├── RerankError              a rerank model failed, was late, or gave unusable scores
├── EmbeddingError           an embedding provider failed or gave an unusable vector
├── DocStoreError            a document store failed
│   └── UnknownOutcomeError      it cannot tell whether a change was made
├── ConfigurationError       an option, a data file or a dependency is wrong or missing
└── IndexCorruptError        an index on disk is damaged or half-written
```
"""


class HybridSearchError(Exception):
    """Base of every error this library raises on purpose."""


class InvalidInputError(HybridSearchError, ValueError):
    """An argument or a document is not acceptable; the message names it and what is accepted."""


class InvalidCursorError(InvalidInputError):
    """A paging cursor is malformed, of another version, forged, or belongs to another request."""


class DimensionMismatchError(HybridSearchError):
    """A vector has another length than the vectors it is compared with."""


class RerankError(HybridSearchError):
    """A rerank model failed, was late, or gave unusable scores."""


class EmbeddingError(HybridSearchError):
    """An embedding provider failed or gave an unusable vector."""


class DocStoreError(HybridSearchError):
    """A document store failed or was asked for something it cannot do."""


class UnknownOutcomeError(DocStoreError):
    """A document store cannot tell whether a change was made: the answer to it was lost."""


class ConfigurationError(HybridSearchError):
    """An option, a data file or an optional dependency is wrong or missing."""


class IndexCorruptError(HybridSearchError):
    """An index on disk is damaged or half-written."""
