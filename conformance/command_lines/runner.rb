# frozen_string_literal: true

# The port's program for many command lines: a line of JSON in for each, a line out.

require "json"
require "stringio"
require "hybrid_search"

main = HybridSearch.const_get(:Cli)::Main
console = HybridSearch.const_get(:Cli)::Console

$stdin.each_line do |line|
  asked = JSON.parse(line)
  stdout = StringIO.new("".b)
  stderr = StringIO.new("".b)
  stdin = StringIO.new([asked["stdin"]].pack("H*"))
  kept = ENV.to_h
  ENV.update(asked["environment"])
  status = main.main(asked["arguments"], console.new(stdin:, stdout:, stderr:))
  ENV.replace(kept)
  told = [stdout, stderr].map { |stream| stream.string.force_encoding("UTF-8") }
  $stdout.puts(JSON.generate({ "stdout" => told[0], "stderr" => told[1], "status" => status }))
  $stdout.flush
end
