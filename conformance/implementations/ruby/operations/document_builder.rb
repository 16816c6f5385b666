# frozen_string_literal: true

# Operations of the document builder (IDX-1, IDX-2).

Conformance.operation("document_builder.build") do |params, given, _trace|
  dimension = params["dimension"]
  embedding = dimension && HybridSearch::Embedding.new(HybridSearch::HashingEmbedder.new(dimension:))
  builder = HybridSearch::DocumentBuilder.new(embedding:, title_weight: params["title_weight"],
                                              any_vectors: params.fetch("any_vectors", false))
  builder.build_many(Conformance::OwnTypes.read(given["records"]))
end
