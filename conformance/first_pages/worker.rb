# frozen_string_literal: true

# First pages from a store in OpenSearch or OceanBase, in Ruby: one line of JSON opens it or asks, one line answers.

$LOAD_PATH.unshift(File.expand_path("../../ruby/lib", __dir__))

require "json"
require "hybrid_search"

# Answers with first pages.
class FirstPages
  PARTS = %i[similarity term_similarity vector_similarity].freeze

  def initialize(opening)
    store = store_of(opening)
    embedding = ->(texts) { texts.map { @vector } } if opening["embeds"]
    @retriever = HybridSearch::Retriever.new(store, HybridSearch::QueryBuilder.new, embedding)
  end

  def store_of(opening)
    dense = opening["dense"]
    if opening["kind"] == "oceanbase"
      return HybridSearch::OceanBaseDocStore.new(opening["url"], collection: opening["collection"], dense:)
    end

    HybridSearch::OpenSearchDocStore.new(opening["url"], opening["index"], dense:)
  end

  # @return [Array<Array<String>>] the rows of a page
  def page(asked)
    @vector = asked["vector"]
    @retriever.retrieve(asked["question"], weights: asked["weights"]).chunks.map do |chunk|
      [chunk.chunk_id, *PARTS.map { |part| [chunk.public_send(part)].pack("G").unpack1("H*") }]
    end
  end
end

pages = nil
$stdin.set_encoding(Encoding::UTF_8)
$stdin.each_line do |line|
  asked = JSON.parse(line)
  if asked.key?("kind")
    pages = FirstPages.new(asked)
    answer = nil
  else
    answer = pages.page(asked)
  end
  $stdout.write(JSON.generate(answer), "\n")
  $stdout.flush
end
