# frozen_string_literal: true

# Reads records into an index in memory, and answers one question as `hybrid-search search` does.

require "hybrid_search"
require "json"

path, dimension, question = ARGV
index = HybridSearch::Index.new(embedding: HybridSearch::HashingEmbedder.new(dimension: Integer(dimension)))
index.add(File.foreach(path, encoding: "UTF-8").lazy.map { |line| JSON.parse(line) })
$stdout.write(JSON.generate(index.search(question.dup.force_encoding("UTF-8")).to_h))
