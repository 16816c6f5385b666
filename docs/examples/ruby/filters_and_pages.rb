# frozen_string_literal: true

# Filters, marked matches, counts by document, and a walk over all pages that returns every hit exactly once.

require "hybrid_search"

index = HybridSearch::Index.new(embedding: HybridSearch::HashingEmbedder.new(dimension: 128))
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

page = index.search(question, limit: 5, filters: { doc_id: ["welding"] }, highlight: true, facets: ["document_name"])
puts "#{page.total} hits on #{page.pages} pages: #{page.first.highlight}"
page.facets["document_name"].each { |entry| puts "#{entry["value"]} #{entry["count"]}" }

seen = []
cursor = nil
loop do
  page = index.search(question, limit: 5, filters: { kb_id: "handbooks" }, cursor:)
  puts "#{page.page} #{page.map(&:id).join(" ")}"
  seen.concat(page.map(&:id))
  cursor = page.next_cursor
  break if cursor.nil?
end
puts "#{seen.size} hits, #{seen.uniq.size} different, #{seen.count("welding-17")} of them not available"

# A page asked for by its number is the page of the walk.
third = index.search(question, page: 3, limit: 5, filters: { kb_id: "handbooks" })
puts "page 3: #{third.map(&:id).join(" ")}"
puts "#{third.first.document_name} #{third.first.metadata["chapter"]} #{third.first.content}"
