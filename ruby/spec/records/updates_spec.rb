# frozen_string_literal: true

require "spec_helper"

# The expected records of an index after each step, computed without a store.
class RecordModel
  attr_reader :records

  def initialize(embeds, title_weight)
    @records = {}
    @embeds = embeds
    @title_weight = title_weight
  end

  # Each method returns the texts to embed, or nil if it must be refused.
  def add(records)
    upsert(records) unless records.keys.intersect?(@records.keys)
  end

  def upsert(records)
    @records.update(records.transform_values { |record| settled(record) })
    asked(records.values.reject { |record| record.key?("vector") })
  end

  def delete(records)
    records.each_key { |key| @records.delete(key) }
    []
  end

  def update(changes)
    return unless changes.keys.all? { |key| @records.key?(key) }

    embedded = []
    following = changes.to_h do |key, change|
      before = @records[key]
      after = before.merge(change).compact
      unless texts(before) == texts(after) || change.key?("vector")
        return nil if !@embeds && before.key?("vector")

        after.delete("vector")
      end
      removed = change.key?("vector") && change["vector"].nil?
      embedded << after if !after.key?("vector") && (removed || texts(before) != texts(after))
      [key, settled(after)]
    end
    @records.update(following)
    asked(embedded)
  end

  private

  def texts(record)
    title = record.fetch("title", "")
    content = record["content"]
    found = blank?(content) || @title_weight.nil? ? [content] : [content, title]
    found = [title] if blank?(content)
    found.reject { |text| blank?(text) }
  end

  def blank?(text)
    text.tr("\0", " ").strip.empty?
  end

  # A name that is its title's, or empty without one, follows the title.
  def settled(record)
    record["document_name"] == record.fetch("title", "") ? record.except("document_name") : record
  end

  def asked(records)
    wanted = @embeds ? records.map { |record| texts(record) } : []
    wanted.filter_map(&:first) + wanted.filter_map { |texts| texts[1] }
  end
end

# After any changes, the index equals one to which only the remaining records were added (IDX-5).
RSpec.describe HybridSearch::Index, unchecked: "random updates" do
  tokenizer = HybridSearch::Tokenizer.new
  term_weight = HybridSearch::TermWeight.new(tokenizer:)
  hashing = HybridSearch::HashingEmbedder.new(dimension: 4)
  texts = ["red wine", "Red wine.TXT", "红酒 rule 6-2-1", "", "\0 ", "wine and <td>cheese</td>"]
  values = {
    "content" => texts, "title" => texts, "document_name" => texts.take(4),
    "keywords" => [[], ["good"], ["red wine", "good"]], "questions" => [[], ["which wine?", "红酒"]],
    "tags" => [{}, { "x" => 1 }, { "x" => 1.0 }, { "y.z" => 2.5 }], "page_rank" => [0, 3, 3.0],
    "doc_id" => %w[d r1], "kb_id" => %w[k l], "positions" => [[1], [[1, 2], [3]]], "available" => [true, false],
    "metadata" => [{ "n" => 1 }, { "n" => 1.0 }, { "n" => true }, { "in" => { "a" => ["x", nil] } }],
    "vector" => [[1.0, 0.5, 0.0, 0.25], [0.0, 0.0, 0.0, 1.0], [3.0, 4.0]]
  }
  keys = %w[r1 r2 r3]

  # A method, and the records of some ids.
  step = lambda do |random|
    method = %i[add update upsert delete update][random.rand(5)]
    records = keys.sample(1 + random.rand(2), random:).to_h do |key|
      chosen = values.select { random.rand < 0.25 }.transform_values { |some| some.sample(random:) }
      chosen["content"] ||= texts.sample(random:) unless method == :update
      if method == :update
        chosen = chosen.to_h { |name, value| [name, name != "content" && random.rand < 0.3 ? nil : value] }
      end
      [key, chosen]
    end
    [method, records]
  end

  write = lambda do |index, method, records|
    next index.delete(records.keys) if method == :delete

    index.public_send(method, records.map { |key, record| record.merge("id" => key) })
  end

  an_index = lambda do |embedding, title_weight, kernels|
    described_class.new(embedding:, title_weight:, kernels:, any_vectors: true, tokenizer:, term_weight:,
                        min_score: 0.0)
  end

  # `inspect` distinguishes 1, 1.0 and true.
  sorted = lambda do |value|
    case value
    when Hash then value.sort.map { |key, item| [key, sorted.call(item)] }
    when Array then value.map { |item| sorted.call(item) }
    else value.inspect
    end
  end

  seen = lambda do |index|
    answers = ["red wine", "红酒", "rule 6-2-1", "cheese good"].map do |question|
      index.search(question, filters: { "available" => [true, false] }, highlight: true)
           .to_h.except("next_cursor") # it has the generation
    end
    browsed = index.search(match_all: true, order_by: [%w[page_rank desc]], facets: %w[metadata.n document_name])
    listed = [browsed.map(&:id), browsed.to_h["facets"], index.count]
    sorted.call([keys.map { |key| index.store.get(key) }, answers, listed])
  end

  [true, false].product([nil, 0.1], HybridSearch::Base::Kernels::INCLUDED).each do |embeds, title_weight, kernels|
    it "equals an index to which only the remaining records were added, #{[embeds, title_weight, kernels].inspect}" do
      random = Random.new(embeds ? 5 : 6)
      25.times do
        asked = []
        embedding = embeds ? ->(given) { hashing.encode(given.each { |text| asked << text }) } : nil
        index = an_index.call(embedding, title_weight, kernels)
        model = RecordModel.new(embeds, title_weight)
        12.times do
          method, records = step.call(random)
          before = records.to_h { |key, _| [key, sorted.call(index.store.get(key))] }
          asked.clear
          expected = model.public_send(method, records)
          if expected.nil?
            expect { write.call(index, method, records) }.to raise_error(HybridSearch::InvalidInputError)
            expect(records.keys.to_h { |key| [key, sorted.call(index.store.get(key))] }).to eq(before)
          else
            changed = write.call(index, method, records)
            expect(asked).to eq(expected)
            expect(changed).to eq(records.keys.count { |key| sorted.call(index.store.get(key)) != before[key] })
          end
        end
        fresh = an_index.call(embeds ? hashing : nil, title_weight, kernels)
        fresh.add(model.records.to_a.shuffle(random:).map { |key, record| record.merge("id" => key) })
        expect(seen.call(index)).to eq(seen.call(fresh))
      end
    end
  end

  it "loses nothing when several threads update the same documents" do
    index = described_class.new(embedding: HybridSearch::HashingEmbedder.new(dimension: 16), title_weight: 0.5,
                                tokenizer:)
    index.add(Array.new(4) { |place| { id: place.to_s, content: "nothing", title: "none" } })
    parts = %i[title content document_name]
    threads = parts.map do |part|
      Thread.new do
        20.times do |number|
          index.update([0, 1, 2, 3].sample(2).map { |place| { id: place.to_s, part => "#{part} #{number}" } })
        end
        index.update(Array.new(4) { |place| { id: place.to_s, part => "last #{part} #{place}" } })
      end
    end
    threads.each(&:join)
    fresh = described_class.new(embedding: HybridSearch::HashingEmbedder.new(dimension: 16), title_weight: 0.5,
                                tokenizer:)
    fresh.add(Array.new(4) { |place| { id: place.to_s, **parts.to_h { |part| [part, "last #{part} #{place}"] } } })
    expect(Array.new(4) { |place| index.store.get(place.to_s) })
      .to eq(Array.new(4) { |place| fresh.store.get(place.to_s) })
  end

  it "reads documents again that change while an update is embedded" do
    index = nil
    meddled = false
    embedder = HybridSearch::HashingEmbedder.new(dimension: 8)
    embedding = lambda do |given|
      if given.include?("new content") && !meddled
        meddled = true
        index.update([{ id: "1", title: "new title" }])
      end
      embedder.encode(given)
    end
    index = described_class.new(embedding:, title_weight: 0.5, tokenizer:)
    index.add([{ id: "1", content: "old content", title: "old title" }])
    expect(index.update([{ id: "1", content: "new content" }])).to eq(1)
    fresh = described_class.new(embedding: embedder, title_weight: 0.5, tokenizer:)
    fresh.add([{ id: "1", content: "new content", title: "new title" }])
    expect(index.store.get("1")).to eq(fresh.store.get("1"))
    expect(meddled).to be(true)
  end

  it "refuses an update of a document removed meanwhile, with the position of the record" do
    emptied = Class.new(HybridSearch::MemoryDocStore) do
      def update(documents)
        delete(["2"])
        super
      end
    end
    index = described_class.new(store: emptied.new, tokenizer:)
    index.add(Array.new(3) { |place| { id: place.to_s, content: "x" } })
    expect { index.update(Array.new(3) { |place| { id: place.to_s, content: "y" } }, batch_size: 2) }
      .to raise_error(HybridSearch::InvalidInputError, 'records[2].id "2" is not stored; use add or upsert')
  end
end
