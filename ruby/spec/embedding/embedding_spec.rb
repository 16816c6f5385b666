# frozen_string_literal: true

require "spec_helper"

RSpec.describe HybridSearch::Embedding do
  it "preserves a library error of the provider" do
    provider = ->(_texts) { raise HybridSearch::InvalidInputError, "of its own" }
    expect { described_class.new(provider).encode(["a"]) }.to raise_error(HybridSearch::InvalidInputError, "of its own")
  end

  it "preserves the cause of a provider's error" do
    provider = ->(_texts) { raise KeyError, "x" }
    expect { described_class.new(provider).encode(["a"]) }.to raise_error(HybridSearch::EmbeddingError) { |error|
      expect(error.cause).to be_a(KeyError)
    }
  end

  it "does not change the provider's vectors" do
    vectors = [[1, 2.0].freeze].freeze
    expect(described_class.new(->(_texts) { vectors }).encode(["a"])).to eq([[1.0, 2.0]])
  end

  # The part of RubyLLM that the code uses; some versions return only the vector for a list of one text.
  module_of = lambda do |alone|
    answer = Struct.new(:vectors)
    Module.new do
      define_singleton_method(:embed) do |given|
        vectors = Array(given).map { |text| [text.length, 1.0] }
        answer.new(given.is_a?(String) || (alone && vectors.size == 1) ? vectors[0] : vectors)
      end
    end
  end

  [true, false].each do |alone|
    it "accepts a module that embeds, such as RubyLLM#{", and reads a list of one vector as that vector" if alone}" do
      embedding = described_class.new(module_of.call(alone))
      expect(embedding.encode(%w[a bb])).to eq([[1.0, 1.0], [2.0, 1.0]])
      expect(embedding.encode(%w[ccc])).to eq([[3.0, 1.0]])
      expect(embedding.encode_queries("dddd")).to eq([4.0, 1.0])
      index = HybridSearch::Index.new(embedding: module_of.call(alone))
      index.add({ id: 1, content: "red wine" })
      expect(index.search("red").map(&:id)).to eq(["1"])
    end
  end

  it "refuses modules that embed nothing, and classes" do
    [Comparable, String].each do |given|
      expect { described_class.new(given) }.to raise_error(HybridSearch::InvalidInputError, /not the class #{given}\z/)
    end
  end

  it "accepts Enumerators, and refuses too many vectors of an endless one" do
    lazy = ->(texts) { texts.lazy.map { |text| [text.length, 1] } }
    expect(described_class.new(lazy).encode(%w[a bb])).to eq([[1.0, 1.0], [2.0, 1.0]])
    endless = ->(_texts) { Enumerator.produce { [1.0, 2.0] } }
    expect { described_class.new(endless).encode(%w[a b]) }
      .to raise_error(HybridSearch::EmbeddingError, "the embedding provider gave 3 vectors for 2 texts")
    failing = ->(texts) { texts.lazy.map { |text| Integer(text) } }
    expect { described_class.new(failing).encode(%w[a b]) }
      .to raise_error(HybridSearch::EmbeddingError, /\Athe embedding provider failed: ArgumentError: invalid value for/)
  end

  it "hashes similar texts near each other" do
    embedder = HybridSearch::HashingEmbedder.new
    cosine = lambda do |left, right|
      HybridSearch::Base::Numeric.dot(embedder.encode_queries(left), embedder.encode_queries(right))
    end
    expect(cosine.call("anything at all", "anything at all")).to be_within(1e-12).of(1.0)
    far = cosine.call("how to configure the rule engine", "annual report of the bank")
    expect(cosine.call("how to configure the rule engine", "configuring rule engines")).to be > far + 0.2
  end
end

RSpec.describe HybridSearch::Embedding, ".named" do
  it "creates the embedding of a service, with prefixes that follow from the name" do
    embedding = described_class.named("openai/intfloat/multilingual-e5-small", url: "http://127.0.0.1:1/v1",
                                                                               dimension: 384)
    expect([embedding.model, embedding.dimension]).to eq(["intfloat/multilingual-e5-small", 384])
  end

  it "is used by an index that gets a name" do
    index = HybridSearch::Index.new(embedding: "hashing")
    index.add(id: "1", content: "red wine")
    expect(index.search("wine").first.scores.cosine).to be_positive
  end

  it "names the missing gem, or where a model runs" do
    expect { described_class.named("model2vec") }
      .to raise_error(HybridSearch::ConfigurationError, /\Amodels of model2vec run in Python alone/)
    require "informers"
  rescue LoadError
    expect { described_class.named("fastembed") }
      .to raise_error(HybridSearch::ConfigurationError,
                      "the embedding fastembed needs informers: gem install informers")
  end

  it "refuses unknown options" do
    expect { described_class.named("hashing", prefix: "x") }
      .to raise_error(HybridSearch::InvalidInputError, /\Aunknown option "prefix"/)
  end
end
