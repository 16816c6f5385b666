# frozen_string_literal: true

# A search has a short path: it enters a bounded number of files and calls, and passes parsed filters to our stores.
RSpec.describe HybridSearch::Index do
  library = File.expand_path("../../lib/hybrid_search", __dir__)
  records = (0...30).map do |number|
    { id: "d#{number}", title: "Rule 6-2-#{number}",
      content: "The carrier pays the fee number #{number} for return of goods 运费规则第#{number}条, pallets and boxes." }
  end

  # The library's files that a search enters, once for each call of one of their methods.
  define_method(:entered) do |index, question|
    index.search(question) # the setup of the first search is not counted
    files = []
    trace = TracePoint.new(:call) { |call| files << call.path if call.path.start_with?(library) }
    expect(trace.enable { index.search(question) }.size).to eq 10
    files
  end

  ["rule 6-2-1", "carrier fee", "运费 carrier fee 规则"].product([nil, 256]).each do |question, dimension|
    it "passes through few files and calls: #{question}, #{dimension.inspect}", unchecked: "signatures are calls too" do
      embedding = dimension && HybridSearch::HashingEmbedder.new(dimension:)
      index = described_class.new(kernels: "plain", embedding:)
      index.add(records)
      files = entered(index, question)
      expect(files.uniq.size).to be <= (dimension ? 54 : 49)
      expect(files.size).to be <= (dimension ? 1175 : 1015)
    end
  end

  it "does not apply options of a call to the next call" do
    index = described_class.new(kernels: "plain", embedding: HybridSearch::HashingEmbedder.new, limit: 7)
    index.add(records)
    usual = index.search("carrier fee")
    vector = index.get("d5", include: ["vector"])["vector"]
    others = [{ limit: 3 }, { page: 2 }, { cursor: usual.next_cursor }, { vector: }, { min_score: 0.8 }]
    others.each do |options|
      expect(index.search("carrier fee", **options).hits).not_to eq usual.hits
      expect(index.search("carrier fee")).to eq usual
    end
  end

  it "passes filters to the store of a subclass as data" do
    recording = Class.new(HybridSearch::MemoryDocStore) do
      attr_reader :asked

      def search(filters: nil, **options)
        @asked = filters
        super(filters: { **filters, "kb_id" => "a" }, **options)
      end
    end
    index = described_class.new(store: recording.new)
    index.add(records.each_with_index.map { |record, place| { **record, kb_id: place.even? ? "a" : "b" } })
    page = index.search("carrier fee", filters: { "metadata.lang" => nil }, limit: 30)
    expect(page.map(&:kb_id).uniq).to eq ["a"]
    expect(index.store.asked).to eq("available_int" => 1, "metadata.lang" => { "exists" => false })
  end

  it "needs only a lookup method of synonyms" do
    thesaurus = Class.new do
      def lookup(term, limit: 8) = term == "carrier" ? ["freight"].first(limit) : []
    end
    index = described_class.new(synonyms: thesaurus.new)
    index.add([{ id: "1", content: "freight by sea" }])
    expect(index.search("carrier").map(&:id)).to eq ["1"]
  end

  it "finds documents without availability, even after one states it" do
    index = described_class.new(kernels: "plain")
    index.add(records)
    totals = [nil, false, true].map do |available|
      index.update([{ id: "d3", available: }]) unless available.nil?
      index.search("carrier fee").total
    end
    expect(totals).to eq [30, 29, 30]
  end
end
