# frozen_string_literal: true

Gem::Specification.new do |spec|
  spec.name = "hybrid_search-native"
  spec.version = "0.1.0"
  spec.authors = ["The HybridSearch authors"]
  spec.summary = "Native kernels for hybrid_search: the dense scan and the sums of text postings, with the same bits"
  spec.description = "Optional C extension for hybrid_search, which finds and uses it. It returns the same bits as " \
                     "plain Ruby, in less time."
  spec.license = "MIT"
  spec.homepage = "https://github.com/OWNER/hybrid_search"
  spec.required_ruby_version = ">= 3.1"
  spec.metadata = {
    "bug_tracker_uri" => "#{spec.homepage}/issues",
    "changelog_uri" => "#{spec.homepage}/blob/main/CHANGELOG.md",
    "documentation_uri" => "#{spec.homepage}/tree/main/docs/native.md",
    "homepage_uri" => spec.homepage,
    "rubygems_mfa_required" => "true",
    "source_code_uri" => spec.homepage
  }
  spec.extensions = ["ext/hybrid_search_native/extconf.rb"]
  spec.files = Dir.chdir(__dir__) { Dir["lib/**/*.rb", "ext/**/*.{c,h,rb}", "README.md", "LICENSE", "NOTICE"].sort }
end
