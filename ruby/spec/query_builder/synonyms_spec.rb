# frozen_string_literal: true

require "spec_helper"
require "pathname"
require "tmpdir"

RSpec.describe HybridSearch::Synonyms do
  around { |example| Dir.mktmpdir { |folder| (@folder = folder) && example.run } }

  def write(name, content)
    File.binwrite(File.join(@folder, name), content)
  end

  def word_net
    HybridSearch::WordNet::PARTS_OF_SPEECH.each do |part|
      write("data.#{part}", "")
      write("index.#{part}", "  1 header\n")
    end
    write("data.noun", "00000000 05 n 02 Domestic_dog 0 dog 0 000 | a gloss\n")
    write("index.noun", "  1 header\ndog n 1 1 @ 1 1 00000000\ndomestic_dog n 1 1 @ 1 1 00000000\n")
    write("data.verb", "00000000 38 v 01 dog 0 000 | a gloss\n")
    write("index.verb", "dog v 1 1 @ 1 1 00000000\n")
    HybridSearch::WordNet.new(@folder)
  end

  it "reads a dictionary from a file" do
    write("synonyms.json", '{"Phone": ["telephone", "手机"]}')
    found = described_class.new(dictionary: Pathname(@folder).join("synonyms.json"))
    expect(found.lookup(" phone ", limit: 1)).to eq(["telephone"])
  end

  it "asks WordNet after the dictionary" do
    found = described_class.new(dictionary: { "dogs" => "hounds" }, word_net:)
    expect(found.lookup("dog")).to eq(["domestic dog"])
    expect(found.lookup("dogs")).to eq(["hounds"])
    expect(described_class.new(word_net: @folder).lookup("dogs")).to eq(["domestic dog", "dog"])
  end

  it "names the damaged file" do
    net = word_net
    write("data.noun", "00000001 05 n\n")
    expect { net.head_lemmas("dog") }.to raise_error(HybridSearch::ConfigurationError, /data\.noun/)
  end

  ["", "[", "[]", '{"a": 1}', '{"a": [1]}', "{'a': 'b'}", "[" * 100_000, "\xFF"].each do |content|
    it "names the path of an invalid dictionary: #{content[0, 12].inspect}" do
      write("synonyms.json", content)
      expect { described_class.new(dictionary: "#{@folder}/synonyms.json") }
        .to raise_error(HybridSearch::ConfigurationError, /synonyms\.json/)
    end
  end
end
