# frozen_string_literal: true

# Serves an index under puma, as serve.py does under uvicorn; see there for its argument.
require "json"
require "hybrid_search"
require_relative "../implementations/ruby/internals"

told = JSON.parse(ARGV.fetch(0))
embedding = told["dimension"] && HybridSearch::HashingEmbedder.new(dimension: told["dimension"])
index = HybridSearch::Index.new(embedding:, ranking_cache: HybridSearch::RankingCache.new,
                                **told.fetch("index", {}).transform_keys(&:to_sym))
documents = told.fetch("documents", [])
documents = File.readlines(documents, encoding: "UTF-8").map { |line| JSON.parse(line) } if documents.is_a?(String)
index.add(documents)
service = HybridSearch::HttpService.new(index, access_log: told["log"] && File.open(told["log"], "w"),
                                               **told.fetch("service", {}).transform_keys(&:to_sym))
HybridSearch::Http::HttpServer.new(service, "127.0.0.1", 0).run do |address|
  puts address
  $stdout.flush
end
