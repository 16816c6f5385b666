# frozen_string_literal: true

require "logger"
require "stringio"

RSpec.describe HybridSearch::Base::Log do
  let(:lines) { StringIO.new }

  around do |example|
    before = HybridSearch.logger
    HybridSearch.logger = Logger.new(lines, formatter: ->(level, _, program, text) { "#{level} #{program} #{text}\n" })
    example.run
  ensure
    HybridSearch.logger = before
  end

  it "logs a failed rerank model in one line, whether the search continues or not" do
    index = HybridSearch::Index.new(rerank_model: ->(_, _) { raise "bad\u2028model\nsecond line" })
    index.add([{ id: "1", content: "apples" }])
    index.search("apples")
    expect { index.search("apples", fail_open: false) }.to raise_error(HybridSearch::RerankError)
    expect(lines.string.split("\n")).to eq(
      ["WARN hybrid_search ranked without the rerank model: the rerank model failed: RuntimeError: bad model",
       "WARN hybrid_search the rerank model failed: RuntimeError: bad model"]
    )
  end

  it "refuses a logger without warn, and continues if a logger fails" do
    expect { HybridSearch.logger = 5 }
      .to raise_error(HybridSearch::InvalidInputError, "logger must be an object with warn, not 5")
    failing = Object.new
    def failing.warn(*) = raise("disk full")
    HybridSearch.logger = failing
    expect(described_class.warning("a line")).to be_nil
  end

  it "is silent by default" do
    HybridSearch.logger = nil
    expect { described_class.warning("a line") }.not_to output.to_stderr
  end
end
