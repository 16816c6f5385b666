# frozen_string_literal: true

# Serves indexes under puma, as serve.py does under uvicorn; see there for its argument.
require "json"
require "hybrid_search"
require_relative "../implementations/ruby/internals"

# Makes services, and gives requests to the one that is mounted where they ask.
class Mounted
  def initialize(told)
    @services = told.to_h { |one| [one.fetch("at", ""), service(one)] }
  end

  def call(env)
    at, found = @services.find { |path, _| env["PATH_INFO"].start_with?("#{path}/") }
    return [404, { "content-type" => "text/plain" }, ["nothing is mounted here"]] unless found

    found.call(env.merge("SCRIPT_NAME" => env["SCRIPT_NAME"] + at, "PATH_INFO" => env["PATH_INFO"].delete_prefix(at)))
  end

  private

  def service(told)
    index = HybridSearch::Index.new(embedding: embedding(told), ranking_cache: HybridSearch::RankingCache.new,
                                    **told.fetch("index", {}).transform_keys(&:to_sym))
    index.add(documents(told.fetch("documents", [])))
    puts JSON.generate(asked(index, told)) if told["questions"]
    HybridSearch::HttpService.new(index, access_log: told["log"] && File.open(told["log"], "w"),
                                         **told.fetch("service", {}).transform_keys(&:to_sym))
  end

  # The milliseconds that each question takes in the process, and those of the processor that all of them take.
  def asked(index, told)
    plain = HybridSearch::Index.new(store: index.store, embedding: embedding(told),
                                    **told.fetch("index", {}).transform_keys(&:to_sym))
    processor = clock(Process::CLOCK_PROCESS_CPUTIME_ID)
    each = File.readlines(told["questions"], chomp: true, encoding: "UTF-8").map do |question|
      begun = clock(Process::CLOCK_MONOTONIC)
      plain.search(question).to_h
      clock(Process::CLOCK_MONOTONIC) - begun
    end
    { "each" => each, "processor" => clock(Process::CLOCK_PROCESS_CPUTIME_ID) - processor }
  end

  def clock(kind)
    1000.0 * Process.clock_gettime(kind)
  end

  def embedding(told)
    told["dimension"] && HybridSearch::HashingEmbedder.new(dimension: told["dimension"])
  end

  def documents(given)
    given.is_a?(String) ? File.readlines(given, encoding: "UTF-8").map { |line| JSON.parse(line) } : given
  end
end

HybridSearch::Server::HttpServer.new(Mounted.new(JSON.parse(ARGV.fetch(0))), "127.0.0.1", 0).run do |address|
  puts address
  $stdout.flush
end
