# frozen_string_literal: true

require "spec_helper"
require "support/sqlite_gem"
require "tmpdir"

RSpec.describe HybridSearch::Accelerated::SqliteVectors,
               unchecked: "many vectors in a file", skip: SqliteGem.missing do
  around do |example|
    Dir.mktmpdir do |folder|
      @path = File.join(folder, "v.hsx")
      example.run
    end
  end

  let(:random) { Random.new(7) }

  # A vector of any size, often with few components, or as near to others as possible.
  def vector(dimension = 12)
    size = [1e-200, 1e150, 0.0, 1e-33][random.rand(8)] || 1.0
    case random.rand(6)
    when 0 then Array.new(dimension) { |index| index == 3 ? -3.0 : 0.0 }
    when 1 then Array.new(dimension) { 0.5 + [0.0, 2.0**-50].sample(random:) }
    else Array.new(dimension) { (random.rand - 0.4) * size }
    end
  end

  def documents(first, count)
    (first...(first + count)).map do |place|
      { "id" => format("%04d", place), "available_int" => place % 3, "q_12_vec" => vector }
    end
  end

  def query
    HybridSearch::AdapterKit::MatchDenseExpr.new(
      field: "q_12_vec", vector:, topn: [1, 7, 64, 512, 5000].sample(random:),
      extra_options: [{}, { "similarity" => 0.3 }, { "similarity" => -1.0 }].sample(random:)
    )
  end

  # The last number of bytes has room for all sketches, but not for them as sums need them.
  [[0, 0], [1, 1 << 20], [1, 100_000]].each do |memory, bytes|
    it "screens by sketches and misses no near vector, with #{bytes} bytes to cache them" do
      allow(described_class).to(receive(:new).and_wrap_original { |made, _| made.call(bytes) })
      plain = HybridSearch::MemoryDocStore.new(kernels: "plain")
      HybridSearch::SqliteDocStore.open(@path, memory:, synchronous: "normal") do |store|
        2.times do |step|
          batch = documents(step * 600, 600)
          [store, plain].each do |one|
            one.insert(batch)
            one.delete(batch.each_slice(7).map { |some| some[0]["id"] })
          end
          6.times do
            wanted = [query]
            filters = [nil, { "available_int" => 1 }, { "id" => { "lt" => "0100" } }].sample(random:)
            expect(store.rank(wanted, filters)).to eq(plain.rank(wanted, filters))
          end
        end
      end
    end
  end

  it "multiplies steps within its stated error" do
    size = 256
    steps = Array.new(2) { random.bytes(size * 5) }
    columns = HybridSearch::Accelerated::SketchColumns.new(steps, size, true)
    unit = [0.5, -0.5, 0.0, 0.1, -0.7]
    products, missed = columns.products(unit)
    bytes = steps.flat_map { |block| block.unpack("c*").each_slice(size).to_a.transpose }
    near = bytes.each_with_index.map do |vector, place|
      product = products[columns.place(place)]
      exact = vector.zip(unit).sum { |step, component| step * component }
      expect((product - exact).abs).to be <= (missed + 1e-12) * Math.sqrt(vector.sum { |step| step * step })
    end
    expect(near.size).to eq(512)
    expect(missed).to be < 1e-6
  end

  it "prepares more sketches than a call can have arguments" do
    block = Struct.new(:block, :errors, :ratios, :steps)
    count = 1024
    errors, ratios, steps = [0.0, 1.0].map { |value| ([value] * 256).pack("E*") } << ("\x01" * 256)
    blocks = Array.new(count) { |number| block.new(number, errors, ratios, steps) }
    part = described_class.new(1).send(:part, blocks, false)
    expect([part.numbers.size, part.ratios.sum, part.errors.sum]).to eq([count * 256, count * 256.0, 0.0])
  end

  it "has sketches with errors within their stated bounds" do
    sketch = HybridSearch::Stores::Tables::VectorSketch
    200.times do
      stored = vector
      norm = HybridSearch::Base::Numeric.norm(stored)
      made = sketch.of(stored, norm)
      steps = made.steps.unpack("c*")
      next expect(made.error).to eq(Float::INFINITY) unless sketch.sound?(norm)

      expect(steps.map(&:abs).max).to be <= sketch::MOST_STEPS
      length = made.ratio * norm
      missed = HybridSearch::Base::Numeric.norm(stored.zip(steps).map { |component, step| component - (length * step) })
      expect(missed / norm).to be <= made.error
    end
  end
end
