# frozen_string_literal: true

RSpec.describe HybridSearch::Rerankers::NamedModels do
  let(:nobody) { "tei/http://127.0.0.1:9/rerank" }
  let(:warning) do
    start_with("ranked without the rerank model: the rerank service at http://127.0.0.1:9/rerank refused")
  end

  it "creates a model once for all searches" do
    models = described_class.new
    expect(models.model(nobody)).to equal(models.model(nobody))
    expect(models.options("limit" => 3)).to eq({ "limit" => 3 })
  end

  it "is used by searches, for all of them or for one" do
    record = { id: "1", content: "red wine" }
    index = HybridSearch::Index.new(rerank_model: nobody)
    index.add(record)
    other = HybridSearch::Index.new
    other.add(record)
    expect([index.search("wine").warnings[0], other.search("wine", rerank_model: nobody).warnings[0]]).to all(warning)
    HybridSearch::RetrievalService.new(HybridSearch::MemoryDocStore.new, models: { "mine" => nobody })
    expect do
      HybridSearch::RetrievalService.new(HybridSearch::MemoryDocStore.new, models: { "mine" => "bge-reranker" })
    end.to raise_error(HybridSearch::InvalidInputError, /unknown rerank model "bge-reranker"/)
  end

  it "needs the gem informers for models in the process, and returns its scores in the order of the texts" do
    expect { HybridSearch::Index.new(rerank_model: "fastembed") }.to raise_error(
      HybridSearch::ConfigurationError, "the rerank model fastembed needs informers: gem install informers"
    )
    stub_const("Informers", Module.new)
    Informers.define_singleton_method(:pipeline) do |task, model|
      raise ArgumentError, task unless task == "reranking" && model == "m"

      ->(_query, texts) { texts.map.with_index { |text, place| { doc_id: place, score: text.length / 10.0 } }.reverse }
    end
    model = HybridSearch::Rerankers::InformersReranker.new("m")
    expect([model.similarity("q", %w[a bbb cc]), model.similarity("q", [])]).to eq([[0.1, 0.3, 0.2], []])
  end
end
