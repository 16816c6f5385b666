# frozen_string_literal: true

module HybridSearch
  # The error tree (ERR-1): the same names in both languages; no input ends in another (ERR-2).
  #
  #   Error
  #   ├── InvalidInputError        an argument or a document is not acceptable
  #   │   └── InvalidCursorError       a paging cursor is malformed, forged or of another request
  #   ├── DimensionMismatchError   a vector has another length than the index
  #   ├── RerankError              a rerank model failed, was late, or answered nonsense
  #   ├── EmbeddingError           an embedding provider failed or answered nonsense
  #   ├── DocStoreError            a document store failed
  #   ├── ConfigurationError       an option, a data file or a dependency is wrong or missing
  #   └── IndexCorruptError        an index on disk is damaged or half-written
  #
  # Base of every error this library raises on purpose.
  class Error < StandardError; end

  # An argument or a document is not acceptable; the message names it and what is accepted.
  class InvalidInputError < Error; end

  # A paging cursor is malformed, of another version, forged, or belongs to another request.
  class InvalidCursorError < InvalidInputError; end

  # A vector has another length than the vectors it is compared with.
  class DimensionMismatchError < Error; end

  # A rerank model failed, was late, or gave unusable scores.
  class RerankError < Error; end

  # An embedding provider failed or gave an unusable vector.
  class EmbeddingError < Error; end

  # A document store failed or was asked for something it cannot do.
  class DocStoreError < Error; end

  # An option, a data file or an optional dependency is wrong or missing.
  class ConfigurationError < Error; end

  # An index on disk is damaged or half-written.
  class IndexCorruptError < Error; end
end
