# frozen_string_literal: true

require "log_lines"
require "scripted_model"

# Operations of the retrieval service (DFY-6).
module RetrievalServiceOperations
  # A store in which some kinds of search fail.
  class FailingStore < HybridSearch::MemoryDocStore
    def initialize(failing)
      super()
      @failing = failing
    end

    def search(match_exprs: [], **options)
      failed("search", match_exprs)
      super
    end

    def rank(match_exprs, filters = nil)
      failed("rank", match_exprs)
      super
    end

    private

    def failed(method, expressions)
      expressions.each do |expression|
        kind = expression.is_a?(HybridSearch::AdapterKit::MatchDenseExpr) ? "dense" : "text"
        raise "no #{kind} #{method} today" if @failing.include?("#{kind} #{method}")
      end
    end
  end

  module_function

  # The service over the corpus, or the records, of a case.
  def service(options, given)
    models = given["models"]
    models = models.transform_values { |script| Conformance::ScriptedModel.new(script) } if models.is_a?(::Hash)
    options = options.transform_keys(&:to_sym)
    if given.key?("corpus")
      corpus = Conformance::Corpora.load(given["corpus"])
      return HybridSearch::RetrievalService.new(corpus.store, embedding: corpus.embedding, models:, **options)
    end
    HybridSearch::RetrievalService.new(store(given), embedding: embedding(given), models:, **options)
  end

  def store(given)
    store = FailingStore.new(given.fetch("failing", []))
    embedding = HybridSearch::Embedding.new(hashing(given))
    store.insert(HybridSearch::DocumentBuilder.new(embedding:, any_vectors: true).build_many(given["records"]))
    store.update(given["fields"]) if given.key?("fields")
    store
  end

  def hashing(given)
    HybridSearch::HashingEmbedder.new(dimension: given.fetch("dimension", 16))
  end

  # The hashing embedder; none, or one that fails, where the case says so.
  def embedding(given)
    case given["embedding"]
    when "none" then nil
    when "failing"
      HybridSearch::Embedding.new(->(_texts) { raise HybridSearch::EmbeddingError, "no embedding today" })
    else HybridSearch::Embedding.new(hashing(given))
    end
  end

  def settings(params)
    params.fetch("settings", {}).transform_keys(&:to_sym)
  end
end

Conformance.operation("retrieval_service.retrieve") do |params, given, trace|
  service = RetrievalServiceOperations.service(params.fetch("service", {}), given)
  result = service.retrieve(given["query"], **RetrievalServiceOperations.settings(params))
  trace.stage("page", result.documents.map(&:doc_id))
  plain = result.to_h
  plain["documents"] = plain["documents"].map { |document| document["metadata"] } if given.key?("corpus")
  plain
end

Conformance.operation("retrieval_service.heads") do |params, given, trace|
  service = RetrievalServiceOperations.service(params.fetch("service", {}), given)
  settings = RetrievalServiceOperations.settings(params)
  longest = service.retrieve(given["query"], **settings, top_k: params["top_k"]).documents
  trace.stage("page", longest.map(&:doc_id))
  expected = longest.map(&:metadata)
  no_head = (1...params["top_k"]).step(params["step"]).reject do |top_k|
    service.retrieve(given["query"], **settings, top_k:).documents.map(&:metadata) == expected.first(top_k)
  end
  { "longest" => expected.map { |metadata| metadata.values_at("doc_id", "score") }, "no_head" => no_head }
end

Conformance.operation("retrieval_service.options") do |_params, given, _trace|
  options = given["options"].transform_keys(&:to_sym)
  HybridSearch::RetrievalService.new(HybridSearch::MemoryDocStore.new, **options)
  true
end

Conformance.operation("retrieval_service.told") do |params, given, _trace|
  events = []
  observer = ->(name, data) { events << [name, data] }
  service = RetrievalServiceOperations.service({ **params.fetch("service", {}), "observer" => observer }, given)
  settings = RetrievalServiceOperations.settings(params)
  lines = Conformance::LogLines.kept { service.retrieve(given["query"], **settings) }
  plain = events.map { |name, data| [name, data.except(:duration).transform_keys(&:to_s)] }
  { "events" => plain, "lines" => lines.to_a }
end
