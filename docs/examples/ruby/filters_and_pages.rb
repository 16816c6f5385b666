# frozen_string_literal: true

# Filters, marked matches, counts by document, and a walk over all pages that gives every hit exactly once.

require "hybrid_search"

index = HybridSearch::Index.new(embedding: HybridSearch::HashingEmbedder.new(dimension: 128), similarity_threshold: 0.0)
records = %w[welding painting].product([*11..22]).map do |book, number|
  {
    id: "#{book}-#{number}",
    content: "Rule #{number} of the #{book} handbook, 手册规则 #{number}",
    doc_id: book,
    document_name: "#{book} handbook",
    kb_id: "handbooks",
    metadata: { chapter: number % 3 },
    available: number != 17
  }
end
index.add(records)
question = "handbook rule 手册规则"

page = index.search(question, page_size: 5, filters: { doc_id: ["welding"] }, highlight: true)
puts "#{page.total} hits#{", more to come" if page.has_more}: #{page.chunks.first.highlight}"
page.doc_aggs.each { |entry| puts "#{entry["doc_name"]} #{entry["count"]}" }

seen = []
index.each_page(question, page_size: 5, filters: { kb_id: "handbooks" }) do |one|
  puts "#{one.page} #{one.map(&:chunk_id).join(" ")}"
  seen.concat(one.map(&:chunk_id))
end
puts "#{seen.size} hits, #{seen.uniq.size} different, #{seen.count("welding-17")} of them not available"

# A page asked for by its number is the page of the walk.
third = index.search(question, page: 3, page_size: 5, filters: { kb_id: "handbooks" })
puts "page 3: #{third.map(&:chunk_id).join(" ")}"
puts "#{third.first.document_name} #{third.first.metadata["chapter"]} #{third.first.content}"
