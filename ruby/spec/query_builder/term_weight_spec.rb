# frozen_string_literal: true

require "spec_helper"
require_relative "../support/word_tokenizer"

RSpec.describe HybridSearch::TermWeight do
  subject(:weigher) { described_class.new(tokenizer: WordTokenizer.new) }

  it "returns weights that equal values computed by hand" do
    frequency = Math.log10(10 + ((1e7 - 4000 + 0.5) / (4000 + 0.5)))
    document_frequency = Math.log10(10 + ((1e9 - 150 + 0.5) / (150 + 0.5)))
    known = ((0.3 * frequency) + (0.7 * document_frequency)) * (1.0 * 3.0)
    other = (0.3 * Math.log10(10 + ((1e7 - 9.5) / 10.5))) + (0.7 * Math.log10(10 + ((1e9 - 2.5) / 3.5)))
    expect(weigher.weights(%w[known 9x], preprocess: false)).to eq(
      [["known", known / (known + other)], ["9x", other / (known + other)]]
    )
  end

  it "considers the parts of a long term" do
    expect(weigher.frequency("known_abcde")).to eq([10.0, 150.0 / 6.0].max)
    expect(weigher.frequency("known_a_b")).to eq(10.0)
  end

  it "merges terms as the clause states" do
    expect(weigher.merge(%w[多 工位 设备])).to eq(["多 工位", "设备"])
    expect(weigher.merge(%w[a b c])).to eq(["a b c"])
    expect(weigher.merge(%w[a b c d e f])).to eq(["a b", "c d e f"])
    expect(weigher.merge(%w[我 a b])).to eq(["我", "a b"])
  end

  it "joins Latin words, except func" do
    func = described_class.new(tokenizer: WordTokenizer.new, entities: { "flow" => "func" })
    expect(weigher.split("data flow 网络")).to eq(["data flow", "网络"])
    expect(func.split("data flow 网络")).to eq(%w[data flow 网络])
  end

  it "returns no weights for texts without terms" do
    expect(weigher.weights([])).to eq([])
    expect(weigher.weights(["的 我"])).to eq([])
  end

  it "refuses invalid tables and unknown options" do
    expect { described_class.new(tokenizer: WordTokenizer.new, entities: "/nowhere/entities.json") }
      .to raise_error(HybridSearch::ConfigurationError, %r{"/nowhere/entities.json" cannot be read})
    expect { described_class.new(entites: {}) }
      .to raise_error(HybridSearch::InvalidInputError, /did you mean "entities"/)
  end
end
