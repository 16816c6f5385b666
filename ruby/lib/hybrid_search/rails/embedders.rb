# frozen_string_literal: true

module HybridSearch
  module Rails
    # Makes embeddings by the names of their providers in `config/hybrid_search.yml`.
    #
    # | name | options | needs |
    # |---|---|---|
    # | `none` | | |
    # | `hashing` | `dimension` (256) | |
    # | `openai` | `model`, `base_url`, `api_key` and those of {OpenAiEmbedder} | a service; OpenAI's by default |
    # | `ruby_llm` | `model`, `provider`, `dimension` | the gem ruby_llm |
    # | `informers` | `model`, `query_prefix`, `passage_prefix` | the gem informers |
    module Embedders
      NAMES = %w[none hashing openai ruby_llm informers].freeze
      OPENAI = "https://api.openai.com/v1"
      # The files of the embedders that need another gem.
      FILES = { "ruby_llm" => "ruby_llm", "informers" => "informers" }.freeze
      OPTIONS = {
        "none" => [],
        "hashing" => %w[dimension],
        "openai" => OpenAiEmbedder::OPTIONS,
        "ruby_llm" => %w[model provider dimension],
        "informers" => %w[model query_prefix passage_prefix]
      }.freeze
      private_constant :FILES, :OPENAI

      module_function

      # @param setting [String, Symbol, Hash, Object, nil] a name, an object with `name` and options, or an embedding
      # @param place [String] the name of the setting in messages
      # @return [Embedding, nil] nil: only full text is searched
      # @raise [InvalidInputError] a name or an option is unknown
      # @raise [ConfigurationError] the gem that the embedding needs is missing
      def build(setting, place = "embedding")
        case setting
        when nil, false then nil
        when ::String, ::Symbol then named(place, setting.to_s, {})
        when ::Hash then of_object(place, setting)
        else Embeddings::EmbeddingArgument.accept(place, setting)
        end
      end

      def of_object(place, setting)
        options = setting.to_h.transform_keys(&:to_s)
        name = options.delete("name")
        raise InvalidInputError, "#{place} must have a name: one of #{NAMES.join(", ")}" if name.nil?

        named(place, name.to_s, options)
      end
      private_class_method :of_object

      def named(place, name, options)
        return Embedding.named(name, **options.transform_keys(&:to_sym)) if of_family?(name)

        name = Base::Validation.choice("#{place}.name", name, NAMES)
        Base::Validation.known("option of #{place} #{name}", options.keys, OPTIONS.fetch(name))
        return if name == "none"

        library(name)
        public_send(:"make_#{name}", place, options.transform_keys(&:to_sym))
      end
      private_class_method :named

      # Return whether a name is that of a model (EMB-4), such as `fastembed/BAAI/bge-small-zh-v1.5`.
      def of_family?(name)
        name.include?("/") || Embeddings::ModelNames::LOCAL.include?(name)
      end
      private_class_method :of_family?

      def library(name)
        file = FILES[name]
        require file if file
      rescue ::LoadError
        raise ConfigurationError, "embedding #{name} needs the gem #{name}: add gem \"#{name}\" to the Gemfile"
      end
      private_class_method :library

      # @api private
      def make_hashing(_place, options)
        Embedding.new(HashingEmbedder.new(**options))
      end

      # @api private
      def make_openai(place, options)
        model = options.delete(:model)
        raise InvalidInputError, "#{place} openai needs a model" if model.to_s.empty?

        key = options.delete(:api_key)
        options = { **options, api_key: -> { key } } unless key.to_s.empty?
        Embedding.new(OpenAiEmbedder.new(options.delete(:base_url) || OPENAI, model, **options))
      end

      # @api private
      def make_ruby_llm(place, options)
        model = options[:model]
        raise InvalidInputError, "#{place} ruby_llm needs a model" if model.to_s.empty?

        asked = options.slice(:model,
                              :provider).merge(options.key?(:dimension) ? { dimensions: options[:dimension] } : {})
        provider = ->(texts) { ::RubyLLM.embed(texts, **asked).vectors }
        Embedding.new(provider, model:, dimension: options[:dimension])
      end

      # Return the embedding of a pipeline, which is loaded at its first use: a forking server has forked by then.
      #
      # @api private
      def make_informers(place, options)
        model = options[:model]
        raise InvalidInputError, "#{place} informers needs a model" if model.to_s.empty?

        Embedding.new(Pipeline.new(model, options[:query_prefix].to_s, options[:passage_prefix].to_s), model:)
      end

      # A model of Informers, loaded once in each process.
      class Pipeline
        include Base::ShortInspect

        # @param model [String]
        # @param query_prefix [String]
        # @param passage_prefix [String]
        def initialize(model, query_prefix, passage_prefix)
          @model = model
          @query_prefix = query_prefix
          @passage_prefix = passage_prefix
          @lock = Thread::Mutex.new
        end

        # @param texts [Array<String>]
        # @return [Array<Array<Float>>]
        def encode(texts)
          vectors(texts.map { |text| "#{@passage_prefix}#{text}" })
        end

        # @param text [String]
        # @return [Array<Float>]
        def encode_queries(text)
          vectors(["#{@query_prefix}#{text}"])[0]
        end

        private

        def vectors(texts)
          @lock.synchronize do
            @pipeline = nil unless @process == Process.pid
            @process = Process.pid
            @pipeline ||= ::Informers.pipeline("embedding", @model)
            @pipeline.call(texts)
          end
        end
      end
    end
  end
end
