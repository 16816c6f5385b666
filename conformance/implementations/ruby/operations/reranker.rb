# frozen_string_literal: true

require "scripted_model"

# Operations of the reranker (RNK-1, 2, 3, 5, 6, 7, 8, 9).
module Conformance
  # A question whose keywords the case gives, each of the same weight.
  class GivenKeywords
    def initialize(keywords)
      @keywords = keywords
    end

    def build_text_query(_question)
      [nil, @keywords]
    end

    def token_similarity(query_tokens, docs_tokens)
      HybridSearch::QueryBuilders::TokenSimilarity.new(self).token_similarity(query_tokens, docs_tokens)
    end

    def query_keys(query_tokens)
      HybridSearch::QueryBuilders::TokenSimilarity.new(self).query_keys(query_tokens)
    end

    def weights(tokens, preprocess: true)
      raise ArgumentError, "the tokens are taken as they are" if preprocess

      tokens.map { |token| [token, 1.0 / tokens.size] }
    end
  end

  # A reader with a way of its own to compare, which remembers what it was given.
  class CountedTokens
    attr_reader :compared

    def initialize(keywords)
      @keywords = keywords
      @compared = []
    end

    def build_text_query(_question)
      [nil, @keywords]
    end

    # How many of a document's tokens are tokens of the question.
    def token_similarity(query_tokens, docs_tokens)
      @compared.concat(docs_tokens)
      docs_tokens.map { |tokens| tokens.count { |token| query_tokens.include?(token) }.to_f }
    end
  end

  # What the operations of the reranker share.
  module RerankerCases
    # The number of late calls after which a library without a limit is not called again.
    MOST_LATE = 256

    module_function

    def reader(given)
      return GivenKeywords.new(given["keywords"]) if given.key?("keywords")

      @reader ||= HybridSearch::QueryBuilder.new
    end

    def result(given, prepared)
      HybridSearch::AdapterKit::SearchResult.new(
        total: given["documents"].size,
        ids: given["documents"].map(&:first),
        fields: given["documents"].to_h,
        scores: given.fetch("scores", {}),
        query_vector: given["query_vector"],
        prepared:
      )
    end

    # What a store would have made of the documents, of those that it would have accepted.
    def prepared(given)
      vocabulary = HybridSearch::Accelerated::Vocabulary.new
      dimension = (given["query_vector"] || []).size
      name = HybridSearch::Stores::Documents::StoredFields.vector_field(dimension)
      given["documents"].each_with_object({}) do |(id, fields), prepared|
        reader = HybridSearch::Stores::Documents::StoredFields.new
        vector = reader.vector(id, fields, name, dimension)
        made = HybridSearch::Accelerated::PreparedDocument.prepare(vocabulary, fields, vector)
        prepared[id] = made if made && reader.warnings.empty? && !fields[name].is_a?(::String)
      end
    end

    # What a search gets that names a model, or its error.
    def named_model(named, name)
      named.options({ "limit" => 3, "rerank_model" => name })["rerank_model"]
    rescue HybridSearch::Error => e
      { "error" => e.class.name.split("::").last, "message" => e.message }
    end

    def options(params)
      params.transform_keys(&:to_sym)
    end

    def plain(outcome)
      order = HybridSearch::Base::Ordering.rank_indexes(outcome.ids, outcome.similarity)
      { "order" => outcome.ids.values_at(*order), "similarity" => outcome.similarity, "formula" => outcome.formula,
        "warnings" => outcome.warnings }
    end

    def record(trace, outcome)
      trace.stage("term similarity", outcome.term_similarity)
      trace.stage("vector similarity", outcome.vector_similarity)
      trace.stage("rank feature", outcome.rank_feature)
      trace.stage("rerank", outcome.similarity)
    end

    def same?(one, other)
      %i[ids similarity term_similarity vector_similarity rank_feature formula warnings].all? do |name|
        one.public_send(name) == other.public_send(name)
      end
    end
  end

  operation("reranker.rerank_by_hybrid") do |params, given, trace|
    reranker = HybridSearch::Reranker.new(RerankerCases.reader(given))
    trace.stage("tokenise", RerankerCases.reader(given).build_text_query(given["question"])[1])
    options = RerankerCases.options(params)
    outcome = reranker.rerank_by_hybrid(RerankerCases.result(given, {}), given["question"], **options)
    prepared = RerankerCases.result(given, RerankerCases.prepared(given))
    again = reranker.rerank_by_hybrid(prepared, given["question"], **options)
    raise "prepared documents give another outcome" unless RerankerCases.same?(again, outcome)

    RerankerCases.record(trace, outcome)
    RerankerCases.plain(outcome)
  end

  operation("reranker.plugged_in") do |params, given, trace|
    reader = CountedTokens.new(given["keywords"])
    outcome = HybridSearch::Reranker.new(reader).rerank_by_hybrid(
      RerankerCases.result(given, {}), given["question"], **RerankerCases.options(params)
    )
    RerankerCases.record(trace, outcome)
    RerankerCases.plain(outcome).merge("compared" => reader.compared)
  end

  operation("reranker.rerank_by_model") do |params, given, trace|
    model = ScriptedModel.new(given["model"])
    outcome = HybridSearch::Reranker.new(RerankerCases.reader(given)).rerank_by_model(
      model, RerankerCases.result(given, {}), given["question"], **RerankerCases.options(params)
    )
    RerankerCases.record(trace, outcome)
    RerankerCases.plain(outcome).merge("asked" => model.asked)
  end

  operation("reranker.scale_scores") do |params, given, _trace|
    model = ScriptedModel.new({ "answer" => given["scores"] })
    count = given.fetch("texts") { (given["scores"] || []).size }
    texts = (0...count).map { |place| "text #{place}" }
    scores = HybridSearch::Rerankers::RerankModel.new(model).scores(params.fetch("query", "query"), texts)
    { "scores" => scores, "calls" => model.asked.size }
  end

  operation("reranker.model_options") do |params, given, _trace|
    model = given.fetch("model") { ScriptedModel.new([]) }
    HybridSearch::Rerankers::RerankModel.new(model, **RerankerCases.options(params.fetch("options", {})))
    true
  end

  operation("reranker.named") do |params, given, _trace|
    HybridSearch::Rerankers::RerankChoice.named(given["name"], url: params["url"]).to_h
  end

  operation("reranker.models") do |_params, given, _trace|
    before = ENV.to_h
    ENV.update(given.fetch("environment", {}))
    named = HybridSearch::Rerankers::NamedModels.new
    found = []
    given["names"].map do |name|
      model = RerankerCases.named_model(named, name)
      found << model
      next { "gives" => model } unless model.is_a?(HybridSearch::HttpReranker)

      address = model.instance_variable_get(:@endpoint).shown
      key = model.instance_variable_get(:@client).instance_variable_get(:@api_key)
      shown = { "first" => found.index { |other| other.equal?(model) }, "model" => model.model, "address" => address }
      given.key?("environment") ? { **shown, "key" => key.read } : shown
    end
  ensure
    ENV.replace(before) if before
  end

  # The model waits until no more calls are made, and the later call until those of the model have ended.
  operation("reranker.late_calls") do |_params, given, _trace|
    query, texts, scores = given.values_at("query", "texts", "scores")
    gate = Thread::Queue.new
    before = Thread.list
    wait = ->(_query, _texts) { gate.pop || scores }
    late = HybridSearch::Rerankers::RerankModel.new(wait, rerank_timeout: 0.001)
    messages = []
    begin
      RerankerCases::MOST_LATE.times do # a thread that starts too late ends by itself: then it takes a few more calls
        messages |= [late.attempt(query, texts)[1]]
        break if messages.size == 2
      end
    ensure
      gate.close
    end
    (Thread.list - before).each(&:join)
    { "late" => messages, "later" => HybridSearch::Rerankers::RerankModel.new(wait).attempt(query, texts) }
  end

  operation("reranker.rank_features") do |params, given, trace|
    reader = HybridSearch::Stores::Documents::StoredFields.new
    query = params["rank_feature"]
    query = given["query_order"].to_h { |name| [name, query[name]] } if given.key?("query_order")
    scores = HybridSearch::Rerankers::RankFeatures.scores(RerankerCases.result(given, {}), query, reader)
    stored = given["documents"].map { |_, fields| HybridSearch::Rerankers::RankFeatures.tags(fields["tag_feas"]) }
    trace.stage("read", stored.map { |found| found&.to_a })
    { "scores" => scores, "warnings" => reader.warnings }
  end

  operation("reranker.tags") do |_params, given, _trace|
    given["values"].map { |value| HybridSearch::Rerankers::RankFeatures.tags(value)&.to_a }
  end

  operation("reranker.spacing") do |_params, given, _trace|
    given["texts"].map { |text| HybridSearch::Rerankers::Spacing.remove_redundant(text) }
  end

  operation("reranker.store_scores") do |_params, given, trace|
    outcome = HybridSearch::Reranker::RerankOutcome.of_store_scores(RerankerCases.result(given, {}))
    RerankerCases.record(trace, outcome)
    RerankerCases.plain(outcome)
  end

  operation("reranker.fused_head") do |params, given, trace|
    model = ScriptedModel.new(given["model"])
    result = RerankerCases.result(given, {})
    fused = HybridSearch::Reranker::RerankOutcome.of_fusion(result)
    partial = HybridSearch::PartialRerank.new(model, **RerankerCases.options(params))
    outcome = fused.with_model(partial.rerank_result(given["question"], result, fused.stage1_scores))
    RerankerCases.record(trace, outcome)
    order = outcome.ids.values_at(*outcome.order)
    RerankerCases.plain(outcome).merge("order" => order, "model_scores" => outcome.model_scores, "asked" => model.asked)
  end
end
