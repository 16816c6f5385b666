# frozen_string_literal: true

# A worker process in Ruby, the twin of `conformance/growth/worker.py`.

$LOAD_PATH.unshift(__dir__, File.expand_path("../../../ruby/lib", __dir__))

require "json"
require_relative "../../implementations/ruby/internals"
require "operations"

# Times the operations.
module Growth
  module_function

  # @return [Array<Float>] the fewest seconds of processor time for each text; what makes the operation ready does not
  #   count
  def seconds(operation, texts, repeats)
    best = Array.new(texts.size, Float::INFINITY)
    repeats.times do
      texts.each_with_index do |text, place|
        ready = operation.call(text)
        begun = working_time
        ready.call
        best[place] = [best[place], working_time - begun].min
      end
    end
    best
  end

  # Seconds of processor time without the collections of garbage: when these happen depends on what was done before,
  # and they take no longer than making what they collect.
  def working_time
    Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) - (GC.total_time / 1e9)
  end
end

known = Growth::OPERATIONS.merge(Growth::PROOFS)
known.fetch("tokenize").call("warm").call
$stdin.set_encoding(Encoding::UTF_8)
$stdin.each_line do |line|
  request = JSON.parse(line)
  name = request["operation"]
  value = name ? Growth.seconds(known.fetch(name), request["texts"], request["repeats"]) : Growth::OPERATIONS.keys
  $stdout.write(JSON.generate({ "value" => value }), "\n")
  $stdout.flush
end
