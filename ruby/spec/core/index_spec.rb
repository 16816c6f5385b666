# frozen_string_literal: true

require "spec_helper"

RSpec.describe HybridSearch::Index do
  it "names a record by its place in a stream" do
    records = Enumerator.new do |stream|
      600.times { |place| stream << (place == 499 ? { id: "499" } : { id: place.to_s, content: "x" }) }
    end
    index = described_class.new
    expect { index.add(records) }.to raise_error(HybridSearch::InvalidInputError, "records[499] has no content")
    expect(index.count).to eq(256)
    expect { index.add([{ id: "600", content: "x" }, { id: "7", content: "x" }].each, batch_size: 1) }
      .to raise_error(HybridSearch::InvalidInputError, 'records[1].id "7" is already stored; use update or upsert')
  end
end
