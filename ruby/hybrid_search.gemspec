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
  spec.homepage = "https://github.com/OWNER/hybrid_search"
  spec.required_ruby_version = ">= 3.1"
  spec.metadata = {
    "bug_tracker_uri" => "#{spec.homepage}/issues",
    "changelog_uri" => "#{spec.homepage}/blob/main/CHANGELOG.md",
    "documentation_uri" => "#{spec.homepage}/tree/main/docs",
    "homepage_uri" => spec.homepage,
    "rubygems_mfa_required" => "true",
    "source_code_uri" => spec.homepage
  }
  spec.bindir = "exe"
  spec.executables = ["hybrid-search"]
  spec.files = Dir.chdir(__dir__) do
    Dir["lib/**/*.{rb,rake,tt,yml}", "exe/*", "data/**/*", "sig/**/*.{rbs,yaml}"].select do |path|
      File.file?(path)
    end.sort +
      %w[README.md LICENSE NOTICE CHANGELOG.md]
  end
end
