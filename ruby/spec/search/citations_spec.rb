# frozen_string_literal: true

require "json"

RSpec.describe HybridSearch::CitedAnswer do
  let(:answer) { "Pallets are stacked four high. The carrier pays the fee for the return." }
  let(:index) do
    HybridSearch::Index.new(embedding: HybridSearch::HashingEmbedder.new(dimension: 32)).tap do |index|
      index.add([{ id: "fee", content: "The carrier pays the fee for the return of damaged goods." },
                 { id: "pallet", content: "Pallets are stacked at most four high." }])
    end
  end

  it "accepts pages, hits, ids and plain hits as equivalent sources" do
    page = index.search("pallets carrier")
    cited = index.cite(answer, page)
    expect(cited.spans.size).to eq(2)
    [page.to_a, page.map(&:id), page.map { |hit| hit.id.to_sym }, JSON.parse(page.to_json)["hits"],
     page.map { |hit| { id: hit.id, content: hit.content } }].each do |hits|
      expect(index.cite(answer, hits)).to eq(cited)
    end
  end

  it "has a text, a short form and JSON" do
    cited = index.cite(answer, %w[fee pallet], mark: " [ID:{index}]")
    marked = "Pallets are stacked four high [ID:1]. The carrier pays the fee for the return [ID:0]."
    expect(cited.to_s).to eq(marked)
    expect(cited.inspect).to eq("#<HybridSearch::CitedAnswer: 2 spans, 2 sources>")
    plain = JSON.parse(cited.to_json)
    expect(plain["spans"].map { |span| answer[span["start"]...span["end"]] }).to eq(cited.spans.map(&:text))
    expect(index.cite("", []).to_h).to eq({ "text" => "", "spans" => [], "threshold" => nil })
  end

  it "refuses unknown options and hits of other kinds" do
    expect { index.cite(answer, [], marker: "x") }.to raise_error(HybridSearch::InvalidInputError, /mean "mark"/)
    expect { index.cite(answer, nil) }.to raise_error(HybridSearch::InvalidInputError, /hits must be/)
    failing = HybridSearch::Index.new(embedding: ->(_texts) { raise "away" })
    expect { failing.cite(answer, [{ id: "a", content: "Pallets" }]) }.to raise_error(HybridSearch::EmbeddingError)
  end
end
