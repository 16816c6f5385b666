"""The error tree (ERR-1), with the same names in both languages; no input causes any other error (ERR-2).

```
HybridSearchError
├── InvalidInputError        an argument or a document is not acceptable; a ValueError too
│   └── InvalidCursorError       a paging cursor is malformed, forged or of another request
├── DimensionMismatchError   a vector has another length than the index
├── RerankError              a rerank model failed, was late, or returned unusable scores
├── EmbeddingError           an embedding provider failed or returned an unusable vector
├── DocStoreError            a document store failed
│   └── UnknownOutcomeError      it is unknown whether the store made a change
├── ConfigurationError       an option, a data file or a dependency is wrong or missing
└── IndexCorruptError        an index on disk is damaged or half-written
```
"""


class HybridSearchError(Exception):
    """Base of every error this library raises on purpose."""


class InvalidInputError(HybridSearchError, ValueError):
    """An argument or a document is not acceptable; the message names it and the accepted values."""


class InvalidCursorError(InvalidInputError):
    """A paging cursor is malformed, of another version, forged, or belongs to another request."""


class DimensionMismatchError(HybridSearchError):
    """A vector has another length than the vectors it is compared with."""


class RerankError(HybridSearchError):
    """A rerank model failed, was late, or returned unusable scores."""


class EmbeddingError(HybridSearchError):
    """An embedding provider failed or returned an unusable vector."""


class DocStoreError(HybridSearchError):
    """A document store failed or does not support the operation."""


class UnknownOutcomeError(DocStoreError):
    """It is unknown whether a document store made a change: its response was lost."""


class ConfigurationError(HybridSearchError):
    """An option, a data file or an optional dependency is wrong or missing."""


class IndexCorruptError(HybridSearchError):
    """An index on disk is damaged or half-written."""
