# frozen_string_literal: true

# Documents in, an answer out; 1.0 is what would be first by text and by meaning.

require "hybrid_search"

index = HybridSearch::Index.new(embedding: HybridSearch::HashingEmbedder.new(dimension: 256))
records = [
  { id: "1", title: "Assignment operators", content: "Rule 6-2-1 不应在子表达式中使用赋值运算符" },
  { id: "2", title: "Pagination", content: "Pages joined give every result once, 每条结果恰好出现一次" }
]
index.add(records)
index.search("规则 6-2-1 赋值运算符 怎么修改", limit: 10).each do |hit|
  puts [hit.id, hit.title, hit.score, hit.scores.cosine].join(" ")
end
