# frozen_string_literal: true

# Reads an index as RAGFlow makes it: one JSON object in that says what is asked, one out with the answers.

require "json"
$LOAD_PATH.unshift File.expand_path("../../../ruby/lib", __dir__)
require "hybrid_search"

PARTS = %i[similarity term_similarity vector_similarity].freeze

def shown(page)
  rows = page.chunks.map do |chunk|
    [chunk.chunk_id, *PARTS.map { |part| [chunk.public_send(part)].pack("G").unpack1("H*") }]
  end
  { total: page.total, chunks: rows }
end

def refused(store)
  store.insert([{ "id" => "new" }])
  nil
rescue HybridSearch::DocStoreError => e
  e.message
end

asked = JSON.parse($stdin.read)
store = HybridSearch::OpenSearchDocStore.ragflow_index(asked["urls"], asked["name"])
embedding = ->(texts) { texts.map { |text| asked["vectors"].fetch(text) } }
retriever = HybridSearch::Retriever.new(store, HybridSearch::QueryBuilder.new, embedding)
pages = asked["asked"].map { |question, options| retriever.retrieve(question, **options.transform_keys(&:to_sym)) }
puts JSON.generate(
  count: store.count,
  document: store.get("c007"),
  filtered: asked["filters"].map { |filters| store.rank([], filters).map(&:first).sort },
  pages: pages.map { |page| shown(page) },
  refused: refused(store)
)
