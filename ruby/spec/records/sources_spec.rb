# frozen_string_literal: true

require "spec_helper"
require "set"

# Records from common sources (IDX-3).
RSpec.describe "Records of an Index" do
  # The part of an Active Record model that the code uses.
  model = Class.new do
    def attributes
      { "id" => 1, "content" => "red" }
    end
  end

  # The part of the `params` of a controller that the code uses.
  parameters = Class.new do
    def initialize(given, allowed)
      @given = given
      @allowed = allowed
    end

    def [](key) = @given[key.to_s]

    def permitted? = @allowed

    def to_unsafe_h = @given

    def to_h
      raise "not permitted" unless @allowed

      @given
    end
  end

  def added(records, **options)
    index = HybridSearch::Index.new
    seen = []
    count = index.add(records, progress: ->(done, total) { seen << [done, total] }, **options)
    expect(count).to eq(index.count)
    [index, seen]
  end

  it "accepts one record" do
    index, seen = added({ id: 1, content: "red", lang: :en }, other_keys: :metadata)
    expect(seen).to eq([[1, 1]])
    expect(index.get(1)["metadata"]).to eq("lang" => "en")
  end

  it "accepts streams of any kind" do
    records = (1..5).lazy.map { |number| { id: number, content: "red", year: number } }
    expect(added(records, batch_size: 2, other_keys: "drop")[1]).to eq([[2, -1], [4, -1], [5, -1]])
    expect(added(Set[{ id: 1, content: "red" }])[1]).to eq([[1, -1]])
    expect(added([{ id: 1, content: "red" }].each)[1]).to eq([[1, -1]])
  end

  it "explains how to pass Active Record models", unchecked: "models are not records" do
    expect { added([model.new]) }.to raise_error(
      HybridSearch::InvalidInputError,
      /\Arecords\[0\] must be an object, not a value .*; give its attributes: records\.map\(&:attributes\)\z/
    )
    expect { added([model.new].each, other_keys: :drop) }.to raise_error(HybridSearch::InvalidInputError, /attributes/)
    expect(added([model.new].map(&:attributes))[1]).to eq([[1, 1]])
  end

  it "accepts only permitted parameters" do
    given = { "id" => "1", "content" => "red" }
    expect(added(parameters.new(given, true))[1]).to eq([[1, 1]])
    expect(added([parameters.new(given, true)])[1]).to eq([[1, 1]])
    expect { added(parameters.new(given, false)) }.to raise_error(
      HybridSearch::InvalidInputError,
      "records[0] must be permitted parameters: name the keys that they may have with permit"
    )
  end

  it "accepts permitted parameters as filters and as an order" do
    index, = added([{ id: 1, content: "red", page_rank: 1 }, { id: 2, content: "red", page_rank: 2 }])
    search = ->(**options) { index.search("red", **options).map(&:id) }
    expect(search.call(filters: parameters.new({ "page_rank" => 2 }, true))).to eq(["2"])
    expect(search.call(filters: { page_rank: parameters.new({ "gte" => 2 }, true) })).to eq(["2"])
    expect(search.call(filters: { page_rank: [parameters.new({ "lt" => 2 }, true), nil] })).to eq(["1"])
    expect(search.call(order_by: parameters.new({ "page_rank" => "desc" }, true))).to eq(%w[2 1])
    expect { search.call(filters: { page_rank: parameters.new({ "not" => 2 }, false) }) }
      .to raise_error(HybridSearch::InvalidInputError, /\Afilters\.page_rank must be permitted parameters/)
    expect { search.call(order_by: parameters.new({}, false)) }
      .to raise_error(HybridSearch::InvalidInputError, /\Aorder_by must be permitted parameters/)
  end
end
