# frozen_string_literal: true

require "spec_helper"

RSpec.describe HybridSearch::Base::Numeric do
  it "sums from left to right" do
    expect(described_class.sum_left([1e16, 1.0, -1e16])).to eq(0.0)
    expect(described_class.sum_left([1e16, -1e16, 1.0])).to eq(1.0)
    expect(described_class.sum_left([0.1] * 10)).to eq(0.9999999999999999)
  end

  it "does not clamp the cosine, and returns 0.0 for zero vectors" do
    cosines = (1..199).map { |row| [0.1 * row, 0.7, 0.3 / row] }.map { |v| described_class.cosine(v, v) }
    expect(cosines.max).to be > 1.0
    expect(described_class.cosine([0.0, 0.0], [1.0, 2.0])).to eq(0.0)
    expect(described_class.cosine([1e-170], [1e-170])).to eq(0.0)
  end

  it "refuses vectors of unequal length" do
    expect { described_class.dot([1.0], [1.0, 2.0]) }
      .to raise_error(HybridSearch::DimensionMismatchError, "vectors of 1 and 2 components cannot be compared")
  end

  it "does not change a zero vector when it normalises" do
    expect(described_class.normalize([0.0, 0.0])).to eq([0.0, 0.0])
    expect(described_class.normalize([3.0, 4.0])).to eq([0.6, 0.8])
  end

  it "refuses temperature 0" do
    expect(described_class.softmax([1000.0, 1000.0], 1.0)).to eq([0.5, 0.5])
    expect { described_class.softmax([1.0], 0.0) }
      .to raise_error(HybridSearch::InvalidInputError, "temperature must be above 0, not 0.0")
  end

  it "writes doubles as Python does" do
    texts = [1, 1e-5, 1e15, 9.5e15, -1e15, 1e16, 1.5e300].map { |value| described_class.shortest(value) }
    expect(texts).to eq(%w[1.0 1e-05 1000000000000000.0 9500000000000000.0 -1000000000000000.0 1e+16 1.5e+300])
  end

  it "rounds to four decimals once, unlike Kernel#format" do
    expect([2_282_032_193.553749, 0.03125, -0.00001, Float::INFINITY].map { |value| described_class.fixed4(value) })
      .to eq(%w[2282032193.5537 0.0312 -0.0000 inf])
  end

  it "rounds to one decimal once, unlike Kernel#format" do
    expect([0.65, 0.35, 0.25, 0.75, -0.04, 12, Float::INFINITY].map { |value| described_class.fixed1(value) })
      .to eq(%w[0.7 0.3 0.2 0.8 -0.0 12.0 inf])
  end

  it "preserves numbers in bits and texts" do
    source = Random.new(1)
    1000.times do
      value = [source.bytes(8).unpack1("G")].find { |double| !double.nan? } or next
      expect(described_class.from_bits(described_class.to_bits(value))).to eql(value)
      expect(Float(described_class.shortest(value))).to eql(value) if value.finite?
    end
  end

  it "counts the doubles between two" do
    expect(described_class.ulp_distance(0.0, -0.0)).to eq(0)
    expect(described_class.ulp_distance(1.0, 1.0.next_float)).to eq(1)
    expect(described_class.ulp_distance(-5e-324, 5e-324)).to eq(2)
  end
end
