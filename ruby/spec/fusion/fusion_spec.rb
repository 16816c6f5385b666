# frozen_string_literal: true

require "spec_helper"

RSpec.describe HybridSearch::Fusion do
  def ranking(draw, size)
    scores = Array.new(size) { [0.0, -0.0, 0.3, 0.1 + 0.2, draw.rand].sample(random: draw) }.sort.reverse
    ("a".."z").to_a.sample(size, random: draw).zip(scores)
  end

  HybridSearch::Fusions::ScoreNormalizer::NORMALIZERS.each do |normalizer|
    it "returns every document once and in order under #{normalizer}" do
      draw = Random.new(7)
      20.times do
        lists = Array.new(3) { ranking(draw, draw.rand(12)) }
        fused = described_class.weighted_sum(lists, "0.2,0.3,0.5", normalizer:)
        expect(fused).to eq(fused.sort_by { |id, score| [-score, id] })
        expect(fused.map(&:first).sort).to eq(lists.flatten(1).map(&:first).uniq.sort)
      end
    end
  end

  it "does not change its inputs" do
    lists = [[["a", 1].freeze, ["b", 0.5].freeze].freeze, [].freeze].freeze
    expect(described_class.weighted_sum(lists, [1, 1].freeze).map(&:first)).to eq(%w[a b])
  end

  it "accepts symbols as names" do
    expression = HybridSearch::AdapterKit::FusionExpr.new(:rrf, 5, { k: 1 })
    expect(expression.params).to eq({ "k" => 1 })
    expect(expression.with_topn(3).topn).to eq(3)
    expect(expression.params).to be_frozen
  end

  it "names the argument that contained the weights" do
    expect { HybridSearch::Fusions::Weights.parse("1", 2, "vector_weights") }
      .to raise_error(HybridSearch::InvalidInputError, /\Avector_weights must be 2 finite numbers/)
  end

  it "reads decimals as Ruby's own reader does" do
    draw = Random.new(11)
    500.times do
      number = draw.rand * (10.0**draw.rand(-300..300))
      expect(HybridSearch::Base::Numeric.parse_decimal(number.to_s)).to eq(number)
      expect(HybridSearch::Base::Numeric.parse_decimal(format("%.25e", number))).to eq(number)
    end
  end
end
