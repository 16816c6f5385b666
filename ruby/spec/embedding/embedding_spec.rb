# frozen_string_literal: true

require "spec_helper"

RSpec.describe HybridSearch::Embedding do
  it "keeps the provider's own library error" do
    provider = ->(_texts) { raise HybridSearch::InvalidInputError, "of its own" }
    expect { described_class.new(provider).encode(["a"]) }.to raise_error(HybridSearch::InvalidInputError, "of its own")
  end

  it "keeps the cause of a provider's error" do
    provider = ->(_texts) { raise KeyError, "x" }
    expect { described_class.new(provider).encode(["a"]) }.to raise_error(HybridSearch::EmbeddingError) { |error|
      expect(error.cause).to be_a(KeyError)
    }
  end

  it "does not change the provider's vectors" do
    vectors = [[1, 2.0].freeze].freeze
    expect(described_class.new(->(_texts) { vectors }).encode(["a"])).to eq([[1.0, 2.0]])
  end

  it "hashes like texts near each other" do
    embedder = HybridSearch::HashingEmbedder.new
    cosine = lambda do |left, right|
      HybridSearch::Numeric.dot(embedder.encode_queries(left), embedder.encode_queries(right))
    end
    expect(cosine.call("anything at all", "anything at all")).to be_within(1e-12).of(1.0)
    far = cosine.call("how to configure the rule engine", "annual report of the bank")
    expect(cosine.call("how to configure the rule engine", "configuring rule engines")).to be > far + 0.2
  end
end
