# frozen_string_literal: true

require "scripted_model"

# Operations of partial rerank (RNK-8, ORD-2).
module Conformance
  # What the operations of partial rerank share.
  module PartialRerankCases
    FIELDS = %w[id tier score stage1_score model_score normalized_score].freeze

    module_function

    def partial(model, params)
      HybridSearch::PartialRerank.new(model, **params.transform_keys(&:to_sym))
    end

    def plain(outcome, model, trace)
      entries = outcome.entries.map { |entry| FIELDS.to_h { |name| [name, entry.public_send(name)] } }
      trace.stage("rerank", entries.map { |entry| entry.values_at("id", "tier", "score") })
      { "entries" => entries, "status" => outcome.status, "warnings" => outcome.warnings, "asked" => model.asked }
    end
  end

  operation("partial_rerank.rerank") do |params, given, trace|
    model = ScriptedModel.new(given["model"])
    text_of = ->(id) { given["texts"][id] }
    outcome = PartialRerankCases.partial(model, params).rerank(given["query"], given["ids"], given["scores"], text_of)
    PartialRerankCases.plain(outcome, model, trace)
  end

  operation("partial_rerank.rerank_result") do |params, given, trace|
    model = ScriptedModel.new(given["model"])
    documents = given["documents"]
    result = HybridSearch::AdapterKit::SearchResult.new(
      total: documents.size, ids: documents.map(&:first), fields: documents.to_h
    )
    outcome = PartialRerankCases.partial(model, params).rerank_result(given["query"], result, given["scores"])
    PartialRerankCases.plain(outcome, model, trace)
  end

  operation("partial_rerank.options") do |params, given, _trace|
    PartialRerankCases.partial(given.fetch("model") { ScriptedModel.new({}) }, params.fetch("options", {}))
    true
  end

  operation("partial_rerank.defaults") do |params, given, trace|
    model = ScriptedModel.new(given["model"])
    partial = PartialRerankCases.partial(model, params.fetch("options", {}))
    text_of = ->(id) { given["texts"][id] }
    PartialRerankCases.plain(partial.rerank(given["query"], given["ids"], given["scores"], text_of), model, trace)
  end
end
