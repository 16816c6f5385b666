# frozen_string_literal: true

require "tmpdir"

# After a change, cached postings are moved to the new state; questions get the results of the plain form (DOC-9).
RSpec.describe HybridSearch::Accelerated::MovedPosting do
  let(:words) { Array.new(40) { |place| "w#{place}" } }
  let(:fields) { [["title_tks", 3.0], ["content_ltks", 1.0]] }
  let(:count) { 400 }

  # A document in which rare words are common enough to be moved.
  def document(draw, place)
    texts = [draw.rand(4), draw.rand(1..25)].map do |size|
      Array.new(size) { words[(40**draw.rand).floor - 1] }.join(" ")
    end
    { "id" => format("d%04d", place), "title_tks" => texts[0], "content_ltks" => texts[1],
      "kb_id" => %w[a b].sample(random: draw), "q_4_vec" => Array.new(4) { draw.rand(-1.0..1.0) } }
  end

  # Change some documents of all stores: the same ones, new ones, or fewer.
  def change(draw, stores)
    kind = %i[upsert upsert insert delete].sample(random: draw)
    places = (0...count).to_a.sample([1, 1, 3, 40].sample(random: draw), random: draw)
    found = places.map { |place| document(draw, place + (kind == :insert ? count * draw.rand(1..9) : 0)) }
    stores.each { |store| kind == :delete ? store.delete(found.map { |one| one["id"] }) : store.upsert(found) }
  end

  # Everything of a page that depends on scores.
  def shown(store, embedding, question, options)
    page = HybridSearch::Index.new(store:, embedding:).search(question, limit: 20, **options)
    [page.total, page.map { |hit| [hit.id, [hit.score].pack("G")] }]
  end

  it "gives the results of the plain form", unchecked: "many documents" do
    stub_const("#{HybridSearch::Accelerated::KnownPostings}::MANY", 1)
    heads = 0
    allow(HybridSearch::Accelerated::FastLegHead).to receive(:first_near).and_wrap_original do |first, *given, &block|
      heads += 1
      first.call(*given, &block)
    end
    draw = Random.new(7)
    vectors = Hash.new { |known, text| known[text] = Array.new(4) { draw.rand(-1.0..1.0) } }
    embed = ->(texts) { texts.map { |text| vectors[text] } }
    Dir.mktmpdir do |folder|
      path = File.join(folder, "shared.hsx")
      plain = HybridSearch::MemoryDocStore.new(kernels: "plain")
      writer, reader = Array.new(2) { HybridSearch::SqliteDocStore.new(path, kernels: "fast") }
      documents = Array.new(count) { |place| document(draw, place) }
      [plain, writer].each { |store| store.insert(documents) }
      60.times do
        change(draw, [plain, writer])
        tokens = Array.new(draw.rand(1..6)) { words.sample(random: draw) }
        filters = [nil, { "kb_id" => "a" }].sample(random: draw)
        topn = [10, 110, 5000].sample(random: draw)
        expr = HybridSearch::AdapterKit::MatchBm25fExpr.new(fields:, tokens:, topn:)
        expect(reader.rank([expr], filters)).to eq(plain.rank([expr], filters))
        options = { filters:, candidates: [110, 1024].sample(random: draw) }
        [nil, embed].each do |embedding|
          pages = [reader, plain].map { |store| shown(store, embedding, tokens.join(" "), options) }
          expect(pages[0]).to eq(pages[1])
        end
      end
    end
    expect(heads).to be > 20
  end
end
