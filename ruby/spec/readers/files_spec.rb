# frozen_string_literal: true

require "spec_helper"
require "tmpdir"

# Files are added to an index (FIL-6); the fixtures contain their records.
RSpec.describe HybridSearch::Index, "#add_files" do
  around do |example|
    Dir.mktmpdir do |folder|
      @docs = "#{folder}/docs"
      Dir.mkdir(@docs)
      File.write("#{@docs}/guide.md", "# Guide\n\nRed wine.\n\n## Bottles\n\n120 bottles.\n\n## Corks\n\nOld.\n")
      File.write("#{@docs}/rules.csv", "规则,标题\n6-2-1,赋值运算符\n6-2-2,浮点\n")
      example.run
    end
  end

  attr_reader :docs

  let(:asked) { [] }
  let(:index) do
    embedder = HybridSearch::HashingEmbedder.new(dimension: 16)
    described_class.new(embedding: lambda do |texts|
      asked.concat(texts)
      embedder.encode(texts)
    end)
  end

  it "adds chunks and rows, and the second time only changed ones" do
    added = index.add_files(docs)
    expect([added.read, added.unchanged, added.added, added.skipped]).to eq([2, 0, 5, []])
    expect(index.search("赋值运算符").first.id).to eq("#{docs}/rules.csv#2")
    asked.clear
    expect(index.add_files([docs], prune: true).unchanged).to eq(2)
    expect(asked).to eq([])
    File.write("#{docs}/guide.md", "# Guide\n\nRed wine.\n\n## Bottles\n\n99 bottles.\n")
    File.delete("#{docs}/rules.csv")
    changed = index.add_files(docs)
    expect([changed.updated, changed.removed]).to eq([1, 1])
    expect(asked).to eq(["## Bottles\n\n99 bottles."])
    expect(index.add_files(docs, prune: true).removed).to eq(2)
    expect(index.size).to eq(2)
  end

  it "reads files in the order of the code points of their names" do
    names = ["B.txt", "b.txt", "字.txt", "Ａ.txt", "😀.txt"]
    names.reverse_each { |name| File.write("#{docs}/#{name}", "x") }
    walk = HybridSearch.const_get(:Readers)::FileWalk.new(["#{docs}/*.txt"])
    expect(walk.files.map(&:path)).to eq(names.map { |name| "#{docs}/#{name}" })
  end

  it "skips files that cannot be read, or stops at them" do
    File.write("#{docs}/a.pdf", "%PDF")
    File.write("#{docs}/b.json", "{")
    expect { index.add_files("#{docs}/b.json") }
      .to raise_error(HybridSearch::InvalidInputError, "#{docs}/b.json: is not valid JSON")
    added = index.add_files(docs, on_error: :skip)
    expect(added.skipped.map(&:reason)).to eq(
      [".pdf files are read by Python's program alone: pip install 'hybrid-search[files]'", "is not valid JSON"]
    )
    expect(added.added).to eq(5)
  end

  it "follows no links and reads no pipes" do
    File.symlink("..", "#{docs}/loop")
    File.mkfifo("#{docs}/pipe.md")
    expect(index.add_files(docs).skipped.map(&:reason)).to eq(["a symbolic link", "not a regular file"])
  end

  it "refuses wrong arguments" do
    {
      [3, {}] => "paths must be a path, or a list of paths, not 3",
      ["missing.md", {}] => "\"missing.md\" is neither a file nor a folder",
      [docs, { on_error: "ignore" }] => /\Aon_error must be/,
      [docs, { prune: 1 }] => /\Aprune must be/,
      [docs, { mapping: [] }] => /\Amapping must be/,
      [docs, { chunk: 1 }] => /\Aunknown option "chunk"/
    }.each do |(paths, options), message|
      expect { index.add_files(paths, **options) }.to raise_error(HybridSearch::InvalidInputError, message)
    end
  end
end
