# frozen_string_literal: true

version = File.read(File.join(__dir__, "lib/hybrid_search.rb"), encoding: "UTF-8")[/^ *VERSION = "(.+)"$/, 1]

Gem::Specification.new do |spec|
  spec.name = "hybrid_search"
  spec.version = version
  spec.authors = ["The HybridSearch authors"]
  spec.summary = "Hybrid retrieval for Chinese and English: full text, dense vectors, fusion, rerank, stable pages"
  spec.description = "Full text and dense vectors, fusion, reranking and stable pagination for Chinese and English, " \
                     "in plain Ruby. Answers are the same, bit for bit, as those of the Python reference."
  spec.license = "MIT"
  spec.required_ruby_version = ">= 3.1"
  spec.metadata["rubygems_mfa_required"] = "true"
  spec.files = Dir.chdir(__dir__) do
    Dir["lib/**/*.rb", "data/**/*", "sig/**/*.{rbs,yaml}"].select { |path| File.file?(path) }.sort +
      %w[README.md LICENSE NOTICE CHANGELOG.md]
  end
end
