# frozen_string_literal: true

require "hybrid_search"

RSpec.describe HybridSearch::ShortInspect do
  let(:index) do
    HybridSearch::Index.new(embedding: HybridSearch::HashingEmbedder.new(dimension: 64)).tap do |made|
      made.add(Array.new(50) { |number| { id: number.to_s, content: "document number #{number}" } })
    end
  end
  let(:classes) do
    files = Dir[File.expand_path("../../lib/hybrid_search/**/*.rb", __dir__)]
    files.each { |path| require path unless path.end_with?("/railtie.rb") }
    ObjectSpace.each_object(Class).select { |type| type.name&.start_with?("HybridSearch::") && !(type <= Exception) }
  end

  it "shows an index and its store by how much they hold" do
    expect(index.inspect).to eq("#<HybridSearch::Index documents=50>")
    expect(index.store.inspect).to eq("#<HybridSearch::MemoryDocStore documents=50, generation=1>")
    expect([index.retriever, index.store.instance_variable_get(:@snapshot)].map(&:inspect))
      .to eq(["#<HybridSearch::Retriever>", "#<HybridSearch::Storing::MemorySnapshot>"])
  end

  it "keeps the message of a misspelt method short" do
    expect { index.serch("number") }.to raise_error(NoMethodError) { |error| expect(error.message.length).to be < 300 }
  end

  it "is in every class that does not show itself in a way of its own" do
    expect(classes.size).to be > 100
    expect(classes.select { |type| type.instance_method(:inspect).owner == Kernel }.map(&:name)).to eq([])
  end
end
