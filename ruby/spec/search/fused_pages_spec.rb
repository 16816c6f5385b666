# frozen_string_literal: true

require "tmpdir"

# A page of a search that caches its fusion equals that of the whole ranking of a ranking cache (CUR-2, FUS-5).
RSpec.describe HybridSearch::Index do
  words = %w[carrier fee pallet return 运费 rule]
  records = (0...260).map do |number|
    held = words.each_with_index.filter_map { |word, place| word if number[place] == 1 }
    { id: format("d%04d", number), content: [*held, "goods"].join(" ") }
  end

  def pages(index, question, **options)
    found = [index.search(question, **options)]
    found << index.search(question, cursor: found.last.next_cursor, **options) while found.last.next_cursor
    found
  end

  def both(records, **options)
    [nil, HybridSearch::RankingCache.new].map do |ranking_cache|
      described_class.new(ranking_cache:, **options).tap { |index| index.add(records) }
    end
  end

  %w[plain fast].product([nil, 256]).each do |kernels, dimension|
    it "shows pages that equal those of the whole ranking: #{kernels}, #{dimension.inspect}", unchecked: "many pages" do
      embedding = dimension && HybridSearch::HashingEmbedder.new(dimension:)
      shown, whole = both(records, kernels:, embedding:)
      [{}, { candidates: 130 }, { candidates: 100 }, { candidates: 7 }, { fusion: "rrf" }].each do |options|
        ["carrier fee", "return goods", "nothing at all"].each do |question|
          expect(pages(shown, question, limit: 33, **options)).to eq pages(whole, question, limit: 33, **options)
          [2, 5, 9, 100].each do |page|
            asked = { page:, limit: 30, highlight: true, **options }
            expect(shown.search(question, **asked)).to eq whole.search(question, **asked)
          end
        end
      end
    end
  end

  it "counts opposite vectors, whose cosine may be rounded below -1" do
    provider = Class.new do
      def dimension = 3
      def encode(texts) = texts.map { [1.0, 0.0, 0.0] }
    end
    opposite = (0...130).map { |number| { id: "o#{number}", content: "goods", vector: [-1.0, number / 7.0, 0.0] } }
    shown, whole = both(opposite, embedding: HybridSearch::Embedding.new(provider.new), candidates: 110)
    expect(shown.search("x").total).to eq 110
    expect(pages(shown, "x")).to eq pages(whole, "x")
  end

  it "counts a document that states its availability" do
    shown, whole = both(records, embedding: HybridSearch::HashingEmbedder.new, candidates: 200)
    [shown, whole].each { |index| index.update(records.first(150).map { |one| { id: one[:id], available: false } }) }
    expect(shown.search("carrier").total).to eq 110
    expect(pages(shown, "carrier")).to eq pages(whole, "carrier")
  end

  # The cache of a file between searches follows its state: documents and vectors change between them.
  [nil, 256].each do |dimension|
    it "shows pages of a file that equal those of the whole ranking: #{dimension.inspect}", unchecked: "many pages" do
      embedding = dimension && HybridSearch::HashingEmbedder.new(dimension:)
      Dir.mktmpdir do |folder|
        shown = described_class.new(path: File.join(folder, "i.hsx"), embedding:)
        whole = described_class.new(embedding:, ranking_cache: HybridSearch::RankingCache.new)
        pallets = (100...180).step(2).map { |number| { id: records[number][:id], content: "pallet rule" } }
        hidden = records[200...230].map { |one| { id: one[:id], available: false } }
        [
          ->(index) { index.add(records) },
          ->(index) { index.delete((5...40).step(3).map { |number| records[number][:id] }) },
          ->(index) { index.update(pallets) },
          ->(index) { index.update(hidden) }
        ].each do |change|
          [shown, whole].each(&change)
          ["carrier fee", "return goods"].product([130, 230]).each do |question, candidates|
            expect(pages(shown, question, limit: 33, candidates:)).to eq pages(whole, question, limit: 33, candidates:)
          end
        end
        shown.close
      end
    end
  end

  # Documents come from the state in which they were found; vectors that are shown are a second read (DOC-11).
  %w[plain fast].product([nil, 256], [false, true]).each do |kernels, dimension, in_file|
    it "makes a page of one read of the store: #{kernels}, #{dimension.inspect}, #{in_file}" do
      embedding = dimension && HybridSearch::HashingEmbedder.new(dimension:)
      Dir.mktmpdir do |folder|
        index = described_class.new(path: in_file ? File.join(folder, "i.hsx") : nil, embedding:, kernels:)
        index.add(records)
        expected = index.search("carrier fee", include: ["vector"]).to_a
        allow(index.store).to receive(:get_many).and_raise("a second read")
        expect(index.search("carrier fee").to_a).to eq(expected.map { |hit| hit.with(vector: nil) })
        expect(index.search("carrier fee", page: 2, limit: 50).first.content).not_to be_empty
        index.close
      end
    end
  end

  it "replaces a document that is removed during a search by the next one" do
    index = described_class.new
    index.add(records)
    usual = index.search("carrier fee", limit: 11).map(&:id)
    removed = false
    allow(index.store).to receive(:get_many).and_wrap_original do |read, *arguments|
      index.delete([usual[3]]) unless removed
      removed = true
      read.call(*arguments)
    end
    found = index.search("carrier fee", include: ["vector"]) # of the first read there are no vectors
    expect(found.map(&:id)).to eq usual - [usual[3]]
  end
end
