# frozen_string_literal: true

require "open3"

# The library itself requires the parts of Ruby's standard library that it needs; a program need not require them.
RSpec.describe "the standard library" do
  root = File.expand_path("../lib", __dir__)

  it "is required for sets wherever they are used, because Ruby 3.1 does not load them by itself" do
    files = Dir.glob(File.join(root, "**/*.rb")).select { |file| File.read(file).match?(/\bto_set\b|\bSet\.new\b/) }
    expect(files.size).to be > 2
    expect(files.reject { |file| File.read(file).include?(%(require "set"\n)) }).to be_empty
  end

  it "gets no list of data as arguments, because a long list would exceed a thread's stack" do
    files = Dir.glob(File.join(root, "**/*.rb")).grep_v(%r{/cli/})
    calls = files.flat_map { |file| File.read(file).scan(/\b(?:values_at|push|except)\([^()\n]*\*[a-z].*/) }
    expect(calls.grep_v(/\*(self\.class\.|names\))/)).to be_empty # the few parts or settings of a class
  end

  it "is required for digests wherever they are used, because loading them at first use fails in threads" do
    files = Dir.glob(File.join(root, "**/*.rb")).select { |file| File.read(file).include?("Digest::SHA256") }
    expect(files.size).to be > 2
    expect(files.reject { |file| File.read(file).include?(%(require "digest/sha2"\n)) }).to be_empty
  end

  it "need not be required by a program that uses synonyms" do
    program = <<~RUBY
      require "hybrid_search"
      synonyms = HybridSearch::Synonyms.new(dictionary: { "car" => "automobile" })
      puts HybridSearch::QueryBuilder.new(synonyms:).build_bm25f_query("car").tokens.join(" ")
    RUBY
    output, status = Open3.capture2e(RbConfig.ruby, "--disable-gems", "-I", root, "-e", program)
    expect([output, status.success?]).to eq(["car car car car automobil\n", true])
  end
end
