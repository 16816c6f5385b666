# frozen_string_literal: true

require "spec_helper"

RSpec.describe HybridSearch::Base::Characters do
  it "strips and splits at white space beyond ASCII" do
    expect(described_class.strip("\u3000\u00A0 a b\u2028\n")).to eq("a b")
    expect(described_class.split_white(" a\u3000b\u200Bc ")).to eq(["a", "b\u200Bc"])
    expect(described_class.strip("\0\uFEFF")).to eq("\0\uFEFF")
  end

  it "tests membership as the ranges state, by search and by regular expression" do
    %w[WHITE DIGIT HAN KANA ALPHABETIC LATIN].each do |name|
      found = described_class.character_class(name)
      inside = /\A[#{found.pattern}]\z/
      found.ranges.each do |first, last|
        answers = [first - 1, first, last, last + 1].map { |point| [point].pack("U") }.map do |character|
          [found.include?(character), character.match?(inside)]
        end
        expect(answers).to eq([[false] * 2, [true] * 2, [true] * 2, [false] * 2]), "#{name} from #{first}"
      end
    end
  end

  it "refuses an unknown class" do
    expect { described_class.character_class("VOWEL") }
      .to raise_error(HybridSearch::InvalidInputError, /\Aunknown character class\. Known: WHITE, LETTER/)
  end
end
