# frozen_string_literal: true

require "spec_helper"

RSpec.describe HybridSearch::Chunker do
  pieces = ["# A", "## B\n", "\n\n", "\r\n", "\f", " ", "- ", "1. ", "```\n", "| a |\n|---|\n", "---\n", "word ",
            "Dr. ", "3.14 ", "。", "文字。", "e\u0301", "\ufeff", "😀", "\u3000", "internationalisation", "?", "，"].freeze

  it "loses nothing, respects sizes, and reports exact offsets" do
    drawing = Random.new(7)
    40.times do
      text = Array.new(drawing.rand(30)) { pieces.sample(random: drawing) }.join
      size = [1, 3, 8, 20].sample(random: drawing)
      format = described_class::FORMATS.sample(random: drawing)
      behind = text.start_with?("\ufeff") ? 1 : 0
      described_class.new(size:).split(text, format:).each do |chunk|
        fresh = chunk.start + chunk.overlap
        expect(chunk.content).to eq(text[chunk.start...chunk.end])
        expect(chunk.tokens).to be <= size
        expect(HybridSearch::Base::Characters.strip(text[behind...fresh])).to eq("")
        behind = chunk.end
      end
      expect(HybridSearch::Base::Characters.strip(text[behind..])).to eq("")
    end
  end

  it "makes records that an index accepts" do
    index = HybridSearch::Index.new(embedding: nil)
    record = { id: "g", title: "Guide", content: "# Red\n\nRed wine.\f# White\n\nWhite wine." }
    expect(index.add(described_class.new.chunk_records(record, format: :markdown))).to eq(2)
    found = index.search("white").first
    expect([found.id, found.doc_id, found.document_name]).to eq(%w[g#2 g Guide])
    expect(found.positions).to eq([[2, 17, 37]])
    expect(found.metadata).to eq("headings" => ["White"], "page" => 2)
  end

  it "accepts texts in any Unicode encoding and does not change them" do
    text = "一。二。".encode("UTF-16LE").freeze
    expect(described_class.new(size: 2).split(text).map(&:content)).to eq(%w[一。 二。])
  end

  it "returns frozen values that print themselves in one line" do
    chunk = described_class.new.split("text").first
    expect(chunk).to be_frozen
    expect(chunk.inspect).to include("content=\"text\"")
    expect(described_class.new(size: 16).inspect).to eq("#<HybridSearch::Chunker size=16, overlap=2>")
  end
end
