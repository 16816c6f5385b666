# frozen_string_literal: true

require "spec_helper"

RSpec.describe HybridSearch::Records::BatchLimits do
  short = { "id" => "1", "content" => "x" }
  long = { id: "1", content: "x" * described_class::MOST_CHARACTERS }

  # Return the sizes of the batches of records.
  def batches(limits, records)
    sizes = [0]
    records.each do |record|
      sizes[-1] += 1
      sizes << 0 if limits.whole_with?(record)
    end
    sizes.reject(&:zero?)
  end

  it "has no other limit than a given size" do
    expect(batches(described_class.new(2, true), [long] * 5)).to eq([2, 2, 1])
    expect(batches(described_class.new(5000, true), [short] * 6000)).to eq([5000, 1000])
  end

  it "counts from the start in each batch" do
    expect(batches(described_class.new(nil, false), [long, short, long, short])).to eq([1, 2, 1])
    with_vector = { **short, "vector" => [1.0] * 3 }
    expect(batches(described_class.new(nil, true), [with_vector, short] * 512)).to eq([512, 512])
  end

  [nil, 7, "text", ["content"], {}, { "content" => 7, "vector" => 7 }, { content: nil }].each do |record|
    it "finds no length in #{record.inspect}" do
      expect(batches(described_class.new(nil, false), [record] * 2049)).to eq([2048, 1])
    end
  end

  { "without needs_model?" => nil, "that needs a model" => true, "that needs no model" => false }.each do |name, needs|
    it "limits the texts in a call of an embedder #{name}" do
      calls = []
      embedder = ->(texts) { (calls << texts.size) && texts.map { [1.0, 0.5] } }
      embedder.define_singleton_method(:needs_model?) { needs } unless needs.nil?
      HybridSearch::Index.new(embedding: embedder).add((0...600).map { |place| { id: place.to_s, content: "x" } })
      expect(calls).to eq(needs == false ? [600] : [256, 256, 88])
    end
  end
end
