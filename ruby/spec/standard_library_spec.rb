# frozen_string_literal: true

require "open3"

# What the library needs of Ruby's standard library it requires itself: a program may have required nothing.
RSpec.describe "the standard library" do
  root = File.expand_path("../lib", __dir__)

  it "has sets required wherever they are used, as Ruby 3.1 has none by itself" do
    files = Dir.glob(File.join(root, "**/*.rb")).select { |file| File.read(file).match?(/\bto_set\b|\bSet\.new\b/) }
    expect(files.size).to be > 2
    expect(files.reject { |file| File.read(file).include?(%(require "set"\n)) }).to be_empty
  end

  it "gives no list of data as arguments, of which some hundred thousand are more than a thread's stack holds" do
    files = Dir.glob(File.join(root, "**/*.rb")).grep_v(%r{/cli/})
    calls = files.flat_map { |file| File.read(file).scan(/\b(?:values_at|push|except)\([^()\n]*\*[a-z].*/) }
    expect(calls.grep_v(/\*(self\.class\.|names\))/)).to be_empty # the few parts or settings of a class
  end

  it "has the class of digests required, as Ruby loads it at its first use otherwise, which fails in threads" do
    files = Dir.glob(File.join(root, "**/*.rb")).select { |file| File.read(file).include?("Digest::SHA256") }
    expect(files.size).to be > 2
    expect(files.reject { |file| File.read(file).include?(%(require "digest/sha2"\n)) }).to be_empty
  end

  it "has a question with synonyms answered by a program that has required nothing else" do
    program = <<~RUBY
      require "hybrid_search"
      synonyms = HybridSearch::Synonyms.new(dictionary: { "car" => "automobile" })
      puts HybridSearch::QueryBuilder.new(synonyms:).build_bm25f_query("car").tokens.join(" ")
    RUBY
    output, status = Open3.capture2e(RbConfig.ruby, "--disable-gems", "-I", root, "-e", program)
    expect([output, status.success?]).to eq(["car car car car automobil\n", true])
  end
end
