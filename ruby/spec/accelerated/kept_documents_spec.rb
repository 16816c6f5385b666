# frozen_string_literal: true

require "tmpdir"

RSpec.describe HybridSearch::Accelerated::KeptDocuments do
  let(:held) { [{ "content" => "x" * 1000 }, []] }

  def numbers(kept)
    (0..5).select { |number| kept.find(number) }
  end

  it "evicts the documents that were read first when the cache is full" do
    kept = described_class.new(7000)
    5.times { |number| kept.keep(number, held) }
    expect(numbers(kept)).to eq([2, 3, 4])
  end

  it "counts everything in a value as memory" do
    ["x" * 6000, ["x" * 50] * 70, { "a" => { "b" * 3000 => ["x" * 3000] } }].each do |value|
      kept = described_class.new(7000)
      kept.keep(0, [{ "content" => "x" }, []])
      kept.keep(1, [{ "metadata" => value }, []])
      expect(kept.find(0)).to be_nil
    end
  end

  it "has the unchanged documents of a later state" do
    kept = described_class.new(7000)
    3.times { |number| kept.keep(number, held) }
    later = kept.after([1, 9])
    5.times { |number| later.keep(number + 3, held) if number < 2 }
    expect(numbers(later)).to eq([2, 3, 4])
    expect(kept.find(1)).to be_nil # a search that still runs reads it again
  end

  it "reads a document of a file again once it has changed" do
    Dir.mktmpdir do |folder|
      store = HybridSearch::SqliteDocStore.new(File.join(folder, "d.hsx"))
      store.insert([{ "id" => "a", "content_ltks" => "rule" }])
      2.times { expect(store.get_many(["a"], [])[0]["content_ltks"]).to eq("rule") }
      store.update([{ "id" => "a", "content_ltks" => "law" }])
      expect(store.get_many(["a"], [])[0]["content_ltks"]).to eq("law")
      store.close
    end
  end
end
