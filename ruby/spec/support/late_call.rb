# frozen_string_literal: true

# Run in its own process: one call of a client that meets its deadline, and what happens to the process during the
# call and after it. Prints the outcome as JSON: {raised, later, hanging, threads, descriptors}.
require "hybrid_search"

# Code that loads its own libraries, so that a lock left behind would be met.
LIBRARIES = %w[set ostruct csv erb optparse tsort pstore English securerandom shellwords].freeze

def now
  Process.clock_gettime(Process::CLOCK_MONOTONIC)
end

def descriptors
  Dir.children("/proc/self/fd").size
end

# The caller's own work: any error raised here comes from elsewhere.
def work(seconds)
  until_at = now + seconds
  count = 0
  count += 1 while now < until_at
  nil
rescue Exception => e # rubocop:disable Lint/RescueException
  e.class.name
end

url, seconds, where = ARGV
before = descriptors
call = lambda do
  raised = begin
    HybridSearch::HttpReranker.new(url, "model", deadline: Float(seconds), connect_timeout: Float(seconds),
                                                 max_retries: 0).similarity("q", ["a"])
    nil
  rescue HybridSearch::Error => e
    e.message
  end
  [raised, work(0.5)]
end
raised, later = where == "main" ? call.call : Thread.new(&call).value
loading = LIBRARIES.map { |name| Thread.new { require name } }
hanging = LIBRARIES.zip(loading).reject { |_, thread| thread.join(5) }.map(&:first)
threads = (Thread.list - [Thread.main] - loading).size
require "json" # not before the call, whose own loading is under test
puts JSON.generate({ raised:, later:, hanging:, threads:, descriptors: descriptors - before })
$stdout.flush
exit!(0)
