# frozen_string_literal: true

# Operations of the document builder (IDX-1, IDX-2).

# The fields that hold the tokens of the tokenizer.
tokens = %w[content_ltks title_tks important_tks question_tks]

Conformance.operation("document_builder.build") do |params, given, trace|
  dimension = params["dimension"]
  embedding = dimension && HybridSearch::Embedding.new(HybridSearch::HashingEmbedder.new(dimension:))
  builder = HybridSearch::DocumentBuilder.new(embedding:, title_weight: params["title_weight"],
                                              any_vectors: params.fetch("any_vectors", false))
  documents = builder.build_many(Conformance::OwnTypes.read(given["records"]))
  trace.stage("tokenise", documents.map { |document| tokens.map { |field| document[field] } })
  documents
end
