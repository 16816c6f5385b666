# frozen_string_literal: true

# Operations of embedding (EMB-1, EMB-2, EMB-3).
module Conformance
  # Gives the answers of a case one after the other; `{"raise" => text}` is an error of its own, `{"yield" => values}` a
  # generator.
  class ScriptedProvider
    def initialize(answers)
      @answers = answers.dup
    end

    def answer(_asked)
      answer = @answers.shift
      return answer unless answer.is_a?(::Hash)
      raise answer["raise"] if answer.key?("raise")

      answer.key?("yield") ? answer["yield"].each : answer
    end

    # @return [Object] the provider as a callable, or as an object with one or both methods
    def of_kind(kind)
      return method(:answer) if kind == "callable"

      names = { "encode" => %i[encode], "encode_queries" => %i[encode_queries],
                "both" => %i[encode encode_queries] }.fetch(kind)
      script = self
      Object.new.tap do |provider|
        names.each { |name| provider.define_singleton_method(name) { |asked| script.answer(asked) } }
      end
    end
  end

  # Has methods of some names, and keeps which of them was asked for what; "call" makes the object callable. It gives
  # lists, generators, or objects with `vectors`, as RubyLLM does; "alone" are those of integers, of one text its vector
  # alone.
  class NamedProvider
    Answer = Struct.new(:vectors)

    attr_reader :asked

    # @param takes [String] what the methods of the attributes take: "nothing", "optional" or "argument"
    def initialize(names, attributes, gives, takes = "nothing")
      @asked = []
      names.each do |name|
        form = name == "call" ? "list" : gives
        define_singleton_method(name) { |asked| answer(name, asked, form) }
      end
      attributes.each { |name, value| define_singleton_method(name, &reader(value, takes)) }
    end

    private

    def reader(value, takes)
      case takes
      when "argument" then ->(_form) { value }
      when "optional" then ->(_form = nil) { value }
      else -> { value }
      end
    end

    def answer(name, asked, gives)
      @asked << [name, asked]
      vectors = Array(asked).map { |text| gives == "alone" ? [text.length, 1] : [text.length.to_f, 1.0] }
      return vectors.each if gives == "generator"

      vectors = vectors[0] if asked.is_a?(::String) || (gives == "alone" && asked.size == 1)
      %w[object alone].include?(gives) ? Answer.new(vectors) : vectors
    end
  end

  # The hashing embedder, which keeps what it was asked for and fails for a text of "fail".
  class RecordingProvider
    attr_accessor :asked
    attr_reader :dimension, :model

    def initialize(dimension, knows_dimension)
      @embedder = HybridSearch::HashingEmbedder.new(dimension:)
      @asked = []
      @dimension = dimension if knows_dimension
      @model = "recording"
    end

    def encode(texts)
      @asked << texts.dup
      raise "asked to fail" if texts.include?("fail")

      @embedder.encode(texts)
    end
  end

  # What the operations of embedding share.
  module EmbeddingCases
    module_function

    def guarded
      yield
    rescue HybridSearch::Error => e
      { "error" => e.class.name.split("::").last, "message" => e.message }
    end

    def embedding(params, answers)
      provider = ScriptedProvider.new(answers).of_kind(params.fetch("kind", "callable"))
      HybridSearch::Embedding.new(provider, model: params["model"], dimension: params["dimension"])
    end

    def options(params)
      params.fetch("options", {}).transform_keys(&:to_sym)
    end

    def cache_step(recorder, cached, kind, argument = nil)
      recorder.asked = []
      answer = guarded do
        case kind
        when "query" then [cached.encode_queries(argument)]
        when "passage" then cached.encode(argument)
        else
          cached.clear
          nil
        end
      end
      { "answer" => answer, "asked" => recorder.asked, "hits" => cached.hits, "misses" => cached.misses,
        "size" => cached.size }
    end
  end

  operation("embedding.encode_queries") do |params, given, _trace|
    embedding = EmbeddingCases.embedding(params, given["answers"])
    vectors = given["texts"].map { |text| EmbeddingCases.guarded { embedding.encode_queries(text) } }
    { "vectors" => vectors, "dimension" => embedding.dimension, "model" => embedding.model }
  end

  operation("embedding.encode") do |params, given, _trace|
    embedding = EmbeddingCases.embedding(params, given["answers"])
    batches = given["batches"].map { |batch| EmbeddingCases.guarded { embedding.encode(batch) } }
    { "batches" => batches, "dimension" => embedding.dimension }
  end

  operation("embedding.provider") do |params, given, _trace|
    options = EmbeddingCases.options(params)
    made = if given["class"] == "HashingEmbedder"
             HybridSearch::HashingEmbedder.new(**options)
           else
             provider = given["provider"]
             provider = HybridSearch::HashingEmbedder.new(dimension: 8) if provider == "hashing"
             HybridSearch.const_get(given["class"]).new(provider, **options)
           end
    { "model" => made.model, "dimension" => made.dimension }
  end

  operation("embedding.methods") do |params, given, _trace|
    named = NamedProvider.new(given["methods"], params.fetch("attributes", {}), params.fetch("gives", "list"),
                              params.fetch("attributes_take", "nothing"))
    embedding = HybridSearch::Embedding.new(named)
    vectors = embedding.encode(given.fetch("texts", %w[a bb]))
    question = embedding.encode_queries("ccc")
    { "asked" => named.asked, "vectors" => vectors, "question" => question, "model" => embedding.model }
  end

  operation("embedding.match_dense") do |params, given, _trace|
    embedding = HybridSearch::Embedding.new(ScriptedProvider.new([given["answer"]]).of_kind("callable"))
    expression = embedding.match_dense(given["text"], topk: params["topk"], similarity: params["similarity"])
    {
      "field" => expression.field,
      "vector" => expression.vector,
      "embedding_data_type" => expression.embedding_data_type,
      "distance_type" => expression.distance_type,
      "topn" => expression.topn,
      "extra_options" => expression.extra_options
    }
  end

  operation("embedding.hashing") do |params, given, trace|
    embedder = HybridSearch::HashingEmbedder.new(dimension: params.fetch("dimension", 256))
    vectors = embedder.encode(given["texts"])
    trace.stage("tokenise", given["texts"].map { |text| embedder.features(text) })
    vectors
  end

  operation("embedding.cache") do |params, given, _trace|
    recorder = RecordingProvider.new(params.fetch("dimension", 8), params.fetch("knows_dimension", true))
    cached = HybridSearch::EmbeddingCache.new(recorder, capacity: params.fetch("capacity", 1024))
    given["steps"].map { |step| EmbeddingCases.cache_step(recorder, cached, *step) }
  end

  operation("embedding.named") do |params, given, _trace|
    options = params.fetch("options", {}).transform_keys(&:to_sym)
    HybridSearch::Embeddings::EmbeddingChoice.named(given["name"], **options).to_h
  end
end
