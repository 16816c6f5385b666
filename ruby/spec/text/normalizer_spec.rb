# frozen_string_literal: true

require "spec_helper"

RSpec.describe HybridSearch::Text::Normalizer do
  let(:normalizer) { described_class.new }

  it "applies all steps" do
    expect(normalizer.normalize("Ａ\0Ｂ　İΣ 繁體")).to eq("a b iσ 繁体")
  end

  it "gets the same text from one table as from the steps in sequence" do
    points = (0..0x3FFFF).reject { |point| (0xD800..0xDFFF).cover?(point) }
    points.each_slice(20_000) do |slice|
      text = slice.pack("U*")
      stepwise = normalizer.simplify(normalizer.lower(normalizer.half_width(text.tr("\0", " "))))
      expect(normalizer.normalize(text)).to eq(stepwise)
    end
  end

  it "does not change the caller's text" do
    text = "A\0Ｂ"
    normalizer.normalize(text)
    expect(text).to eq("A\0Ｂ")
  end

  %i[normalize half_width lower simplify].each do |step|
    it "refuses a value that is not text: #{step}" do
      [nil, 5, :text, "\xFF", "\xED\xA0\x80"].each do |value|
        expect { normalizer.public_send(step, value) }.to raise_error(HybridSearch::InvalidInputError, /\Atext /)
      end
    end
  end
end
