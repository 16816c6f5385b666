# frozen_string_literal: true

require "spec_helper"
require "support/model_server"

RSpec.describe HybridSearch::OpenAiEmbedder do
  let(:server) { ModelServer.shared }
  let(:hashing) { HybridSearch::HashingEmbedder.new(dimension: 64) }
  let(:texts) { ["a red fox", "规则 6-2-1", "", "🦊"] }

  it "is a provider for Embedding" do
    client = described_class.new(server.tell("rb-embed", [{ "reversed" => true }]), "hashing", batch_size: 3)
    embedding = HybridSearch::Embedding.new(client)
    expect(embedding.encode(texts)).to eq(hashing.encode(texts))
    expect(embedding.encode_queries("fox")).to eq(hashing.encode_queries("fox"))
    expect([embedding.model, embedding.dimension]).to eq(["hashing", 64])
    expect(server.log("rb-embed").map { |entry| entry["body"]["input"].size }).to eq([3, 1, 1])
  end

  it "reads 32-bit floats in base64" do
    client = described_class.new(server.tell("rb-base64"), "hashing", encoding_format: "base64")
    single = hashing.encode(texts).map { |vector| vector.pack("e*").unpack("e*") }
    expect(client.encode(texts)).to eq(single)
  end

  it "puts prefixes before queries and passages" do
    client = described_class.new(server.tell("rb-prefix"), "hashing", query_prefix: "query: ", passage_prefix: "p: ")
    client.encode_queries("a")
    client.encode(["b"])
    expect(server.log("rb-prefix").map { |entry| entry["body"]["input"] }).to eq([["query: a"], ["p: b"]])
  end

  it "is called once for cached texts, and again after an error" do
    url = server.tell("rb-cache", [{ "status" => 401, "raw" => '{"error": {"message": "no"}}' }])
    cache = HybridSearch::EmbeddingCache.new(described_class.new(url, "hashing"))
    expect { cache.encode_queries("a") }
      .to raise_error(HybridSearch::EmbeddingError, /the embedding service at .* returned status 401: "no"\z/)
    2.times { cache.encode_queries("a") }
    expect(server.log("rb-cache").size).to eq(2)
  end

  it "refuses vectors of another length" do
    client = described_class.new(server.tell("rb-length"), "hashing", dimension: 3)
    expect { client.encode(["a"]) }
      .to raise_error(HybridSearch::EmbeddingError, /data\[0\].embedding must have 3 components, not 64\z/)
  end

  it "refuses base64 whose components would take too much memory" do
    client = described_class.new("http://localhost/v1", "model", max_response_bytes: 2)
    answer = ->(size) { { "data" => [{ "index" => 0, "embedding" => ["\0\0\x80?" * size].pack("m0") }] } }
    expect(client.read(answer.call(768), 1)[0].size).to eq(768)
    expect { client.read(answer.call(769), 1) }
      .to raise_error(HybridSearch::EmbeddingError, /returned vectors that would take too much memory/)
  end
end
