# frozen_string_literal: true

module HybridSearch
  module Base
    # The seam between plain forms and fast ways: the one place that knows both (KRN-1).
    #
    # Some operations have two forms with one interface. The plain form stands in the room of its clause and can be held
    # against the specification line by line. The fast way is in `accelerated/`; it may lean on the plain form, never
    # the other way round, and nothing but this table names it. Who builds things chooses with `kernels: "plain"` or
    # `"fast"`, else the environment variable `HYBRID_SEARCH_KERNELS` does, else the fast ways are taken. What is given
    # to a constructor keeps its own; what a constructor makes itself gets the choice.
    #
    # A further way, an extension in C say, is one more column of the table. It must promise what every entry here does:
    #
    # - the same bits, the same order and the same errors with the same texts as the plain form, for every input;
    # - the plain form's public methods, and nothing asked of an argument but the methods it is documented to have;
    # - nothing kept between two calls, unless all it depends on is in its key;
    # - no more than n·log n for any input, and safety in the threads in which the plain form is safe.
    module Kernels
      PLAIN = "plain"
      FAST = "fast"
      NAMES = [PLAIN, FAST].freeze
      VARIABLE = "HYBRID_SEARCH_KERNELS"

      # Operation => kernels => the class or module, as its name within HybridSearch. Words are cut in one way alone
      # ({Segmenter}), from one packed table: it is simple enough.
      OPERATIONS = {
        "analyzer" => { PLAIN => "Text::Analyzer", FAST => "Accelerated::FastAnalyzer" },
        "block_scores" => { PLAIN => "Convergence::BlockScores", FAST => "Accelerated::FastBlockScores" },
        "document_index" => { PLAIN => "Stores::Snapshot::DocumentIndex", FAST => "Accelerated::FastDocumentIndex" },
        "postgres_documents" => { PLAIN => "Stores::Tables::DocumentStates", FAST => "Accelerated::PostgresDocuments" },
        "sqlite_documents" => { PLAIN => "Stores::Tables::DocumentStates", FAST => "Accelerated::SqliteDocuments" },
        "term_similarity" => { PLAIN => "Rerankers::TermSimilarity", FAST => "Accelerated::FastTermSimilarity" },
        "term_weight" => { PLAIN => "TermWeight", FAST => "Accelerated::FastTermWeight" },
        "vector_similarity" => { PLAIN => "Rerankers::VectorSimilarity", FAST => "Accelerated::FastVectorSimilarity" }
      }.freeze

      module_function

      # @param kernels [String, nil] the name; nil: what the environment variable says, or the fast ones without it
      # @return [String] which kernels are meant: "plain" or "fast"
      # @raise [InvalidInputError] there are no such kernels
      # @raise [ConfigurationError] the environment variable names none
      def choice(kernels = nil)
        return named(kernels) unless kernels.nil?

        given = ENV.fetch(VARIABLE, "")
        begin
          named(given.empty? ? FAST : given)
        rescue InvalidInputError => e
          raise ConfigurationError, "#{VARIABLE}: #{e.message}"
        end
      end

      # @param operation [String] one of {OPERATIONS}
      # @param kernels [String, nil] as for {choice}
      # @return [Module] the class or module that does it
      def kernel(operation, kernels = nil)
        HybridSearch.const_get(OPERATIONS.fetch(operation).fetch(choice(kernels)))
      end

      def named(kernels)
        Validation.known("kernels", [kernels], NAMES)
        kernels.to_s
      end
      private_class_method :named
    end
  end
end
