# frozen_string_literal: true

# The longest result of a rewrite, and one character more (RWR-1).
RSpec.describe HybridSearch::Search::Rewriting do
  longest = described_class::LONGEST
  frame = '{"question":"red "}'.length

  it "searches the longest rewrite on all pages, and warns of a longer one" do
    index = HybridSearch::Index.new(embedding: nil)
    index.add(Array.new(3) { |number| { id: number.to_s, content: "red wine" } })
    asked = lambda do |length, cursor = nil|
      index.search("x", limit: 2, cursor:, rewrite: ->(_) { "red #{"\u{1D11E}" * (length - frame)}" })
    end
    first = asked.call(longest)
    expect([first.total, first.warnings]).to eq [3, []]
    expect(asked.call(longest, first.next_cursor).to_a.size).to eq 1
    longer = asked.call(longest + 1)
    expect([longer.total, longer.warnings.first]).to match [0, /as JSON at most 16384 characters\z/]
  end
end
