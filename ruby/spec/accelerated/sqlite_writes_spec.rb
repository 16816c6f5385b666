# frozen_string_literal: true

require "sqlite3"
require "tmpdir"

# Fast and plain kernels write the same rows into an index file.
RSpec.describe HybridSearch::Accelerated::FastSqlitePostings do
  blobs = HybridSearch::Stores::Tables::Blobs
  packing = HybridSearch::Stores::Sqlite::SqlitePacking
  words = %w[rule engine 太阳 é w1 w2 w3 w4]
  tables = %w[documents texts free_numbers fields terms postings frequencies lengths vectors sketches vector_models]

  around { |example| Dir.mktmpdir { |folder| @folder = folder and example.run } }

  def path(kernels)
    File.join(@folder, "#{kernels}.hsx")
  end

  def open_both
    %w[plain fast].map { |kernels| HybridSearch::SqliteDocStore.new(path(kernels), kernels:) }
  end

  def rows(path, tables)
    database = SQLite3::Database.new(path)
    tables.to_h { |table| [table, database.execute("SELECT * FROM #{table}").sort_by(&:inspect)] }
  ensure
    database.close
  end

  define_method(:rows_of) do |stores|
    stores.each(&:close)
    plain, fast = %w[plain fast].map { |kernels| rows(path(kernels), tables) }
    expect(fast).to eq(plain)
    fast
  end

  define_method(:document) do |draw, identifier|
    text = Array.new(draw.rand(60)) { words[(8**draw.rand).floor - 1] }.join(" ")
    { "id" => identifier, "content_ltks" => text, "important_kwd" => words.sample(2, random: draw), "kb_id" => "k",
      "q_2_vec" => [draw.rand, 1.0] }
  end

  [1, 3, 256].each do |size|
    it "writes postings for random batches, in chunks of #{size} places" do
      stub_const("HybridSearch::Stores::Tables::Blobs::PLACES_IN_CHUNK", size)
      draw = Random.new(size)
      stores = open_both
      12.times do
        documents = Array.new(draw.rand(1..9)) { document(draw, "d#{draw.rand(40)}") }.uniq { |one| one["id"] }
        gone = Array.new(4) { "d#{draw.rand(40)}" }.uniq
        stores.each do |store|
          store.upsert(documents)
          store.delete(gone.select { |one| store.get(one) })
        end
      end
      rows_of(stores)
    end
  end

  it "writes postings for terms with more places than a chunk has" do
    draw = Random.new(7)
    stores = open_both
    3.times do |batch|
      documents = Array.new(20) do |place|
        { "id" => "#{batch}.#{place}", "content_ltks" => Array.new(90) { words[(3 * (draw.rand**2)).floor] }.join(" ") }
      end
      stores.each { |store| store.insert(documents) }
    end
    expect(rows_of(stores)["postings"].size).to be > 10
  end

  it "packs appended places as if all had been packed at once" do
    draw = Random.new(7)
    50.times do
      numbers = Array.new(draw.rand(30)) { draw.rand(900) * [1, 70_000].sample(random: draw) }.uniq.sort
      places = numbers.flat_map { |number| [0, 5 + draw.rand(300), 20_000].map { |place| (number << 32) | place } }
      cut = draw.rand(places.size + 1) / 3 * 3
      known = packing.pack_places(blobs.pack(places[0, cut]))
      next if cut == places.size

      added = places[cut..].map { |place| [place >> 32, place & 0xFFFF] }
      behind = HybridSearch::Accelerated::AddedTerms::Places.new(*added[0])
      added[1..].each { |number, position| behind.add(number, position) }
      expect(known + behind.packed(packing.last_numbers([known])[0][0])).to eq(packing.pack_places(blobs.pack(places)))
    end
  end
end
