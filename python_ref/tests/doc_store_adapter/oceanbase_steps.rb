# frozen_string_literal: true

# Makes a store in OceanBase and calls its methods, a line of JSON for each: {"open": [url, options]} or
# {"call": [method, argument…]}; prints what it gives, or its error.

$LOAD_PATH.unshift(File.expand_path("../../../ruby/lib", __dir__))
require "hybrid_search"
require "json"

$stdout.sync = true
store = nil
$stdin.each_line do |line|
  asked = JSON.parse(line)
  begin
    if asked.key?("open")
      url, options = asked["open"]
      store = HybridSearch::OceanBaseDocStore.new(url, **options.transform_keys(&:to_sym))
      told = { "gives" => nil }
    else
      told = { "gives" => store.public_send(*asked["call"]) }
    end
  rescue HybridSearch::Error => e
    told = { "error" => [e.class.name.delete_prefix("HybridSearch::"), e.message] }
  end
  puts JSON.generate(told)
end
