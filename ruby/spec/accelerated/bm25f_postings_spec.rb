# frozen_string_literal: true

RSpec.describe HybridSearch::Accelerated::Bm25fPostings do
  let(:words) { Array.new(30) { |place| "w#{place}" } }
  let(:fields) { [["title_tks", 3.0], ["content_ltks", 1.0], ["important_kwd", 0.5], ["question_tks", 0.0]] }

  def document(draw, place)
    found = { "id" => place.to_s, "kb_id" => %w[a b].sample(random: draw) }
    { "title_tks" => 3, "content_ltks" => 20, "question_tks" => 2 }.each do |name, most|
      next if draw.rand < 0.2

      found[name] = Array.new(draw.rand(most + 1)) { words[(30**draw.rand).floor - 1] }.join(" ")
    end
    found["important_kwd"] = words.sample(2, random: draw) if draw.rand < 0.3
    found
  end

  def expression(draw)
    HybridSearch::AdapterKit::MatchBm25fExpr.new(
      fields: fields.sample(draw.rand(1..4), random: draw),
      tokens: Array.new(draw.rand(1..8)) { [*words, "nowhere"].sample(random: draw) },
      topn: [1, 10, 128, 129, 5000].sample(random: draw)
    )
  end

  { 1 => {}, 40 => {}, 600 => { unchecked: "many documents", nightly: "with every call checked" } }.each do |count, tag|
    it "returns the results of the plain form, over #{count} documents", **tag do
      draw = Random.new(count)
      stores = %w[plain fast].map { |kernels| HybridSearch::MemoryDocStore.new(kernels:) }
      documents = Array.new(count) { |place| document(draw, place) }
      removed = documents.map { |one| one["id"] }.select { draw.rand < 0.2 }
      stores.each do |store|
        store.insert(documents)
        store.delete(removed)
      end
      30.times do
        expr = expression(draw)
        filters = draw.rand < 0.5 ? { "kb_id" => "a" } : nil
        plain, fast = stores.map { |store| store.rank([expr], filters) }
        expect(fast).to eq(plain)
      end
    end
  end
end
