# frozen_string_literal: true

module HybridSearch
  # The error tree (ERR-1): the same names in both languages; no input ends in another (ERR-2).
  #
  #   Error
  #   ├── InvalidInputError        an argument or a document is not acceptable; an ArgumentError too
  #   │   └── InvalidCursorError       a paging cursor is malformed, forged or of another request
  #   ├── DimensionMismatchError   a vector has another length than the index
  #   ├── RerankError              a rerank model failed, was late, or gave unusable scores
  #   ├── EmbeddingError           an embedding provider failed or gave an unusable vector
  #   ├── DocStoreError            a document store failed
  #   │   └── UnknownOutcomeError      it cannot tell whether a change was made
  #   ├── ConfigurationError       an option, a data file or a dependency is wrong or missing
  #   └── IndexCorruptError        an index on disk is damaged or half-written
  #
  # What every error that this library raises on purpose is: `rescue HybridSearch::Error` takes them all. It is a
  # module, so that an {InvalidInputError} can be Ruby's own ArgumentError too.
  module Error; end

  # An argument or a document is not acceptable; the message names it and what is accepted.
  class InvalidInputError < ArgumentError
    include Error
  end

  # A paging cursor is malformed, of another version, forged, or belongs to another request.
  class InvalidCursorError < InvalidInputError; end

  # A vector has another length than the vectors it is compared with.
  class DimensionMismatchError < StandardError
    include Error
  end

  # A rerank model failed, was late, or gave unusable scores.
  class RerankError < StandardError
    include Error
  end

  # An embedding provider failed or gave an unusable vector.
  class EmbeddingError < StandardError
    include Error
  end

  # A document store failed or was asked for something it cannot do.
  class DocStoreError < StandardError
    include Error
  end

  # A document store cannot tell whether a change was made: the answer to it was lost.
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
