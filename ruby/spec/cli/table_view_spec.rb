# frozen_string_literal: true

require_relative "../spec_helper"

RSpec.describe "tables of hybrid-search" do
  let(:view) { HybridSearch.const_get(:Cli)::TableView }

  it "aligns characters of two cells and of zero cells" do
    rows = [%w[１２３ a], ["🍇🤖", "b"], %w[漢字 c], ["a\u200bb\u0301", "d"]]
    expect(view.lines(%w[id text], rows, 100)).to eq(
      ["id      text", "１２３  a", "🍇🤖    b", "漢字    c", "a\u200bb\u0301      d"]
    )
  end

  it "truncates the last column at the width, without splitting a character of two cells" do
    expect(view.lines(%w[id text], [["a", "grape 漢字 juice"]], 15)).to eq(["id  text", "a   grape 漢字…"])
    expect(view.lines(%w[id text], [["a", "grape 漢字 juice"]], 14)).to eq(["id  text", "a   grape 漢…"])
    expect(view.lines(%w[id text], [["a", "twelve cells"]], 1)).to eq(["id  text", "a   twelve …"])
  end

  it "shows no control characters" do
    expect(view.lines(%w[id text], [["a\e[31m", "b\n\u2028 c"]], 40)).to eq(["id      text", "a [31m  b c"])
  end
end
