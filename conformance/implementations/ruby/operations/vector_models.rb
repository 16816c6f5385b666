# frozen_string_literal: true

# Several indexes, with embeddings of their own, on one store (DOC-7); the form of a step is told in the reference's
# `operations/vector_models.py`.
module VectorModels
  module_function

  def step(store, embedding, method, argument = nil, options = {})
    settings = (embedding || {}).slice("any_vectors").transform_keys(&:to_sym)
    answer(store, embedding(embedding), settings, method, argument, (options || {}).transform_keys(&:to_sym))
  rescue HybridSearch::Error => e
    { "error" => e.class.name.split("::").last, "message" => e.message }
  end

  def answer(store, embedding, settings, method, argument, options)
    if method == "retrieve"
      found = HybridSearch::RetrievalService.new(store, embedding:).retrieve(argument, **options)
      return [found.documents.map(&:doc_id), found.warnings]
    end
    index = HybridSearch::Index.new(store:, embedding:, **settings)
    return index.search(argument, **options).warnings if method == "warnings"
    return index.search(argument, **options).map(&:id) if method == "search"

    index.public_send(method, *[argument].compact)
  end

  def embedding(options)
    return if options.nil?

    hashing = HybridSearch::HashingEmbedder.new(dimension: options["dimension"])
    HybridSearch::Embedding.new(options["plain"] ? hashing.method(:encode) : hashing, model: options["model"])
  end
end

Conformance.operation("vector_models.indexes") do |_params, given, _trace|
  store = Conformance::Stores.store
  given["steps"].map { |step| VectorModels.step(store, *step) }
end
