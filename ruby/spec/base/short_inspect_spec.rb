# frozen_string_literal: true

require "hybrid_search"
require "tmpdir"

RSpec.describe HybridSearch::Base::ShortInspect do
  let(:index) do
    HybridSearch::Index.new(embedding: HybridSearch::HashingEmbedder.new(dimension: 64)).tap do |made|
      made.add(Array.new(50) { |number| { id: number.to_s, content: "document number #{number}" } })
    end
  end
  let(:classes) do
    files = Dir[File.expand_path("../../lib/hybrid_search/**/*.rb", __dir__)]
    files.each { |path| require path unless path.match?(%r{/(?:railtie|rails)\.rb\z|/rails/}) }
    ObjectSpace.each_object(Class).select { |type| type.name&.start_with?("HybridSearch::") && !(type <= Exception) }
  end

  it "shows an index and its store by their sizes" do
    expect(index.inspect).to eq("#<HybridSearch::Index: 50 documents, hashing-64>")
    expect(index.store.inspect).to eq("#<HybridSearch::MemoryDocStore documents=50, generation=1>")
    retriever = HybridSearch::Retriever.new(index.store, HybridSearch::QueryBuilder.new)
    expect([retriever, index.store.instance_variable_get(:@snapshot)].map(&:inspect))
      .to eq(["#<HybridSearch::Retriever>", "#<HybridSearch::Stores::Snapshot::StoreSnapshot>"])
  end

  it "shows an index by its file and its model" do
    Dir.mktmpdir do |folder|
      path = File.join(folder, "notes.hsx")
      HybridSearch::Index.open(path) do |opened|
        opened.store.insert(Array.new(1234) { |number| { "id" => number.to_s } })
        expect(opened.inspect).to eq("#<HybridSearch::Index #{path}: 1,234 documents, no vectors>")
      end
      unnamed = HybridSearch::Index.new(embedding: ->(texts) { texts.map { [1.0] } })
      expect(unnamed.inspect).to eq("#<HybridSearch::Index: 0 documents, a model without a name>")
    end
  end

  it "keeps the message of a misspelt method short" do
    expect { index.serch("number") }.to raise_error(NoMethodError) { |error| expect(error.message.length).to be < 300 }
  end

  it "is included in every class without its own inspect" do
    expect(classes.size).to be > 100
    shown_by_ruby = classes.select { |type| type.instance_method(:inspect).owner == Kernel }
    # The classes of the native package are the other gem's.
    expect(shown_by_ruby.map(&:name).grep_v(/\AHybridSearch::Native::/)).to eq([])
  end
end
