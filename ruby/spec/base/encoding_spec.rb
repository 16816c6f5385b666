# frozen_string_literal: true

require "spec_helper"
require "open3"
require "rbconfig"

# The library's input and output do not depend on the encodings a process was started with.
RSpec.describe "The encodings of a process" do
  library = File.expand_path("../../lib", __dir__)
  program = <<~'RUBY'
    require "hybrid_search"
    Dir[File.join(ARGV[0], "hybrid_search/**/*.rb")].sort.each do |path|
      require path unless path.match?(%r{/(?:railtie|rails)\.rb\z|/rails/})
    end
    index = HybridSearch::Index.new(embedding: HybridSearch::HashingEmbedder.new)
    index.add([{ id: "1", title: "\u592a\u967d\u80fd.pdf", content: "\u592a\u9633\u80fd\u7535\u6c60\u677f\u7684\u8d28\u4fdd MISRA 6-2-1" }])
    words = HybridSearch::KeywordExtractor.new.extract("\u592a\u9633\u80fd\u7535\u6c60\u677f").words
    found = index.search("\u592a\u9633\u80fd\u7535\u6c60 running 6-2-1", include: "tokens")
    $stdout.binmode.write([words, found.map { |hit| [hit.id, hit.score, hit.tokens] }].to_json)
  RUBY

  run = lambda do |options, environment|
    output, status = Open3.capture2e(environment, RbConfig.ruby, *options, "-I", library, "-e", program, "--", library)
    [status.success?, output.b]
  end

  by_night = { nightly: "as is", by_day: false }
  { "-E GBK:GBK" => {}, "-E UTF-8:GB18030" => by_night, "-E ASCII-8BIT" => by_night, "-E GBK:UTF-8" => by_night,
    "-E UTF-8:Shift_JIS" => by_night }.each do |options, tags|
    it "changes nothing with #{options}, and in the locale C", **tags do
      expected = run.call(%w[-E UTF-8], { "LC_ALL" => "C.UTF-8" })
      expect(expected[0]).to be(true), expected[1]
      expect(run.call(options.split, { "LC_ALL" => "C.UTF-8" })).to eq(expected)
      expect(run.call([], { "LC_ALL" => "C" })).to eq(expected)
    end
  end

  it "is named if a text cannot be converted" do
    text = ->(bytes, encoding) { HybridSearch::Base::Validation.text("question", bytes.dup.force_encoding(encoding)) }
    expect(text.call("\xCC\xAB", "GBK")).to eq("\u592A")
    expect(text.call("\x2A\x59", "UTF-16LE")).to eq("\u592A")
    expect(text.call("\u592A", "BINARY")).to eq("\u592A")
    { "US-ASCII" => "\u592A", "GBK" => "\xFF\xFF", "UTF-16LE" => "\x00\xD8", "UTF-7" => "a" }.each do |encoding, bytes|
      expect { text.call(bytes, encoding) }.to raise_error(
        HybridSearch::InvalidInputError, "question is a text in #{encoding} that cannot be converted to UTF-8"
      )
    end
    expect do
      text.call("\xFF", "BINARY")
    end.to raise_error(HybridSearch::InvalidInputError, "question must be a text, not a binary String that is no UTF-8")
  end

  it "omits source code from the message of a failing model" do
    model = ->(_query, texts) { texts.undefined_secret_method }
    _, warning = HybridSearch::Rerankers::RerankModel.new(model).attempt("q", ["a"])
    expect(warning).to start_with("ranked without the rerank model: the rerank model failed: NoMethodError: undefined")
    expect(warning).not_to include("texts.undefined_secret_method")
    expect(warning.lines.size).to eq(1)
  end
end
