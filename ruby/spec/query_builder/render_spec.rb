# frozen_string_literal: true

require "spec_helper"

RSpec.describe HybridSearch::AdapterKit::Render do
  let(:tree) { HybridSearch::AdapterKit::Tree }

  it "escapes what PostgreSQL reads as syntax" do
    expect(described_class.tsquery(tree::Phrase.new(["it's", "a\\b"]))).to eq("('it''s' <-> 'a\\\\b')")
  end

  it "renders the distances that a slop allows" do
    expect(described_class.tsquery(tree::Phrase.new(%w[a b], slop: 2)))
      .to eq("('a' <1> 'b' | 'a' <2> 'b' | 'a' <3> 'b' | 'b' <1> 'a')")
    expect(described_class.fts5(tree::Phrase.new(%w[a b c], slop: 2))).to eq('NEAR("a" "b" "c", 3)')
  end

  it "writes the weight 5 without a decimal point" do
    boost = tree::Boost.new(tree::Group.new(tree::Term.new("a:b")), 5.0, weight_format: :integer)
    expect(described_class.lucene(boost)).to eq('(a\:b)^5')
  end

  it "renders an empty query as an empty text" do
    %i[lucene tsquery fts5].each { |engine| expect(described_class.public_send(engine, tree::AnyOf.new([]))).to eq("") }
  end
end
