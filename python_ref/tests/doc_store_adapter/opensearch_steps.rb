# frozen_string_literal: true

# Does with a store what a test says in plain data, as `opensearch_steps.py` does, and tells what came of it: one line
# of JSON in for each, one out.

require "json"
$LOAD_PATH.unshift File.expand_path("../../../ruby/lib", __dir__)
require "hybrid_search"
require_relative "../../../conformance/implementations/ruby/internals"

# Collects the lines of the log.
class Lines
  attr_reader :told

  def initialize
    @told = []
  end

  def warn(_program)
    @told << yield
  end
end

# Steps that are requests of a path, as an administrator sends them.
METHODS = { "close" => "POST", "remove" => "DELETE" }.freeze
KIT = HybridSearch::AdapterKit

def node(told)
  return KIT::Tree::Term.new(told) if told.is_a?(String)

  kind, *parts = told
  case kind
  when "any" then KIT::Tree::AnyOf.new(parts.map { |part| node(part) })
  when "boost" then KIT::Tree::Boost.new(node(parts[0]), parts[1])
  else KIT::Tree::Phrase.new(parts[0], slop: parts[1])
  end
end

def expression(told)
  if told.key?("vector")
    given = told.slice("field", "vector", "topn").transform_keys(&:to_sym)
    return KIT::MatchDenseExpr.new(**given, extra_options: told.slice("similarity"))
  end
  return KIT::FusionExpr.new(told["method"], told["topn"]) if told.key?("method")

  options = told["minimum"].nil? ? {} : { "minimum_should_match" => told["minimum"] }
  KIT::MatchTextExpr.new(fields: told["fields"], tree: node(told["tree"]), topn: told["topn"], extra_options: options)
end

def step(store, name, arguments)
  case name
  when *METHODS.keys
    request = HybridSearch::Stores::OpenSearch::OpenSearchClient::Request.new(METHODS[name], *arguments)
    !store.instance_variable_get(:@client).ask(request).nil?
  when "clean" then store.clean(**arguments.fetch(0, {}).transform_keys(&:to_sym))
  when "rank"
    exprs, *rest = arguments
    store.rank(exprs.map { |one| expression(one) }, *rest)
  when "search"
    given = arguments[0].transform_keys(&:to_sym)
    given[:match_exprs] = given.fetch(:match_exprs, []).map { |one| expression(one) }
    result = store.search(**given)
    [result.total, result.ids, result.fields]
  else store.public_send(name, *arguments)
  end
end

def hurried
  slept = 0.0
  clock = -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) + slept }
  HybridSearch::Client::Timing.new(clock:, now: -> { 1.5 }, sleep: ->(seconds) { slept += seconds },
                                   chance: -> { 0.0 })
end

def nameless(text, urls)
  [*urls].reduce(text) { |left, url| left.gsub(url, "URL") }
end

def play(url, steps, options)
  lines = HybridSearch.logger = Lines.new
  results = []
  begin
    made = options.delete("ragflow") ? :ragflow_index : :new
    options.each { |name, values| options[name] = values.method(:shift) if %w[password api_key].include?(name) }
    index = options.delete("index") || "i"
    given = { timing: hurried, timeout: 5.0, **options.transform_keys(&:to_sym) }
    store = HybridSearch::OpenSearchDocStore.public_send(made, url, index, **given)
    steps.each { |name, *arguments| results << step(store, name, arguments) }
  rescue HybridSearch::Error => e
    told = [e.class.name.split("::").last, nameless(e.message, url)]
  end
  { results:, error: told, log: lines.told.map { |line| nameless(line, url) } }
end

$stdout.sync = true
$stdin.each_line do |line|
  asked = JSON.parse(line)
  puts JSON.generate(play(asked["url"], asked["steps"], asked["options"]))
end
