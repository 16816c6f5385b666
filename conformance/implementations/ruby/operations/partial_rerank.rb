# frozen_string_literal: true

# Operations of partial rerank (RNK-8, ORD-2).
module Conformance
  # A model that knows the score of each text, raises or is late; keeps what it was asked.
  class TableModel
    attr_reader :asked

    def initialize(script)
      @script = script
      @asked = []
    end

    def similarity(query, texts)
      @asked << [query, texts.dup]
      sleep(@script["late"]) if @script.key?("late")
      raise @script["raise"] if @script.key?("raise")
      return @script["answer"] if @script.key?("answer")

      texts.map { |text| @script["scores"].fetch(text) { raise "no score for #{text}" } }
    end
  end

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
    model = TableModel.new(given["model"])
    text_of = ->(id) { given["texts"][id] }
    outcome = PartialRerankCases.partial(model, params).rerank(given["query"], given["ids"], given["scores"], text_of)
    PartialRerankCases.plain(outcome, model, trace)
  end

  operation("partial_rerank.rerank_result") do |params, given, trace|
    model = TableModel.new(given["model"])
    documents = given["documents"]
    result = HybridSearch::SearchResult.new(total: documents.size, ids: documents.map(&:first), fields: documents.to_h)
    outcome = PartialRerankCases.partial(model, params).rerank_result(given["query"], result, given["scores"])
    PartialRerankCases.plain(outcome, model, trace)
  end

  operation("partial_rerank.options") do |params, given, _trace|
    PartialRerankCases.partial(given.fetch("model") { TableModel.new({}) }, params.fetch("options", {}))
    true
  end

  operation("partial_rerank.defaults") do |params, given, trace|
    model = TableModel.new(given["model"])
    partial = PartialRerankCases.partial(model, params.fetch("options", {}))
    text_of = ->(id) { given["texts"][id] }
    PartialRerankCases.plain(partial.rerank(given["query"], given["ids"], given["scores"], text_of), model, trace)
  end
end
