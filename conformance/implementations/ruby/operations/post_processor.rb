# frozen_string_literal: true

require "scripted_model"

# Operations of the post-processing (DFY-1 … DFY-5, DFY-7).
module PostProcessorOperations
  module_function

  def extractor
    @extractor ||= HybridSearch::KeywordExtractor.new
  end

  def options(params)
    params.transform_keys(&:to_sym)
  end

  def read(given)
    HybridSearch::Document.build_many("documents", given["documents"])
  end

  # A copy of plain data.
  def plain(values)
    case values
    when ::Hash then values.transform_values { |value| plain(value) }
    when ::Array then values.map { |value| plain(value) }
    else values
    end
  end

  # The idf of every term, in the order of the documents.
  def weigh(trace, documents_terms)
    cosine = HybridSearch::PostProcessors::KeywordCosine
    idf = cosine.inverse_frequencies(documents_terms.map { |terms| cosine.distinct(terms) })
    trace.stage("weigh", idf.to_a)
  end

  def processor(params, model)
    options = options(params.fetch("options", {}))
    options[:reranking_model] = model if model
    mode = options.delete(:reranking_mode)
    HybridSearch::PostProcessor.new(mode, keyword_extractor: extractor, **options)
  end
end

Conformance.operation("post_processor.process") do |params, given, trace|
  model = given.key?("model") ? Conformance::ScriptedModel.new(given["model"]) : nil
  processor = PostProcessorOperations.processor(params, model)
  before = PostProcessorOperations.plain(given["documents"])
  process = PostProcessorOperations.options(params.fetch("process", {}))
  result = processor.process(given["query"], given["documents"], **process)
  trace.stage("tokenise", result.query_keywords)
  trace.stage("rerank", result.documents.map { |document| [document.doc_id, document.number("score")] })
  answer = result.to_h.merge("applied" => result.applied,
                             "unchanged" => PostProcessorOperations.plain(given["documents"]) == before)
  model ? answer.merge("asked" => model.asked) : answer
end

Conformance.operation("post_processor.cosines") do |_params, given, trace|
  PostProcessorOperations.weigh(trace, given["documents"])
  HybridSearch::PostProcessors::KeywordCosine.cosines(given["query"], given["documents"])
end

Conformance.operation("post_processor.keyword_scores") do |params, given, trace|
  extractor = PostProcessorOperations.extractor
  cosine = HybridSearch::PostProcessors::KeywordCosine.new(extractor, params["keyword_limit"])
  found = cosine.scores(given["query"], given["texts"])
  trace.stage("tokenise", [found.query_keywords, *found.document_keywords])
  PostProcessorOperations.weigh(trace, found.document_keywords)
  { "query_keywords" => found.query_keywords, "document_keywords" => found.document_keywords,
    "scores" => found.scores }
end

Conformance.operation("post_processor.documents") do |_params, given, trace|
  read = PostProcessorOperations.read(given)
  trace.stage("read", read.map(&:to_h))
  HybridSearch::PostProcessors::RankedList.deduplicate(read).map(&:to_h)
end

Conformance.operation("post_processor.cut") do |params, given, trace|
  documents = PostProcessorOperations.read(given)
  limits = HybridSearch::PostProcessors::RankedList.limits(params["score_threshold"], params["top_n"])
  trace.stage("read", documents.map { |document| [document.doc_id, document.number("score")] })
  trace.stage("threshold", limits)
  HybridSearch::PostProcessors::RankedList.cut(documents, *limits).map(&:to_h)
end

Conformance.operation("post_processor.reorder") do |_params, given, _trace|
  documents = given["texts"].map { |text| HybridSearch::Document.new(text) }
  HybridSearch::PostProcessors::RankedList.reorder(documents).map(&:page_content)
end

Conformance.operation("post_processor.weights") do |_params, given, _trace|
  parsed = HybridSearch::PostProcessors::ScoreWeights.parse(given["weights"])
  [parsed.vector_weight, parsed.keyword_weight]
end

Conformance.operation("post_processor.configuration") do |_params, given, _trace|
  parsed = HybridSearch::RetrievalConfiguration.parse(given["configuration"])
  again = HybridSearch::RetrievalConfiguration.parse(parsed.to_h)
  parsed.to_h.merge("same_again" => again.to_h == parsed.to_h)
end

Conformance.operation("post_processor.replaced") do |_params, given, _trace|
  checked = HybridSearch::RetrievalConfiguration.parse(given["configuration"])
  given["options"].map do |options|
    whole, again = [given["configuration"], checked].map do |value|
      HybridSearch::RetrievalConfiguration.parse(value, options).to_h
    rescue HybridSearch::Error => e
      { "error" => e.class.name.split("::").last, "message" => e.message }
    end
    { "settings" => whole, "same_of_checked" => again == whole }
  end
end

Conformance.operation("post_processor.conditions") do |_params, given, _trace|
  HybridSearch::MetadataConditions.filters(given["conditions"])
end

Conformance.operation("post_processor.from_configuration") do |params, given, trace|
  models = given["models"]
  if models.is_a?(::Hash)
    models = models.transform_values { |factor| Conformance::ScriptedModel.new({ "by_length" => factor }) }
  end
  options = PostProcessorOperations.options(params.fetch("options", {}))
  processor = HybridSearch::PostProcessor.from_configuration(given["configuration"], models, **options)
  trace.stage("read", HybridSearch::RetrievalConfiguration.parse(given["configuration"]).to_h)
  result = processor.process(given["query"], given["documents"])
  trace.stage("tokenise", result.query_keywords)
  result.to_h
end
