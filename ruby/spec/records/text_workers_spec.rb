# frozen_string_literal: true

require "spec_helper"
require "tmpdir"

# Processes that cut texts into tokens (IDX-7).
RSpec.describe HybridSearch.const_get(:Records)::TextWorkers do
  let(:records) do
    Array.new(7) { |place| { "id" => place.to_s, "title" => "No. #{place}.md", "content" => "规则 6-2-#{place} cells" } }
  end
  let(:index) { HybridSearch::Index.new }

  def stored(index)
    records.map { |each| index.store.get(each["id"]) }
  end

  def own_tokenizer
    segmenter = HybridSearch::Segmenter.new
    segmenter.add_word("则 6")
    segmenter.add_word("规则", frequency: 0)
    HybridSearch::Tokenizer.new(segmenter:, stemming: false)
  end

  it "passes added words and stemming to workers" do
    plain, ahead = Array.new(2) { HybridSearch::Index.new(tokenizer: own_tokenizer) }
    plain.add(records)
    ahead.add(records, workers: 2, batch_size: 2)
    expect(stored(ahead)).to eq(stored(plain))
  end

  it "applies a word that is added between two batches to the later ones" do
    segmenter = HybridSearch::Segmenter.new
    tokenizer = HybridSearch::Tokenizer.new(segmenter:)
    fields = HybridSearch.const_get(:Records)::RecordFields.new(tokenizer)
    texts = { "content" => "某某甲乙 cells" }
    before = fields.of_texts(texts)
    found = []
    described_class.open(tokenizer, 2) do |ahead|
      expect(ahead.push([{ "id" => "1", **texts }])).to be_nil
      segmenter.add_word("某甲乙", frequency: 1000)
      expect(ahead.push([{ "id" => "2", **texts }])).to be_nil
      ahead.rest { |_, ready| found << ready }
    end
    expect(found).to eq([[before], [fields.of_texts(texts)]])
    expect(before).not_to eq(fields.of_texts(texts))
  end

  it "refuses a tokenizer that another process cannot create" do
    [->(text) { text.split }, Class.new(HybridSearch::Tokenizer).new].each do |tokenizer|
      index = HybridSearch::Index.new(tokenizer:)
      expect { index.add(records, workers: 2) }
        .to raise_error(HybridSearch::InvalidInputError, /\Aworkers must be 1 with this tokenizer, not 2: only a T/)
      expect(index.add(records, workers: 1)).to eq(7)
    end
  end

  it "raises an error when a process is killed, and preserves earlier batches" do
    started = []
    allow(IO).to receive(:popen).and_wrap_original do |made, *arguments, **options|
      made.call(*arguments, **options).tap { |pipe| started << pipe }
    end
    given = Enumerator.new do |out|
      records.each_with_index do |record, place|
        Process.kill("KILL", started.first.pid) if place == 4
        out << record
      end
    end
    Dir.mktmpdir do |folder|
      HybridSearch::Index.open(File.join(folder, "a.hsx")) do |index|
        expect { index.add(given, workers: 2, batch_size: 1) }
          .to raise_error(HybridSearch::ConfigurationError,
                          "a worker process ended before it had cut its texts: signal 9")
        expect(index.count).to be < 7
        expect(index.check).to eq([])
        expect(started).to all(be_closed)
        missing = records.reject { |each| index.get(each["id"]) }
        expect(index.add(missing, workers: 3)).to eq(missing.size)
      end
    end
  end

  { [1, 2] => {}, [3] => { nightly: "as is", by_day: false } }.each do |counts, tags|
    it "raises an error of the source after the earlier batches, with #{counts.join(" or ")} workers", **tags do
      counts.each do |workers|
        index = HybridSearch::Index.new
        given = Enumerator.new do |out|
          records.take(3).each { |record| out << record }
          raise IOError, "the disk is gone"
        end
        expect { index.add(given, workers:, batch_size: 1) }.to raise_error(IOError, "the disk is gone")
        expect(index.count).to eq(3)
      end
    end
  end

  it "reads as many batches as processes in advance" do
    read = 0
    given = Enumerator.new do |out|
      records.each do |record|
        read += 1
        out << record
      end
    end
    seen = []
    index.add(given, workers: 2, batch_size: 1, progress: ->(done, _) { seen << [done, read] })
    expect(seen).to eq([[1, 3], [2, 4], [3, 5], [4, 6], [5, 7], [6, 7], [7, 7]])
  end

  it "raises an error when a process cannot be started" do
    stub_const("RbConfig", Class.new { def self.ruby = "/nowhere/ruby" })
    expect { index.add(records, workers: 2) }
      .to raise_error(HybridSearch::ConfigurationError, "a worker process could not start: No such file or directory")
  end

  it "converts texts of a subclass to plain texts" do
    own = Class.new(String)
    index.add([{ "id" => "1", "content" => own.new("Rule 6-2-1"), "keywords" => [own.new("red")] }], workers: 2)
    expect(index.store.get("1")["important_tks"]).to eq("red")
  end

  it "adds files with the same counts" do
    Dir.mktmpdir do |folder|
      5.times { |place| File.write(File.join(folder, "#{place}.txt"), "Rule 6-2-#{place}\n\ncells") }
      seen = [1, 2].map do |workers|
        calls = []
        progress = ->(*told) { calls << told }
        added = HybridSearch::Index.new.add_files(folder, batch_size: 2, workers:, progress:)
        [added.read, added.added, calls]
      end
      expect(seen.first).to eq(seen.last)
    end
  end
end
