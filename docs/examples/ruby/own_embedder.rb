# frozen_string_literal: true

# An embedder of your own: any object with `encode` and `encode_queries`, here behind a cache.

require "hybrid_search"
require "zlib"

# Counts the pairs of letters of a text in 64 buckets; put your model here.
class LetterPairs
  def model
    "letter-pairs"
  end

  def dimension
    64
  end

  # The vector of a question; many models want a prefix here.
  def encode_queries(text)
    encode([text]).first
  end

  # The vectors of documents, in their order.
  def encode(texts)
    texts.map { |text| vector(text.downcase) }
  end

  private

  def vector(text)
    counts = Array.new(dimension, 0.0)
    text.each_char.each_cons(2) { |pair| counts[Zlib.crc32(pair.join) % dimension] += 1.0 }
    counts
  end
end

cache = HybridSearch::EmbeddingCache.new(LetterPairs.new, capacity: 1000)
index = HybridSearch::Index.new(embedding: cache)
records = [
  { id: "solar", content: "Solar panels on the roof, 屋顶上的太阳能电池板" },
  { id: "wind", content: "Wind turbines off the coast, 海上风力发电机" }
]
index.add(records)
["photovoltaic roofing", "海上的风", "photovoltaic roofing"].each do |question|
  hit = index.search(question).first
  puts "#{question} -> #{hit.id} #{hit.scores.bm25} #{hit.scores.cosine}"
end
puts "hits #{cache.hits}, misses #{cache.misses}"
