# frozen_string_literal: true

# Own attributes: filters on them, an order, browsing without a question, counts of their values.

require "date"
require "hybrid_search"

index = HybridSearch::Index.new
invoices = [[1, "bricks", 1, "Ulm"], [2, "bricks", 3, "Bonn"], [3, "tiles", 3, "Ulm"], [4, "tiles", 4, "Kiel"]]
records = invoices.map do |number, goods, month, town|
  {
    id: number,
    content: "Invoice #{number} for #{goods}",
    document_name: "#{goods} invoices",
    metadata: { goods:, total: 100 * number, sent: Date.new(2024, month, 15), paid: number.even?, to: { town: } }
  }
end
index.add(records)

[
  { "metadata.goods" => "tiles" },
  { "metadata.total" => { gte: 200, lt: 400 } },
  { "metadata.sent" => { gte: Date.new(2024, 3, 1) }, not: { "metadata.paid" => true } },
  { any: [{ "metadata.to.town" => %w[Bonn Kiel] }, { document_name: "tiles invoices" }] }
].each { |filters| puts index.search("invoice", filters:).map(&:id).sort.join(" ") }

page = index.search("invoice", order_by: [%w[metadata.sent desc], %w[metadata.total asc]])
puts "#{page.map(&:id).join(" ")} #{page.first.metadata["sent"]}"

facets = %w[metadata.goods metadata.to.town]
pages = [1, 2].map { |number| index.search(match_all: true, limit: 3, page: number, facets:) }
pages.each { |one| puts "#{one.page} #{one.map(&:id).join(" ")}" }
pages.last.facets.each do |name, counts|
  puts "#{name} #{counts.map { |entry| "#{entry["value"]}:#{entry["count"]}" }.join(" ")}"
end

begin
  index.search("invoice", filters: { goods: "tiles" })
rescue HybridSearch::InvalidInputError => e
  puts e.message.split(" Known").first
end
