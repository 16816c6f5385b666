# frozen_string_literal: true

module HybridSearch
  module Base
    # Chooses between the plain and the fast form of an operation; the only file that knows both (KRN-1).
    #
    # Some operations have two forms with one interface. The plain form is in the room of its clause and can be compared
    # with the specification line by line. The fast form is in `accelerated/`. It may use the plain form, never the
    # other way round, and only this table names it. A caller chooses with `kernels: "plain"` or `kernels: "fast"`.
    # Without that, the environment variable `HYBRID_SEARCH_KERNELS` decides, and without both, the fast forms are used.
    # The choice applies to the objects that a constructor makes itself; objects passed to it keep their own.
    #
    # A further form, for example a C extension, is one more column of the table. It must guarantee what every entry
    # guarantees:
    #
    # - the same bits, the same order and the same errors with the same texts as the plain form, for every input;
    # - the public methods of the plain form, and arguments used only through their documented methods;
    # - no state between two calls, unless everything it depends on is in its key;
    # - a cost of at most n·log n for any input, and safety in the threads in which the plain form is safe.
    module Kernels
      PLAIN = "plain"
      FAST = "fast"
      NAMES = [PLAIN, FAST].freeze
      VARIABLE = "HYBRID_SEARCH_KERNELS"

      # Operation => kernels => the class or module, as its name within HybridSearch. Segmentation has one form only
      # ({Segmenter}), with one packed table: it is simple enough.
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

      # @param kernels [String, nil] the name; nil takes the environment variable, or "fast" if that is not set
      # @return [String] the name of the kernels in use: "plain" or "fast"
      # @raise [InvalidInputError] no kernels have this name
      # @raise [ConfigurationError] the environment variable holds an unknown name
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
      # @return [Module] the class or module that performs it
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
