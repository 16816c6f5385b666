# frozen_string_literal: true

require "spec_helper"

RSpec.describe HybridSearch::Text::Stemmer do
  let(:stemmer) { described_class.new }

  it "follows the rules of Snowball 3.1" do
    stems = %w[added evening biologist internal dying past generously].map { |word| stemmer.stem(word) }
    expect(stems).to eq(%w[add evening biolog internal die past generous])
  end

  it "stems only lower-case ASCII letters" do
    words = ["Running", "cafés", "v2s", "runs\n", ""]
    expect(words.map { |word| stemmer.stem(word) }).to eq(words)
  end

  it "bounds its cache, which changes nothing" do
    stub_const("HybridSearch::Text::Stemmer::CACHE_SIZE", 3)
    words = ["running", "foxes", "jumps", "hopeful", "national", "running", "#{"a" * 50}ing"] * 2
    expect(words.map { |word| stemmer.stem(word) }).to eq(words.map { |word| described_class.new.stem(word) })
    cache = stemmer.instance_variable_get(:@cache)
    expect(cache.size).to be <= 3
    expect(cache.keys.map(&:length).max).to be <= described_class::CACHED_LENGTH
  end

  it "can be shared between threads" do
    words = Array.new(60) { |index| "#{(97 + (index % 26)).chr}#{(97 + (index % 7)).chr}nationalizing" }
    expected = words.map { |word| described_class.new.stem(word) }
    found = Array.new(4) { Thread.new { words.map { |word| stemmer.stem(word) } } }.map(&:value)
    expect(found).to eq([expected] * 4)
  end

  it "refuses a value that is not text" do
    expect { stemmer.stem(5) }.to raise_error(HybridSearch::InvalidInputError, "word must be a text, not 5")
  end
end
