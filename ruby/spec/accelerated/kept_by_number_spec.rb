# frozen_string_literal: true

# States share the values of unchanged documents; an earlier one neither sees those of a later one nor changes them.
RSpec.describe HybridSearch::Accelerated::KeptByNumber do
  [0, 1, 100].each do |most|
    it "has its own values of changed documents in each state: #{most}" do
      stub_const("#{described_class}::MOST_CHANGED", most)
      first = described_class.new
      5.times { |number| first.keep(number, "#{number} first") }
      second = first.after([1, 2])
      second.keep(1, "1 second")
      third = second.after([2, 3])
      third.keep(3, "3 third")
      first.keep(1, "1 first") # searches that still run in an earlier state
      first.keep(2, "2 first")
      second.keep(2, "2 second")
      expect(first.found([0, 1, 2])).to eq({ 0 => "0 first", 1 => "1 first", 2 => "2 first" })
      expect(second.found([0, 1, 2, 4]))
        .to eq({ 0 => "0 first", 1 => "1 second", 2 => "2 second", 4 => "4 first" })
      expect(third.all).to eq({ 0 => "0 first", 1 => "1 second", 3 => "3 third", 4 => "4 first" })
      expect([2, 3, 5].map { |number| third.find(number) }).to eq([nil, "3 third", nil])
    end
  end
end

RSpec.describe HybridSearch::Accelerated::KeptIdentifiers do
  let(:bytes) { described_class::BYTES_PER_IDENTIFIER }

  it "has the number of an id in its state" do
    first = described_class.new(100 * bytes)
    first.keep_all({ 1 => "a", 2 => "b" })
    second = first.after([1, 2]) # "a" was removed, and "b" inserted again with its number
    second.keep_all({ 1 => "b" })
    expect(%w[a b c].map { |one| second.number(one) }).to eq([nil, 1, nil])
    expect(first.number("b")).to be_nil # it is read again
    first.keep_all({ 2 => "b" })
    expect([first.number("b"), second.number("b")]).to eq([2, nil])
  end

  it "begins again without room" do
    kept = described_class.new(8 * bytes)
    kept.keep_all({ 1 => "a", 2 => "b" })
    kept.keep_all({ 3 => "c", 4 => "d" })
    expect(kept.all.keys).to eq([1, 2, 3, 4])
    kept.keep_all({ 5 => "e" })
    expect(kept.all).to eq({ 5 => "e" })
    kept.keep_all((0...5).to_h { |number| [number, number.to_s] })
    expect(kept.all).to eq({})
  end
end
