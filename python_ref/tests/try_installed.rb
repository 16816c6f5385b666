# frozen_string_literal: true

# Tries what is typed, given as JSON, with the installed gem; prints, as JSON, what came back.
require "hybrid_search"
require "json"

path, records, entries = $stdin.each_line.map { |line| JSON.parse(line) }

def word_for
  yield
rescue HybridSearch::InvalidInputError => e
  e.message[/did you mean "(.*?)"/, 1]
end

def there?(library)
  require library
  true
rescue LoadError
  false
end

index = HybridSearch::Index.open(path, embedding: HybridSearch::HashingEmbedder.new)
other = HybridSearch::Index.new
[index, other].each { |one| one.add(records) }
page = index.search("rule")
hit = page[0]
told = entries.map do |entry|
  needs = entry["needs"]
  next "skipped: #{needs} is not installed" unless needs.nil? || there?(needs)

  binding.tap { |room| [index, other, page, hit, path] && room }.eval(entry["ruby"])
end
index.close
file = $LOADED_FEATURES.find { |name| name.end_with?("/lib/hybrid_search.rb") }
puts JSON.generate({ "file" => file, "told" => told })
