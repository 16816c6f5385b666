# frozen_string_literal: true

# A store in a process of its own, the twin of `conformance/engine_faults/worker.py`.

$LOAD_PATH.unshift(File.expand_path("../../ruby/lib", __dir__))

require "json"
require "hybrid_search"

# Answers for a store.
module FaultWorker
  Kit = HybridSearch::AdapterKit
  CHANGES = %w[insert update upsert delete].freeze

  module_function

  # @return [HybridSearch::DocStoreAdapter] the store of a kind
  def opened(kind, options)
    given = options.transform_keys(&:to_sym)
    return HybridSearch::PostgresDocStore.new(given.delete(:connection), **given) if kind == "postgres"
    return HybridSearch::OceanBaseDocStore.new(given.delete(:url), **given) if kind == "oceanbase"

    HybridSearch::OpenSearchDocStore.new(given.delete(:url), given.delete(:index), **given)
  end

  # @return [Object] what a store answers
  def answer(store, method, given)
    return store.public_send(method, given) if CHANGES.include?(method) || method == "get"
    return store.count if method == "count"
    return pair(store, given) if method == "pair"
    return store.search(filters: { "pair_kwd" => given }, limit: 1).total if method == "total"
    return found(store, given) if method == "found"

    store.rank([expression(given)])
  end

  def found(store, given)
    store.rank([expression(given["question"])], { "pair_kwd" => given["pair"] }).map(&:first).sort
  end

  def pair(store, name)
    found = store.search(select_fields: ["version_int"], filters: { "pair_kwd" => name }, limit: 4)
    found.ids.map { |id| [id, found.fields[id]["version_int"]] }.sort
  end

  # @return [Object] the match expression of a question: terms, or a vector
  def expression(question)
    topn = question["topn"]
    return Kit::MatchDenseExpr.new(field: "q_8_vec", vector: question["vector"], topn:) if question.key?("vector")

    children = question["terms"].map { |term| Kit::Tree::Term.new(term) }
    tree = Kit::Tree::AnyOf.new(children)
    Kit::MatchTextExpr.new(fields: [["content_ltks", 1.0]], tree:, topn:)
  end
end

store = nil
$stdin.set_encoding(Encoding::UTF_8)
$stdin.each_line do |line|
  request = JSON.parse(line)
  begun = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  begin
    if request["do"] == "open"
      store = FaultWorker.opened(request["kind"], request["options"])
      reply = { "value" => nil }
    else
      reply = { "value" => FaultWorker.answer(store, request["do"], request["given"]) }
    end
  rescue HybridSearch::Error => e
    reply = { "error" => e.class.name.split("::").last, "message" => e.message }
  end
  reply["seconds"] = Process.clock_gettime(Process::CLOCK_MONOTONIC) - begun
  $stdout.write(JSON.generate(reply), "\n")
  $stdout.flush
end
