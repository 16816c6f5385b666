# frozen_string_literal: true

# Records that are returned, counted and removed (IDX-6), by the methods that only Ruby has.
RSpec.describe HybridSearch::Index do
  tokenizer = HybridSearch::Tokenizer.new

  let(:index) do
    described_class.new(tokenizer:).tap do |made|
      made.add([{ id: "a", content: "red wine", metadata: { lang: "en" } }, { id: 2, content: "red door" },
                { id: :c, content: "wine", available: false }])
    end
  end

  it "finds a record by an id of any kind" do
    expect([index.get("a"), index.get(:a)].uniq)
      .to eq([{ "id" => "a", "content" => "red wine", "metadata" => { "lang" => "en" } }])
    expect(index.get_many([2, :c, "x"])).to eq(
      [{ "id" => "2", "content" => "red door" }, { "id" => "c", "content" => "wine", "available" => false }, nil]
    )
    expect([index.exists?(2), index.exists?(:x)]).to eq([true, false])
    expect(index.get("a", include: :tokens)["tokens"]).to eq(%w[red wine])
  end

  it "returns records that make the same documents again" do
    other = described_class.new(tokenizer:)
    other.add(index.get_many(%w[a 2 c], include: "vector"))
    expect(%w[a 2 c].map { |id| other.store.get(id) }).to eq(%w[a 2 c].map { |id| index.store.get(id) })
  end

  it "counts all documents, and those that match filters" do
    expect([index.count, index.size, index.length]).to eq([3, 3, 3])
    expect(index.count(filters: { available: false })).to eq(1)
    expect(index.count(filters: { "metadata.lang": "en" })).to eq(1)
    expect { index.count(filter: {}) }.to raise_error(HybridSearch::InvalidInputError, /did you mean "filters"\?/)
  end

  it "removes one document, several, those that match filters, or all" do
    expect(index.delete(:a)).to eq(1)
    expect(index.delete(["a", 2])).to eq(1)
    index.add([{ id: "d", content: "x", metadata: { lang: "zh" } }])
    expect(index.delete(filters: { "metadata.lang": "zh" })).to eq(1)
    expect([index.clear, index.clear, index.size]).to eq([1, 0, 0])
  end

  it "refuses a deletion that names neither ids nor filters" do
    [[[], {}], [["a"], { filters: { id: "a" } }]].each do |ids, options|
      expect { index.delete(*ids, **options) }
        .to raise_error(HybridSearch::InvalidInputError, "delete takes either ids or filters")
    end
    expect { index.delete(filters: {}) }
      .to raise_error(HybridSearch::InvalidInputError, /\Afilters must hold a condition that not every document meets/)
    expect(index.count).to eq(3)
  end

  it "removes more than a batch" do
    index.store.insert(Array.new(2100) { |number| { "id" => "n#{number}", "kb_id" => "many" } })
    expect(index.delete(filters: { kb_id: "many" })).to eq(2100)
    expect(index.count).to eq(3)
  end

  it "ends even if a store still shows removed documents" do
    stubborn = Class.new(HybridSearch::MemoryDocStore) { def delete(_identifiers) = 0 }
    kept = described_class.new(tokenizer:, store: stubborn.new)
    kept.add([{ id: "1", content: "x" }])
    expect(kept.clear).to eq(0)
  end

  it "searches several questions, and for documents similar to another" do
    expect(index.search_many(%w[red wine].each, limit: 1).map { |page| page.map(&:id) }).to eq([["2"], ["a"]])
    expect(index.similar("a").map(&:id)).to eq(["2"])
    expect { index.similar("x") }
      .to raise_error(HybridSearch::InvalidInputError, 'id must be that of a stored document, not "x"')
    expect { index.similar("a", vector: [1.0]) }
      .to raise_error(HybridSearch::InvalidInputError, "vector must not be set: it is that of the document")
  end

  it "accepts the names of options as texts too, and checks them all" do
    found = Signatures.wrong do
      [index.search("red", "limit" => 1), index.similar("a", "limit" => 1, "filters" => { "id" => "2" })]
    end
    expect(found.map { |page| [page.limit, page.size] }).to eq([[1, 1], [1, 1]])
    expect { Signatures.wrong { index.search("red", "limt" => 1) } }
      .to raise_error(HybridSearch::InvalidInputError, /did you mean "limit"\?/)
  end

  it "returns the same documents from a store without its own batch reads" do
    plain = Class.new(HybridSearch::MemoryDocStore) do
      def get_many(identifiers, vector_fields = nil)
        HybridSearch::DocStoreAdapter.instance_method(:get_many).bind_call(self, identifiers, vector_fields)
      end
    end
    embedding = HybridSearch::HashingEmbedder.new(dimension: 8)
    indexes = [HybridSearch::MemoryDocStore, plain].map do |type|
      described_class.new(tokenizer:, embedding:, store: type.new)
    end
    indexes.each { |one| one.add([{ id: "a", content: "red wine" }, { id: "b", content: "door" }]) }
    answers = indexes.map do |one|
      [one.search("red wine", include: ["vector"]).to_h, one.search("red wine").to_h, one.get_many(%w[b x a])]
    end
    expect(answers[0]).to eq(answers[1])
  end
end
