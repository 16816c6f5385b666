# frozen_string_literal: true

module HybridSearch
  # The error tree (ERR-1), with the same names in both languages; no input causes any other error (ERR-2).
  #
  #   Error
  #   ├── InvalidInputError        an argument or a document is not acceptable; an ArgumentError too
  #   │   └── InvalidCursorError       a paging cursor is malformed, forged or of another request
  #   ├── DimensionMismatchError   a vector has another length than the index
  #   ├── RerankError              a rerank model failed, was late, or returned unusable scores
  #   ├── EmbeddingError           an embedding provider failed or returned an unusable vector
  #   ├── DocStoreError            a document store failed
  #   │   └── UnknownOutcomeError      it is unknown whether the store made a change
  #   ├── ConfigurationError       an option, a data file or a dependency is wrong or missing
  #   └── IndexCorruptError        an index on disk is damaged or half-written
  #
  # Every error that this library raises on purpose includes this module: `rescue HybridSearch::Error` catches them all.
  # It is a module, so that an {InvalidInputError} can be Ruby's own ArgumentError too.
  module Error; end

  # An argument or a document is not acceptable; the message names it and the accepted values.
  class InvalidInputError < ArgumentError
    include Error
  end

  # A paging cursor is malformed, of another version, forged, or belongs to another request.
  class InvalidCursorError < InvalidInputError; end

  # A vector has another length than the vectors it is compared with.
  class DimensionMismatchError < StandardError
    include Error
  end

  # A rerank model failed, was late, or returned unusable scores.
  class RerankError < StandardError
    include Error
  end

  # An embedding provider failed or returned an unusable vector.
  class EmbeddingError < StandardError
    include Error
  end

  # A document store failed or does not support the operation.
  class DocStoreError < StandardError
    include Error
  end

  # It is unknown whether a document store made a change: its response was lost.
  class UnknownOutcomeError < DocStoreError; end

  # An option, a data file or an optional dependency is wrong or missing.
  class ConfigurationError < StandardError
    include Error
  end

  # An index on disk is damaged or half-written.
  class IndexCorruptError < StandardError
    include Error
  end
end
