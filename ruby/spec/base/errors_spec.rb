# frozen_string_literal: true

require "hybrid_search"

RSpec.describe HybridSearch::Error do
  let(:errors) do
    HybridSearch.constants.grep(/Error\z/).map { |name| HybridSearch.const_get(name) }.grep(Class)
                .reject { |type| inner.include?(type) }
  end

  # Caught within the library.
  let(:inner) { [HybridSearch::Client::ExchangeError, HybridSearch::Base::JsonTooLargeError] }

  it "is the base of every error of the library" do
    expect(errors.size).to eq(9)
    expect(errors).to all(be < described_class)
    expect(errors).to all(be < StandardError)
  end

  it "is an ArgumentError too for a refused argument" do
    expect { HybridSearch::Index.new.search("a", limit: 0) }.to raise_error(ArgumentError, /limit/)
    expect { HybridSearch::Index.new.search("a", limit: 0) }.to raise_error(described_class)
    expect(errors.select { |type| type < ArgumentError })
      .to contain_exactly(HybridSearch::InvalidInputError, HybridSearch::InvalidCursorError)
  end
end
