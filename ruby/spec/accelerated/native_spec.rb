# frozen_string_literal: true

built = File.expand_path("../../../.cache/native/ruby/hybrid_search/native/kernels", __dir__)
missing = "the native gem is not built (rake native)" unless Dir.exist?(File.dirname(built))

RSpec.describe "the native kernels", skip: missing do
  before(:context) { require built }

  before { allow(HybridSearch::Base::Kernels).to receive(:find_native).and_return(HybridSearch.const_get(:Native)) }

  let(:accelerated) { HybridSearch.const_get(:Accelerated) }
  let(:numeric) { HybridSearch::Base::Numeric }

  def bits(number)
    [number].pack("G")
  end

  def filled(vectors, slots: nil, living: nil)
    slots ||= vectors.each_index.to_a
    all_slots = accelerated::LivingSlots.new((slots.max || -1) + 1, vectors.size, living)
    rows = slots.zip(vectors).map { |slot, vector| [slot, vector, numeric.norm(vector)] }
    accelerated::NativeDenseIndex.new(vectors[0].size).changed(all_slots, rows)
  end

  # The results of the plain form: place and bits of the cosine, of the best with all ties of the last.
  def expected(vectors, query, limit, similarity)
    norm = numeric.norm(query)
    scored = vectors.each_with_index.filter_map do |vector, place|
      score = numeric.cosine_of(query, norm, vector, numeric.norm(vector))
      [place, score] if (!block_given? || yield(place)) && (similarity.nil? || score >= similarity)
    end
    least = scored.size > limit ? scored.map(&:last).max(limit)[-1] : -Float::INFINITY
    scored.filter_map { |place, score| [place, bits(score)] if score >= least }.sort
  end

  def found(index, query, limit, similarity = nil, allowed = nil)
    slots, scores = index.best(query, limit, similarity, allowed)
    slots.zip(scores.map { |score| bits(score) }).sort
  end

  def drawn(draw, dimension, kind)
    scale = { usual: 1.0, single: 1.0, huge: 1e150, tiny: 1e-160, large: 1e35 }.fetch(kind)
    vector = Array.new(dimension) { (draw.rand + draw.rand - 1.0) * scale }
    kind == :single ? vector.pack("e*").unpack("e*") : vector
  end

  it "finds the nearest vectors that the plain form finds, for vectors of all kinds" do
    draw = Random.new(3)
    %i[usual single huge tiny large].product([1, 17, 40], [1, 300]).each do |kind, dimension, count|
      vectors = Array.new(count) { drawn(draw, dimension, kind) }
      vectors += vectors.sample(count / 3, random: draw) + [[0.0] * dimension, [-0.0] * dimension]
      index = filled(vectors)
      [[1, nil], [7, 0.3], [vectors.size + 9, -1.0], [20, 1.0]].each do |limit, similarity|
        query = [vectors.sample(random: draw), drawn(draw, dimension, kind), [0.0] * dimension].sample(random: draw)
        expect(found(index, query, limit, similarity)).to eq(expected(vectors, query, limit, similarity))
      end
      expect(index.vector(0)).to eq(vectors[0])
      expect(index.vector(vectors.size)).to be_nil
    end
  end

  it "does not find removed or filtered vectors" do
    draw = Random.new(4)
    vectors = Array.new(600) { drawn(draw, 8, :single) }
    slots = Array.new(600) { |place| (2 * place) + 1 }
    living, allowed = Array.new(2) { Array.new(1200) { draw.rand(2) }.pack("C*") }
    index = filled(vectors, slots:, living:)
    [1, 50, 800].product([nil, allowed]).each do |limit, mask|
      wanted = expected(vectors, vectors[5], limit, nil) do |place|
        [living, mask].compact.all? { |bytes| bytes.getbyte(slots[place]) == 1 }
      end
      expect(found(index, vectors[5], limit, nil, mask)).to eq(wanted.map { |place, score| [slots[place], score] })
    end
  end

  it "can be searched by threads while another one adds" do
    draw = Random.new(5)
    vectors = Array.new(3000) { drawn(draw, 384, :single) }
    states = [filled(vectors.take(2800))]
    threads = Array.new(3) do
      Thread.new { Array.new(10) { states.last.best(vectors[3], 10, nil, nil)[0] } }
    end
    2800.step(2980, 20) do |first|
      rows = (first...(first + 20)).map { |slot| [slot, vectors[slot], numeric.norm(vectors[slot])] }
      states << states.last.changed(accelerated::LivingSlots.new(first + 20, first + 20), rows)
    end
    expect(threads.flat_map(&:value)).to all(include(3).and(have_attributes(size: 10)))
    expect(found(states.last, vectors[9], 5)).to eq(expected(vectors, vectors[9], 5, nil))
  end

  def posting(draw, all_slots, scores)
    slots = (0...all_slots).to_a.sample(draw.rand(1..all_slots), random: draw).sort
    accelerated::Posting.new(slots, slots.map { scores.sample(random: draw) }, all_slots)
  end

  # The best as the caller orders them, with bits; the rest may be omitted.
  def best(sums, matched, limit, counted)
    slots, scores = sums.best(matched, limit, counted)
    pairs = scores.zip(slots).sort_by { |score, slot| [-score, slot] }
    pairs.select { |score, _| pairs.size < limit || score >= pairs[limit - 1][0] }.map { |one, slot| [slot, bits(one)] }
  end

  it "computes the sums of the fast form" do
    draw = Random.new(6)
    score_lists = [[0.5, 1.0, 1.5], [0.1, 0.2, 0.3, 7.7], [0.0, -0.0], [-0.1, 0.3], [1e300, 3.0]]
    score_lists.product([1, 4097]).each do |scores, all_slots|
      matched = Array.new(draw.rand(1..5)) { [[1.0, 0.3, 2.5].sample(random: draw), posting(draw, all_slots, scores)] }
      [1, 10, 10_000].product([nil, Array.new(all_slots) { draw.rand(2) }.pack("C*")]).each do |limit, counted|
        fast = accelerated::BestSums.new(all_slots, Array.new(all_slots, 0.0), Array.new(all_slots, 0))
        native = accelerated::NativeSums.new(all_slots)
        expect(best(native, matched, limit, counted)).to eq(best(fast, matched, limit, counted))
      end
    end
  end

  it "finds the documents with enough alternatives that the fast form finds" do
    draw = Random.new(7)
    [1, 300, 5000].each do |all_slots|
      alternatives = Array.new(4) { Array.new(draw.rand(4)) { posting(draw, all_slots, [1.0]) } }
      [nil, Array.new(all_slots) { draw.rand(2) }.pack("C*")].product([2, 3, 4]).each do |allowed, required|
        fast = accelerated::BestSums.new(all_slots, [], []).enough(alternatives, required, allowed)
        expect(accelerated::NativeSums.new(all_slots).enough(alternatives, required, allowed)).to eq(fast)
      end
    end
  end

  it "refuses wrong calls" do
    native = HybridSearch.const_get(:Native)
    rows = native::Rows.new(2)
    {
      ArgumentError => [-> { native::Rows.new(-1) }, -> { rows.put(0, 0, [1.0], 1.0) }, lambda {
                                                                                          rows.send(:initialize, 2)
                                                                                        },
                        -> { rows.nearest(-1, [1.0, 1.0], 1.0, 1, nil, nil, nil) },
                        -> { native::Rows.allocate.size }, -> { native::Posting.new([1], []) },
                        -> { native.best_sums([], -1, 1, nil) }],
      IndexError => [-> { rows.put(1, 0, [1.0, 2.0], 1.0) }, -> { rows.vector(0) }],
      TypeError => [-> { rows.put(0, 0, [1.0, "a"], 1.0) }, -> { rows.put(0, 0, nil, 1.0) },
                    -> { native::Posting.new(["a"], [1.0]) }, -> { native.best_sums([[1.0, 5]], 1, 1, nil) },
                    -> { native.best_sums([5], 1, 1, nil) }, -> { native.best_sums(nil, 1, 1, nil) }]
    }.each { |problem, calls| calls.each { |call| expect { call.call }.to raise_error(problem) } }
  end

  it "is not harmed by slots in a wrong order" do
    native = HybridSearch.const_get(:Native)
    wild = native::Posting.new([5, -3, 1 << 62, 4, 9, 1_000_000], [1.0] * 6)
    expect(native.best_sums([[1.0, wild]], 8, 5, nil)[0] - (0...8).to_a).to eq([])
    expect(native.enough_groups([[0, wild]], 1, 8, "").bytesize).to eq(8)
  end
end
