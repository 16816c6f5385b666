# frozen_string_literal: true

require_relative "../log_lines"
require "made_documents"

# Operations of the front door (IDX-3): a script of calls on one index, and what is told of it (LOG-1, OBS-1).
module IndexOperations
  # Method → what its count is called.
  WRITING = { "add" => "added", "update" => "changed", "upsert" => "written" }.freeze

  module_function

  def step(index, method, argument = nil, options = {})
    answer(index, method, argument, (options || {}).transform_keys(&:to_sym))
  rescue HybridSearch::Error => e
    { "error" => e.class.name.split("::").last, "message" => e.message }
  end

  def answer(index, method, argument, options)
    case method
    when *WRITING.keys
      seen = []
      progress = ->(done, total) { seen << [done, total] }
      { WRITING[method] => index.public_send(method, argument, progress:, **options), "progress" => seen }
    when "search" then index.search(argument, **options).to_h
    when "search_many" then index.search_many(argument, **options).map { |page| page.map(&:id) }
    when "similar" then index.similar(argument, **options).map { |hit| [hit.id, hit.score] }
    when "each" then index.each(argument, **options).map(&:id)
    when "exists" then index.exists?(argument, **options)
    when "store" then index.store.insert(argument) # documents that no record makes
    when "fill" then index.store.insert(Conformance::MadeDocuments.make(0...argument))
    when "count", "clear" then index.public_send(method, **options)
    else index.public_send(method, argument, **options)
    end
  end

  def failing(message)
    message && ->(*) { raise message }
  end

  def observed(params, events)
    options = (params["options"] || {}).transform_keys(&:to_sym)
    dimension = params["dimension"]
    embedding = dimension && HybridSearch::HashingEmbedder.new(dimension:)
    embedding = failing(params["embedding_fails"]) || embedding
    options[:rerank_model] = failing(params["model_fails"]) if params["model_fails"]
    observer = lambda do |name, data|
      events << [name, data]
      raise params["observer_fails"] if params["observer_fails"]
    end
    HybridSearch::Index.new(embedding:, observer:, **options)
  end
end

Conformance.operation("index.told") do |params, given, _trace|
  events = []
  index = IndexOperations.observed(params, events)
  lines = Conformance::LogLines.kept { given["steps"].each { |step| IndexOperations.step(index, *step) } }
  { "events" => events.map do |name, data|
                  [name, data.except(:duration).transform_keys(&:to_s)]
                end, "lines" => lines.to_a }
end

Conformance.operation("index.script") do |params, given, _trace|
  dimension = params["dimension"]
  embedding = dimension && HybridSearch::HashingEmbedder.new(dimension:)
  embedding = ->(texts) { texts.map { [1.0] * given["model"] } } if given.key?("model")
  options = (params["options"] || {}).transform_keys(&:to_sym)
  index = HybridSearch::Index.new(embedding:, **Conformance::Stores.of_index, **options)
  given["steps"].map { |step| IndexOperations.step(index, *Conformance::OwnTypes.read(step)) }
end
