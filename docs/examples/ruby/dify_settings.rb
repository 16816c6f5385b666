# frozen_string_literal: true

# One question under several of Dify's retrieval settings, as a knowledge base stores them.

require "hybrid_search"
require "json"

store = HybridSearch::MemoryDocStore.new
embedder = HybridSearch::HashingEmbedder.new(dimension: 256)
records = [
  { id: "1", doc_id: "rules", content: "Rule 6-2-1 不应在子表达式中使用赋值运算符" },
  { id: "2", doc_id: "rules", content: "Rule 6-2-11 每行只写一条语句" },
  { id: "3", doc_id: "notes", content: "How to change an assignment, 怎么修改" }
]
HybridSearch::Index.new(store:, embedding: embedder).add(records)
weights = { vector_setting: { vector_weight: 0.3 }, keyword_setting: { keyword_weight: 0.7 } }
stored = [
  { search_method: "semantic_search", top_k: 2 },
  { search_method: "full_text_search", top_k: 2 },
  { search_method: "keyword_search", top_k: 2 },
  { search_method: "hybrid_search", top_k: 2, reranking_mode: "weighted_score", weights: },
  {
    search_method: "hybrid_search",
    top_k: 2,
    reranking_enable: true,
    reranking_mode: "reranking_model",
    reranking_model: { reranking_provider_name: "own", reranking_model_name: "shortest" }
  }
]
shortest = ->(_query, texts) { texts.map { |text| 1.0 / text.length } }
service = HybridSearch::RetrievalService.new(store, embedding: embedder, models: { "shortest" => shortest })
stored.each do |settings|
  result = service.retrieve("Rule 6-2-1 怎么修改", configuration: JSON.generate(settings))
  found = result.documents.map { |document| "#{document.doc_id}: #{document.metadata["score"]}" }
  puts [settings[:search_method], settings.fetch(:reranking_mode, "-"), *found].join(" ")
end
