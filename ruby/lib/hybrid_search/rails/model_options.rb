# frozen_string_literal: true

module HybridSearch
  module Rails
    # The checked options of `hybrid_search` in a model.
    #
    # - `content`, `title`, `keywords`, `questions`: the name of a method, a list of names, or a lambda that takes the
    #   record.
    # - `metadata`: the names that `where`, `order` and `facets` accept: methods, or keys of `search_data`.
    # - `callbacks`: `:inline` writes after the commit, `:async` in a job, `:queue` in one job for all changes of a
    #   request, `false` not at all; the default is the setting `callbacks`, otherwise `:async` if ActiveJob is loaded.
    # - `if`, `unless`: a method or a lambda that decides which records are indexed.
    # - `scope`: a lambda that is evaluated in the relation whose records are indexed, for `includes`.
    # - `tenant`: the attribute for which every search must name a value.
    # - `chunk`: a lambda that takes the record and returns its passages, `true`, or options of {Chunker} and `format`.
    # - `index`: the name of the collection; the name of the table by default.
    # - `embedding`: as the setting, for this model only.
    # - `search`: defaults of searches, options of {Index#search}.
    # - `version`: any value; change it if records must be made again although no other option has changed.
    class ModelOptions
      NAMES = %w[content title keywords questions metadata callbacks if unless scope tenant chunk index embedding search
                 version].freeze
      TEXTS = %i[content title keywords questions].freeze
      MODES = ["inline", "async", "queue", false].freeze
      INDEX_NAME = /\A[a-z0-9_][a-z0-9_.-]*\z/
      private_constant :NAMES, :INDEX_NAME

      # @return [Hash{Symbol=>Symbol, Array<Symbol>, Proc}] the given sources of texts
      attr_reader :texts
      # @return [Array<String>] the names that can be filtered by
      attr_reader :metadata
      # @return [Symbol, Boolean, nil] `:inline`, `:async`, `:queue`, false; nil: the setting decides
      attr_reader :callbacks
      # @return [Array<Symbol, Proc>]
      attr_reader :if
      # @return [Array<Symbol, Proc>]
      attr_reader :unless
      # @return [Proc, nil]
      attr_reader :scope
      # @return [String, nil]
      attr_reader :tenant
      # @return [Proc, Hash{Symbol=>Object}, nil] the function that makes passages, or the options of a {Chunker}
      attr_reader :chunk
      # @return [String, nil]
      attr_reader :index
      # @return [Object, nil] as the setting `embedding`; :default if not given
      attr_reader :embedding
      # @return [Hash{Symbol=>Object}] defaults of searches
      attr_reader :search
      # @return [Object]
      attr_reader :version

      # @param options [Hash{Symbol=>Object}]
      # @raise [InvalidInputError] an option is unknown or not acceptable
      def initialize(options)
        Habits.check("option of hybrid_search", options.keys, NAMES, Habits::MACRO)
        @texts = TEXTS.filter_map { |name| [name, source(name, options[name])] unless options[name].nil? }.to_h.freeze
        @metadata = names("metadata", options.fetch(:metadata, [])).freeze
        @callbacks = CallbackMode.accept("callbacks", options[:callbacks], MODES) unless options[:callbacks].nil?
        @if = conditions("if", options[:if])
        @unless = conditions("unless", options[:unless])
        @scope = lambda_of("scope", options[:scope])
        @tenant = options[:tenant].nil? ? nil : one_name("tenant", options[:tenant])
        @chunk = chunking(options[:chunk])
        @index = options[:index].nil? ? nil : index_name(options[:index])
        @embedding = options.fetch(:embedding, :default)
        @search = searches(options.fetch(:search, {}))
        @version = options[:version]
        freeze
      end

      # @return [Boolean] whether a record may have several passages
      def chunked?
        !@chunk.nil?
      end

      private

      def source(name, value)
        case value
        when ::Proc then value
        when ::Symbol, ::String then value.to_sym
        when ::Array then value.map { |each| one_name(name.to_s, each).to_sym }.freeze
        else raise Base::Validation.failure(name.to_s, value, "the name of a method, a list of names or a lambda")
        end
      end

      def names(name, value)
        list = value.is_a?(::Array) ? value : [value]
        list.map { |each| one_name(name, each) }.uniq
      end

      def one_name(name, value)
        return value.to_s if (value.is_a?(::Symbol) || value.is_a?(::String)) && !value.to_s.empty?

        raise Base::Validation.failure(name, value, "the name of a method")
      end

      def conditions(name, value)
        list = value.nil? ? [] : ::Kernel.Array(value)
        list.each do |each|
          next if each.is_a?(::Proc) || each.is_a?(::Symbol)

          raise Base::Validation.failure(name, each, "the name of a method as a symbol, or a lambda")
        end
        list.freeze
      end

      def lambda_of(name, value)
        return value if value.nil? || value.is_a?(::Proc)

        raise Base::Validation.failure(name, value, "a lambda, as in -> { includes(:author) }")
      end

      def chunking(value)
        case value
        when nil, false then nil
        when ::Proc then value
        when true then {}.freeze
        when ::Hash
          Base::Validation.known("option of chunk", value.keys, %w[size overlap tokenizer format])
          Chunker.new(**value.except(:format))
          value.dup.freeze
        else raise Base::Validation.failure("chunk", value, "a lambda, true, or options of a Chunker")
        end
      end

      def index_name(value)
        name = value.to_s
        return name if name.match?(INDEX_NAME)

        raise Base::Validation.failure("index", name, "a name of a-z, 0-9, _, . and -")
      end

      def searches(value)
        raise Base::Validation.failure("search", value, "an object of options") unless value.is_a?(::Hash)

        Base::Validation.known("option of search", value.keys, ModelSearch::PASSED)
        value.transform_keys(&:to_sym).freeze
      end
    end
  end
end
