# frozen_string_literal: true

require "spec_helper"

RSpec.describe HybridSearch::Accelerated::FastDenseIndex do
  let(:random) { Random.new(20_260_101) }

  # Vectors of very different kinds: dense, with many equal cosines, of odd length, nearly parallel, with zeros.
  def vector(kind, dimension)
    case kind
    when 0 then Array.new(dimension) { random.rand - 0.5 }
    when 1 then Array.new(dimension) { random.rand(3) - 1.0 }
    when 2 then [10.0].cycle.take(dimension).map { |ten| (random.rand - 0.5) * (ten**@exponent) }
    when 3 then Array.new(dimension) { 1.0 + (1e-9 * random.rand) }
    else random.rand(4).zero? ? [0.0] * dimension : Array.new(dimension) { random.rand - 0.3 }
    end
  end

  # What {HybridSearch::Accelerated::FastDenseIndex#best} must return: every row gets its exact sum.
  def simple(vectors, query, limit, similarity, allowed)
    found = vectors.filter_map do |slot, one|
      score = HybridSearch::Base::Numeric.cosine(one, query)
      [slot, score] if allowed.getbyte(slot) == 1 && (similarity.nil? || score >= similarity)
    end
    least = found.map(&:last).max(limit)[-1]
    limit.zero? ? [] : found.select { |_, score| score >= least }
  end

  def filled(kind, dimension, count)
    vectors = {}
    rows = Array.new(count) do |place|
      @exponent = random.rand(-40..40)
      slot = (2 * place) + random.rand(2)
      vectors[slot] = vector(kind, dimension)
      [slot, vectors[slot], HybridSearch::Base::Numeric.norm(vectors[slot])]
    end
    gone = rows.map(&:first).select { random.rand(20).zero? }
    gone.each { |slot| vectors.delete(slot) }
    living = HybridSearch::Accelerated::LivingSlots.new.changed([], 0, 2 * count)
    index = described_class.new(dimension).changed(living, rows.take(count / 3)).changed(living, rows.drop(count / 3))
    [index.changed(living.changed(gone, 2 * count, 0), []), vectors]
  end

  [63, 64, 255, 2200].product([1, 3, 40]).each do |count, dimension|
    it "finds the results of exact sums over all #{count} rows of #{dimension} components", unchecked: "all rows" do
      5.times do |kind|
        index, vectors = filled(kind, dimension, count)
        [nil, 0.0, 0.9, -1e300, 1e300].zip([1, 10, 100, 5000, 0]).each do |similarity, limit|
          query = limit == 1 ? vectors.values.sample(random:) : Array.new(dimension) { random.rand - 0.4 }
          allowed = Array.new(2 * count) { random.rand(4).zero? ? 0 : 1 }.pack("C*")
          expect(index.best(query, limit, similarity, allowed).transpose)
            .to match_array(simple(vectors, query, limit, similarity, allowed))
        end
      end
    end
  end

  it "finds the exact results with signatures" do
    index, vectors = filled(0, 3, 270)
    all = "\1".b * 540
    expect(index.best([1.0, 0.0, 2.0], 4, 0.1, all).transpose)
      .to match_array(simple(vectors, [1.0, 0.0, 2.0], 4, 0.1, all))
  end

  it "accepts rows that were removed before they were screened" do
    living = HybridSearch::Accelerated::LivingSlots.new.changed([], 0, 50)
    index = described_class.new(2).changed(living, Array.new(50) { |slot| [slot, [1.0, slot.to_f], 2.0] })
    living = living.changed((0...50).to_a, 300, 300)
    index = index.changed(living, (300..599).map { |slot| [slot, [1.0, 0.0], 1.0] })
    expect(index.best([1.0, 0.0], 1, nil, nil)).to eq([(300..599).to_a, [1.0] * 300])
  end

  it "misses nothing because of the error of its estimates" do
    index = described_class.new(64)
    vectors = Array.new(300) { |slot| Array.new(64) { |place| place == slot % 64 ? 1.0 + (slot * 1e-12) : 0.3 } }
    living = HybridSearch::Accelerated::LivingSlots.new.changed([], 0, 300)
    rows = vectors.each_with_index.map { |one, slot| [slot, one, HybridSearch::Base::Numeric.norm(one)] }
    index = index.changed(living, rows)
    query = Array.new(64) { |place| 0.1 + (place * 1e-7) }
    everywhere = "\1".b * 300
    expect(index.best(query, 3, nil, everywhere).transpose)
      .to match_array(simple(vectors.each_with_index.to_h { |one, slot| [slot, one] }, query, 3, nil, everywhere))
  end
end
