# frozen_string_literal: true

module HybridSearch
  module Base
    # Chooses between the plain and the fast form of an operation; the only file that knows both (KRN-1).
    #
    # Some operations have two forms with one interface. The plain form is in the folder of its clause and can be
    # compared with the specification line by line. The fast form is in `accelerated/`. It may use the plain form, never
    # the other way round, and only this table names it. A third form, "native", calls a gem in C that is found at run
    # time (docs/native.md). A caller chooses with `kernels: "plain"`, `"fast"` or `"native"`. Without that, the
    # environment variable `HYBRID_SEARCH_KERNELS` decides. Without both, the native forms are used if their gem is
    # installed, otherwise the fast ones. The choice applies to the objects that a constructor makes itself; objects
    # passed to it keep their own.
    #
    # Every entry guarantees:
    #
    # - the same bits, the same order and the same errors with the same texts as the plain form, for every input;
    # - the public methods of the plain form, and arguments used only through their documented methods;
    # - no state between two calls, unless everything it depends on is in its key;
    # - a cost of at most n·log n for any input, and safety in the threads in which the plain form is safe.
    module Kernels
      PLAIN = "plain"
      FAST = "fast"
      NATIVE = "native"
      # The kernels that need no other gem.
      INCLUDED = [PLAIN, FAST].freeze
      NAMES = [*INCLUDED, NATIVE].freeze
      VARIABLE = "HYBRID_SEARCH_KERNELS"
      # The native gem, its file, and the version of its methods that this library calls.
      GEM = "hybrid_search-native"
      LIBRARY = "hybrid_search/native"
      INTERFACE = 1

      # Operation => kernels => the name within HybridSearch of the class or module. Segmentation has only one form
      # ({Segmenter}), with one packed table, because it is simple enough. If an operation has no native form, "native"
      # uses the fast one.
      OPERATIONS = {
        "analyzer" => { PLAIN => "Text::Analyzer", FAST => "Accelerated::FastAnalyzer" },
        "block_scores" => { PLAIN => "Convergence::BlockScores", FAST => "Accelerated::FastBlockScores" },
        "document_index" => { PLAIN => "Stores::Snapshot::DocumentIndex", FAST => "Accelerated::FastDocumentIndex",
                              NATIVE => "Accelerated::NativeDocumentIndex" },
        "postgres_documents" => { PLAIN => "Stores::Tables::DocumentStates", FAST => "Accelerated::PostgresDocuments",
                                  NATIVE => "Accelerated::NativePostgresDocuments" },
        "sqlite_documents" => { PLAIN => "Stores::Tables::DocumentStates", FAST => "Accelerated::SqliteDocuments",
                                NATIVE => "Accelerated::NativeSqliteDocuments" },
        "sqlite_postings" => { PLAIN => "Stores::Sqlite::SqlitePostings",
                               FAST => "Accelerated::FastSqlitePostings" },
        "term_similarity" => { PLAIN => "Rerankers::TermSimilarity", FAST => "Accelerated::FastTermSimilarity" },
        "term_weight" => { PLAIN => "TermWeight", FAST => "Accelerated::FastTermWeight" },
        "vector_similarity" => { PLAIN => "Rerankers::VectorSimilarity", FAST => "Accelerated::FastVectorSimilarity" }
      }.freeze

      module_function

      # @param kernels [String, nil] the name; nil means the environment variable, or if that is not set, "native" if
      #   its gem is installed, otherwise "fast"
      # @return [String] the name of the kernels in use
      # @raise [InvalidInputError] no kernels have this name
      # @raise [ConfigurationError] the environment variable contains an unknown name, or the native gem is missing
      def choice(kernels = nil)
        return named(kernels) unless kernels.nil?

        given = ENV.fetch(VARIABLE, "")
        return find_native ? NATIVE : FAST if given.empty?

        begin
          named(given)
        rescue InvalidInputError => e
          raise ConfigurationError, "#{VARIABLE}: #{e.message}"
        end
      end

      # @param operation [String] one of {OPERATIONS}
      # @param kernels [String, nil] as for {choice}
      # @return [Module] the class or module that performs it
      def kernel(operation, kernels = nil)
        forms = OPERATIONS.fetch(operation)
        HybridSearch.const_get(forms.fetch(choice(kernels)) { forms.fetch(FAST) })
      end

      # @return [Module] the module of the native gem
      # @raise [ConfigurationError] it is missing, or has another interface
      def native
        find_native || raise(
          ConfigurationError, "kernels \"native\" need the gem #{GEM} with interface #{INTERFACE} (gem install #{GEM})"
        )
      end

      def named(kernels)
        Validation.known("kernels", [kernels], NAMES)
        native if kernels.to_s == NATIVE
        kernels.to_s
      end
      private_class_method :named

      # Return the module of the gem, or nil; the gem is searched for only once.
      def find_native
        return @native if defined?(@native)
        return @native = nil unless installed?

        require LIBRARY
        found = HybridSearch.const_get(:Native)
        @native = found.const_get(:INTERFACE) == INTERFACE ? found : nil
      rescue LoadError
        @native = nil
      end
      private_class_method :find_native

      # Return whether the gem is installed. A `require` that fails reads the specifications of all installed gems; this
      # reads only those of one name.
      def installed?
        return true unless defined?(Gem::Specification) && $LOAD_PATH.resolve_feature_path(LIBRARY).nil?

        !Gem::Specification.find_all_by_name(GEM).empty?
      end
      private_class_method :installed?
    end
  end
end
