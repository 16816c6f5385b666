# frozen_string_literal: true

require "spec_helper"

RSpec.describe HybridSearch::Accelerated::Gmp do
  let(:random) { Random.new(20_261_128) }
  let(:usable) { described_class.usable? }

  before { skip "This Ruby was built without GMP, or has no fiddle" unless usable }

  # For each row, `start` and the sum of its numbers from `zero` on times the factors.
  def simple(columns, factors, zero, start)
    columns.transpose.map { |row| start + row.zip(factors).sum { |number, factor| (number - zero) * factor } }
  end

  def columns(count, size, bound)
    Array.new(count) { Array.new(size) { random.rand(bound) } }
  end

  [HybridSearch::Accelerated::IntegerLanes, HybridSearch::Accelerated::GmpLanes].each do |lanes|
    describe lanes.name[/\w+\z/] do
      [2, 64, 130, 1024].product([1, 7, 384]).each do |size, count|
        it "adds up products of #{count} columns of #{size} rows" do
          numbers = columns(count, size, 65_536)
          factors = Array.new(count) { random.rand(-40..40) * (random.rand(5) - 1) }
          block = lanes.of(numbers.map { |column| column.pack("V*") }, size)
          expect(block.sums(factors, 32_768, 1 << 31)).to eq(simple(numbers, factors, 32_768, 1 << 31))
        end
      end

      it "adds up sums from 0 to the largest number of a lane" do
        block = lanes.of([[0, 65_535, 0, 65_535].pack("V*")], 4)
        expect(block.sums([65_537], 0, 0)).to eq([0, (1 << 32) - 1, 0, (1 << 32) - 1])
      end

      it "adds up rows of joined blocks in their order" do
        parts = [columns(5, 6, 1000), columns(5, 2, 1000), columns(5, 128, 1000)]
        factors = [3, -2, 0, 1, -9]
        joined = parts.map { |part| lanes.of(part.map { |column| column.pack("V*") }, part[0].size) }.reduce(:joined)
        expect([joined.size, joined.sums(factors, 500, 1 << 20)])
          .to eq([136, parts.flat_map { |part| simple(part, factors, 500, 1 << 20) }])
      end
    end
  end

  [HybridSearch::Accelerated::IntegerBytes, HybridSearch::Accelerated::GmpBytes].each do |bytes|
    [64, 256, 1024].product([1, 7, 384]).each do |size, count|
      [false, true].each do |spread|
        it "adds up products of #{count} columns of #{size} bytes: #{bytes.name[/\w+\z/]}, spread: #{spread}" do
          numbers = columns(count, size, 256)
          factors = Array.new(count) { random.rand(-20_000..20_000) }
          form = bytes.new(size, spread)
          made = numbers.map { |column| form.column(column.pack("C*")) }
          in_order = simple(numbers, factors, 0, 1 << 31)
          expect(form.sums(made, factors, 1 << 31)).to eq(in_order.each_slice(4).to_a.transpose.flatten)
        end
      end
    end
  end

  it "retains the bytes of columns while the garbage collector runs" do
    [false, true].each do |spread|
      form = HybridSearch::Accelerated::GmpBytes.new(64, spread)
      numbers = columns(9, 64, 256)
      made = numbers.map { |column| form.column(column.pack("C*")) }
      GC.start
      in_order = simple(numbers, [*-4..4], 0, 1 << 31)
      expect(form.sums(made, [*-4..4], 1 << 31)).to eq(in_order.each_slice(4).to_a.transpose.flatten)
    end
  end

  it "estimates for the screen of a dense index as Integers do" do
    vectors = Array.new(130) { Array.new(16) { random.rand - 0.5 } }
    norms = vectors.map { |vector| HybridSearch::Base::Numeric.norm(vector) }
    estimates = [HybridSearch::Accelerated::IntegerLanes, HybridSearch::Accelerated::GmpLanes].map do |lanes|
      empty = HybridSearch::Accelerated::FastDenseIndex::Screen.new(16, lanes)
      filled = empty.with(vectors.take(66), norms.take(66)).with(vectors.drop(66), norms.drop(66))
      filled.estimates(vectors[7], norms[7])
    end
    expect(estimates[1]).to eq(estimates[0])
  end

  it "estimates as Integers do for more rows than one block contains", unchecked: "many vectors" do
    lanes = [HybridSearch::Accelerated::IntegerLanes, HybridSearch::Accelerated::GmpLanes]
    added = [20_000, HybridSearch::Accelerated::GmpLanes::LARGEST_BLOCK - 20_000, 4_000, 2].map do |count|
      Array.new(count) { [random.rand - 0.5, random.rand - 0.5] }
    end
    screens = lanes.map do |form|
      added.reduce(HybridSearch::Accelerated::FastDenseIndex::Screen.new(2, form)) do |screen, vectors|
        screen.with(vectors, vectors.map { |vector| HybridSearch::Base::Numeric.norm(vector) })
      end
    end
    estimates = screens.map { |screen| screen.estimates(added[0][3], 0.5) }
    expect([screens[1].size, estimates[1]]).to eq([36_770, estimates[0]])
  end

  it "multiplies sketches as Integers do" do
    steps = Array.new(3) { random.bytes(64 * 20) }
    unit = Array.new(20) { random.rand - 0.5 }
    forms = [HybridSearch::Accelerated::IntegerBytes, HybridSearch::Accelerated::GmpBytes]
    products = forms.product([false, true]).map do |form, spread|
      HybridSearch::Accelerated::SketchColumns.new(steps, 64, spread, form).products(unit)
    end
    expect(products.uniq.size).to eq(1)
  end
end
