# frozen_string_literal: true

# Wrong calls over the whole public surface (ERR-3); the form of a case is told in the reference's
# `operations/wrong_calls.py`.
module WrongCalls
  DOCUMENT = { "id" => "1", "content_ltks" => "red wine", "q_2_vec" => [1.0, 0.0] }.freeze
  ACCEPTED = "accepted"
  WITHOUT_OBJECT = %w[BlockIndex.open Fusion PostProcessor.from_configuration RetrievalConfiguration.parse].freeze

  # Methods that have another name in Ruby.
  NAMED = { "fuses_scores" => "fuses_scores?" }.freeze

  # An object with some methods of what is expected.
  Partial = Class.new

  module_function

  def store
    HybridSearch::MemoryDocStore.new.tap { |store| store.insert([DOCUMENT]) }
  end

  def hashing
    HybridSearch::HashingEmbedder.new(dimension: 2)
  end

  def blocks
    [[{ "file_path" => "a.py" }], [[1.0, 0.0]]]
  end

  def scores
    ->(_query, texts) { [0.5] * texts.size }
  end

  # What is given by place to make an object, where something has to be.
  def places(name)
    case name
    when "BlockIndex" then blocks
    when "ConvergentRetriever" then [HybridSearch::BlockIndex.new(*blocks)]
    when "Embedding", "EmbeddingCache" then [hashing]
    when "HttpReranker" then ["http://localhost/rerank", "model"]
    when "OpenAiEmbedder" then ["http://localhost/v1", "model"]
    when "PartialRerank" then [scores]
    when "PostProcessor" then ["weighted_score"]
    when "Reranker" then [HybridSearch::QueryBuilder.new]
    when "RetrievalService" then [store]
    when "Retriever" then [store, HybridSearch::QueryBuilder.new]
    else []
    end
  end

  # What is given by name, where Python's place is a name here.
  def names(name)
    name == "PostProcessor" ? { weights: "0.5,0.5" } : {}
  end

  # Of each two wrong values the one that is refused first; its form is told in the reference's `first`.
  def first(params, given)
    wrong = given["wrong"]
    alone = wrong.map { |one| message(params, given, [one]) }
    return alone unless params["pairs"]

    pairs = [*0...wrong.size].combination(2).reject { |one, other| wrong[one][0] == wrong[other][0] }
    { "alone" => alone, "first" => pairs.map { |pair| earlier(params, given, alone, pair) } }
  end

  def earlier(params, given, alone, pair)
    said = message(params, given, given["wrong"].values_at(*pair))
    [*pair, pair.find { |place| alone[place] == said } || said]
  end

  # What a call with some wrong values says.
  def message(params, given, wrong)
    arguments = (given["arguments"] || []).dup
    options = (given["options"] || {}).dup
    wrong.each { |where, value| (where.is_a?(String) ? options : arguments)[where] = value }
    called = { "options" => options }
    called["arguments"] = arguments unless arguments.empty?
    call(params["on"], params["call"], called)
    ACCEPTED
  rescue HybridSearch::Error => e
    e.message
  end

  # The message for an object that lacks methods; its form is stated in the reference's `lacking`.
  def lacking(params, given, lacked)
    partial = Partial.new
    (given["methods"] - lacked).each { |name| partial.define_singleton_method(NAMED.fetch(name, name)) { |*| nil } }
    arguments = given["arguments"] || places(params["on"])
    said = message(params, { "arguments" => arguments }, [[given["place"], partial]])
    NAMED.invert.merge(Partial.to_s => "Partial").inject(said) { |text, (own, shown)| text.gsub(own, shown) }
  end

  def call(name, method, given)
    owner = HybridSearch.const_get(name)
    arguments = given["arguments"]
    options = (given["options"] || {}).transform_keys(&:to_sym)
    if method == "new"
      return owner.new(*(arguments || places(name)), **(arguments ? {} : names(name)), **options)
    end

    owner = owner.new(*places(name), **names(name)) unless WITHOUT_OBJECT.intersect?([name, "#{name}.#{method}"])
    owner.public_send(method, *arguments, **options)
  end
end

Conformance.operation("wrong_calls.refused") do |params, given, _trace|
  WrongCalls.call(params["on"], params["call"], given)
  WrongCalls::ACCEPTED
end

Conformance.operation("wrong_calls.first") { |params, given, _trace| WrongCalls.first(params, given) }

Conformance.operation("wrong_calls.lacking") do |params, given, _trace|
  given["without"].map { |lacked| WrongCalls.lacking(params, given, lacked) }
end
