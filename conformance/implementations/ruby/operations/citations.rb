# frozen_string_literal: true

# Operations of citations (CIT-1 … CIT-3).
Conformance.operation("citations.sentences") do |_params, given, _trace|
  HybridSearch::Search::AnswerSentences.answer_sentences(given).map { |one| [one.start, one.text] }
end

Conformance.operation("citations.cite") do |params, given, _trace|
  dimension = params["dimension"]
  embedding = dimension && HybridSearch::HashingEmbedder.new(dimension:)
  index = HybridSearch::Index.new(embedding:, **Conformance::Stores.of_index)
  index.add(given["records"])
  hits = given.key?("question") ? index.search(given["question"]) : given["hits"]
  index.cite(given["answer"], hits, **(params["options"] || {}).transform_keys(&:to_sym)).to_h
end
