# frozen_string_literal: true

require "spec_helper"
require "support/model_server"

RSpec.describe HybridSearch::HttpReranker do
  let(:server) { ModelServer.shared }
  let(:texts) { ["a red fox", "the dog", "规则 6-2-1", "", "red"] }
  let(:cosines) do
    embedder = HybridSearch::HashingEmbedder.new(dimension: 64)
    query = embedder.encode_queries("red fox")
    embedder.encode(texts).map { |vector| HybridSearch::Base::Numeric.cosine(query, vector) }
  end
  let(:slept) { [] }
  # A clock that advances only while a caller sleeps.
  let(:timing) do
    HybridSearch::Client::Timing.new(clock: -> { 1000.0 + slept.inject(0.0) { |total, seconds| total + seconds } },
                                     now: -> { 1_445_412_480.0 }, sleep: ->(seconds) { slept << seconds },
                                     chance: -> { 0.5 })
  end
  let(:busy) { { "status" => 503, "raw" => '{"error": {"message": "busy"}}' } }

  def reranker(name, steps = [], **options)
    described_class.new("#{server.tell("rb-#{name}", steps)}/rerank", "model", **options)
  end

  def ask(name, steps = [], **options)
    reranker(name, steps, **options).similarity("red fox", texts)
  end

  def seconds
    started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    yield
    Process.clock_gettime(Process::CLOCK_MONOTONIC) - started
  end

  it "returns the service's scores in the order of the texts" do
    expect(ask("plain")).to eq(cosines)
    expect(ask("batches", [{ "reversed" => true }] * 3, batch_size: 2)).to eq(cosines)
    expect(server.log("rb-batches").size).to eq(3)
  end

  it "supports the format of Text Embeddings Inference" do
    client = described_class.new("#{server.tell("rb-tei")}/tei/rerank", shape: "tei")
    expect(client.similarity("red fox", texts)).to eq(cosines)
  end

  it "waits twice as long after each failure, or as long as the service requests" do
    steps = [busy, busy, { "status" => 429, "headers" => { "Retry-After" => "7" } },
             { "status" => 503, "headers" => { "Retry-After" => "Wed, 21 Oct 2015 07:28:03 GMT" } }]
    expect(ask("waits", steps, max_retries: 4, timing:)).to eq(cosines)
    expect(slept).to eq([0.375, 0.75, 7.0, 3.0])
  end

  it "does not wait beyond the deadline" do
    steps = [{ "status" => 503, "headers" => { "Retry-After" => "6" } }] * 9
    expect { ask("beyond", steps, max_retries: 9, deadline: 15.0, timing:) }
      .to raise_error(HybridSearch::RerankError, /returned status 503, 3 attempts, too late for another\z/)
    expect(server.log("rb-beyond").size).to eq(3)
  end

  [
    ["reset", { "reset" => true }, /cut the connection, 3 attempts/, 3],
    ["cut", { "cut" => 20 }, /cut the connection, 3 attempts/, 3],
    ["silent", { "never" => true }, /did not answer within 0.1 seconds, 3 attempts/, 3],
    ["late", { "drip" => 0.05 }, /did not answer before the deadline of 0.6 seconds/, 1,
     { deadline: 0.6, read_timeout: 5.0 }],
    ["html", { "raw" => "<html>" }, /returned invalid JSON/, 1],
    ["noise", { "noise" => "what?\r\n" }, /returned invalid HTTP/, 1],
    ["huge", { "huge" => 5000 }, /returned more than 1000 bytes/, 1],
    ["redirect", { "status" => 302 }, /redirects are not followed/, 1]
  ].each do |name, step, message, requests, limits = {}|
    it "reports a service that is #{name}, in time" do
      taken = seconds do
        options = { backoff: 0.0, read_timeout: 0.1, max_response_bytes: 1000, **limits }
        expect { ask(name, [step] * 9, **options) }.to raise_error(HybridSearch::RerankError, message)
      end
      expect(taken).to be < 15.0
      expect(server.log("rb-#{name}").size).to eq(requests)
    end
  end

  it "reports a closed port" do
    client = described_class.new("http://127.0.0.1:9/rerank", "model", backoff: 0.0)
    expect { client.similarity("q", ["a"]) }
      .to raise_error(HybridSearch::RerankError,
                      "the rerank service at http://127.0.0.1:9/rerank refused the connection, 3 attempts")
  end

  it "never has more concurrent requests than allowed" do
    client = reranker("many", [{ "delay" => 0.03 }] * 8, max_concurrency: 2)
    answers = Array.new(8) { Thread.new { client.similarity("red fox", texts) } }.map(&:value)
    expect(answers).to eq([cosines] * 8)
    expect(server.most("rb-many")).to eq(2)
  end

  it "gives up waiting for a slot at the deadline" do
    client = reranker("places", [{ "delay" => 0.8 }], max_concurrency: 1, deadline: 1.5)
    first = Thread.new { client.similarity("red fox", texts) }
    sleep(0.01) until server.log("rb-places").any?
    place = client.instance_variable_get(:@client).instance_variable_get(:@places)
    expect(place.enter(0.05)).to be(false)
    expect(first.value).to eq(cosines)
    expect(place.enter(0.05)).to be(true)
  end

  it "never shows its key" do
    key = "sk-Very.Secret-0123456789"
    client = reranker("key", [{ "key" => true }], api_key: -> { key })
    expect { client.similarity("q", ["a"]) }
      .to(raise_error(HybridSearch::RerankError) { |error| expect(error.full_message).not_to include("Secret") })
    expect(server.log("rb-key").first["authorization"]).to eq("Bearer #{key}")
    shown = [client, client.instance_variable_get(:@client)].map(&:inspect)
    expect(shown).to all(match(/\A#<HybridSearch::[\w:]+ http/))
  end

  it "reads its key from the environment for every call" do
    client = reranker("environment", [], api_key_env: "SERVICE_TEST_KEY")
    expect { client.similarity("q", ["a"]) }.to raise_error(HybridSearch::ConfigurationError, /SERVICE_TEST_KEY/)
    ENV["SERVICE_TEST_KEY"] = "first-key"
    client.similarity("q", ["a"])
    expect(server.log("rb-environment").map { |entry| entry["authorization"] }).to eq(["Bearer first-key"])
  ensure
    ENV.delete("SERVICE_TEST_KEY")
  end

  it "fails open in a partial rerank" do
    client = reranker("open", [busy] * 9, max_retries: 0)
    ids = %w[a b c]
    outcome = HybridSearch::PartialRerank.new(client).rerank("q", ids, [0.3, 0.1, 0.2], ->(id) { id })
    expect(outcome.entries.map { |entry| [entry.id, entry.tier] }).to eq([["a", 1], ["c", 1], ["b", 1]])
    expect(outcome.status).to eq("failed")
    expect(outcome.warnings).to match([/\Aranked without the rerank model: .* returned status 503: "busy"\z/])
    closed = HybridSearch::PartialRerank.new(client, fail_open: false)
    expect { closed.rerank("q", ids, [0.3, 0.1, 0.2], ->(id) { id }) }.to raise_error(HybridSearch::RerankError, /503/)
  end
end
