# frozen_string_literal: true

# Places and texts are unpacked unchanged; bytes in another format are refused.
RSpec.describe HybridSearch::Stores::Sqlite::SqlitePacking do
  places = [0, 5, (3 << 32) + 200, (3 << 32) + 70_000, (3 << 32) + 0xFFFFFFFF, 0x7FFFFFFF << 32].pack("q<*")

  it "packs places alike in both languages" do
    packed = described_class.pack_places(places)
    expect(packed.unpack1("H*")).to eq("000000050381480084a128008ffffbdd0f87ffffff7c00")
    expect(described_class.count_places(packed)).to eq(6)
    expect(described_class.unpack_places([packed])).to eq(places)
    expect(described_class.unpack_places([described_class.pack_places("".b)])).to eq("".b)
    expect(described_class.unpack_places([])).to eq("".b)
  end

  it "unpacks blobs one after the other" do
    rows = ["0005", "0205", "", "0005814800", "0000"].map { |row| [row].pack("H*") }
    numbers = [5, (2 << 32) + 5, 5, 200 << 32, 0]
    expect(described_class.unpack_places(rows)).to eq(numbers.pack("q<*"))
  end

  it "finds the last document and the number of places" do
    known = [[], [5], [1 << 32, (1 << 32) + 70_000], [3, (900 << 32) + 200]]
    packed = known.map { |some| described_class.pack_places(some.pack("q<*")) }
    expect(described_class.last_numbers(packed)).to eq([[-1, 0, 1, 900], [0, 1, 2, 2]])
  end

  it "finds no last document in rows that are not places" do
    [%w[00], %w[000081], %w[00 00], %w[0081 0000], %w[0000 888080808000]].each do |rows|
      packed = rows.map { |row| [row].pack("H*") }
      expect { described_class.last_numbers(packed) }.to raise_error(ArgumentError, /number|place/)
    end
  end

  it "refuses bytes in another format" do
    rows = [%w[00], %w[000081], %w[8180808080808000], %w[888080808000], %w[009080808000], %w[00 00], %w[0081 0000]]
    rows.each do |packed|
      expect { described_class.unpack_places(packed.map { |row| [row].pack("H*") }) }.to raise_error(ArgumentError)
    end
    expect { described_class.unpack_text("no text") }.to raise_error(ArgumentError)
  end

  it "unpacks texts unchanged" do
    ["", "rule\0", "运费" * 1000].each do |text|
      expect(described_class.unpack_text(described_class.pack_text(text))).to eq(text)
    end
  end
end
