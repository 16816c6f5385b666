# frozen_string_literal: true

require "spec_helper"
require "tmpdir"

RSpec.describe HybridSearch::Text::Dictionary do
  let(:dictionary) { described_class.new }

  it "knows jieba's frequencies and parts of speech" do
    terms = ["北京", "中华人民共", "γ射线", "𠮷", "", "AT&T"]
    found = terms.map { |term| [dictionary.frequency(term), dictionary.tag(term)] }
    expect(found).to eq([[34_488, "ns"], [0, ""], [3, "n"], [0, ""], [0, ""], [3, "nz"]])
  end

  it "shares one frozen table" do
    expect(dictionary.table).to equal(described_class.new.table)
    expect([dictionary.table, dictionary.table.base, dictionary.table.weights]).to all(be_frozen)
  end

  it "adds a user's words to the table" do
    dictionary.add("北京", 3, "x")
    dictionary.add("北京", 0)
    expect([dictionary.frequency("北京"), dictionary.tag("北京")]).to eq([0, "x"])
    expect(dictionary.entry("北".codepoints)).to eq(described_class.new.entry("北".codepoints))
    expect(dictionary.total).to eq(described_class.new.total + 3)
  end

  it "refuses a value that is not a word" do
    expect { dictionary.add("", 1) }
      .to raise_error(HybridSearch::InvalidInputError, 'word must be a text that is not empty, not ""')
    expect { dictionary.add("北", -1) }.to raise_error(HybridSearch::InvalidInputError, /frequency must be an integer/)
  end

  it "names a data file that is missing, damaged or truncated" do
    Dir.mktmpdir do |folder|
      path = File.join(folder, "dictionary.bin")
      expect { HybridSearch::Text::DictionaryTable.new(path) }
        .to raise_error(HybridSearch::ConfigurationError, "the dictionary #{path.dump} cannot be read")
      whole = File.binread(File.expand_path("../../data/dictionary.bin", __dir__))
      ["", "HSDICT2\n#{"\0" * 40}", whole.byteslice(0, whole.bytesize - 1)].each do |content|
        File.binwrite(path, content)
        expect { HybridSearch::Text::DictionaryTable.new(path) }
          .to raise_error(HybridSearch::ConfigurationError, "the dictionary #{path.dump} is damaged or cut short")
      end
    end
  end
end
