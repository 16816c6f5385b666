# frozen_string_literal: true

# Runs calls of the Ruby clients: reads a list of them as JSON, writes what came of each as JSON, floats as bits.
require_relative "../../../conformance/implementations/ruby/internals"
require "json"

SECRET = ENV.fetch("CLIENTS_SECRET")

def plain(value)
  case value
  when Float then HybridSearch::Base::Numeric.to_bits(value)
  when Array then value.map { |item| plain(item) }
  else value
  end
end

def client(call)
  options = call["options"].transform_keys(&:to_sym)
  options[:api_key] = -> { SECRET } if call["key"]
  case call["kind"]
  when "embedder" then HybridSearch::OpenAiEmbedder.new(call["url"], "model", **options)
  when "tei" then HybridSearch::HttpReranker.new("#{call["url"]}/tei/rerank", shape: "tei", **options)
  else HybridSearch::HttpReranker.new("#{call["url"]}/rerank", "model", **options)
  end
end

def partial(client, call)
  texts = call["texts"]
  ids = texts.each_index.map { |index| "d#{index}" }
  fusion = call["name"].end_with?("linear") ? "linear" : "replace"
  rerank = HybridSearch::PartialRerank.new(client, rerank_fusion: fusion, fail_open: call.fetch("fail_open", true))
  scores = ids.each_index.map { |index| 1.0 / (index + 1) }
  outcome = rerank.rerank(call["query"], ids, scores, ->(id) { texts[id.delete("d").to_i] })
  [outcome.entries.map { |entry| [entry.id, entry.tier, entry.score] }, outcome.status, outcome.warnings]
end

def act(call)
  client = client(call)
  case call["kind"]
  when "embedder" then client.encode(call["texts"])
  when "partial" then partial(client, call)
  when "many" then Array.new(8) { Thread.new { client.similarity(call["query"], call["texts"]) } }.map(&:value)
  else client.similarity(call["query"], call["texts"])
  end
end

# Keeps the lines of the library's log.
class Lines < Array
  def warn(_program)
    push(yield)
  end
end

outcomes = JSON.parse($stdin.read).map do |call|
  started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  HybridSearch.logger = Lines.new
  outcome = begin
    { "value" => plain(act(call)) }
  rescue HybridSearch::Error => e
    { "error" => [e.class.name.split("::").last, e.message], "shown" => [e.full_message, e.inspect] }
  end
  outcome["lines"] = HybridSearch.logger
  outcome["inspect"] = client(call).inspect
  outcome["seconds"] = Process.clock_gettime(Process::CLOCK_MONOTONIC) - started
  outcome
end
puts JSON.generate(outcomes)
