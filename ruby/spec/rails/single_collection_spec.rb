# frozen_string_literal: true

require "securerandom"
require "support/rails_models"

RSpec.describe "A collection in a store without generations", skip: RailsModels.missing do
  let(:table) { {} }
  let(:find) { ->(ids) { ids.flat_map { |id| table.fetch(id, []) } } }
  let(:made) do
    embedding = HybridSearch::Embedding.new(HybridSearch::HashingEmbedder.new(dimension: 16))
    HybridSearch::Rails::SingleCollection.new(find:, embedding:) { store }
  end

  def passages(id, *texts)
    table[id] = texts.each_with_index.map do |text, place|
      { "id" => "#{id}##{place}", "doc_id" => id, "content" => text }
    end
  end

  shared_examples "a collection" do
    it "contains exactly the documents that find returns" do
      passages("a", "a shed", "of oak", "and pine")
      passages("b", "a barn")
      made.sync(%w[a b c])
      expect([made.ids.sort, made.use(&:count), made.search("barn").first.doc_id]).to eq([%w[a b], 4, "b"])
      passages("a", "a tent")
      table.delete("b")
      made.sync(%w[a b])
      expect([made.ids, made.search("tent").first.id, made.use(&:count)]).to eq([["a"], "a#0", 1])
    end

    it "is rebuilt in place, without removed documents" do
      5.times { |number| passages("d#{number}", "shed #{number}") }
      made.sync(table.keys)
      table.delete("d3")
      passages("d4", "barn")
      told = []
      status = made.reindex(->(_) { table.values.flatten.each }, total: 4, batch_size: 2,
                                                                 progress: ->(done, total) { told << [done, total] })
      expect([made.ids.sort, told, status.stale?]).to eq([%w[d0 d1 d2 d4], [[2, 4], [4, 4]], false])
      expect(made.search("barn").first.doc_id).to eq("d4")
      expect { made.reindex(->(_) { [] }, promote: false) }
        .to raise_error(HybridSearch::InvalidInputError, "promote must be true: this store is reindexed in place")
    end

    it "writes documents again that changed while they were written" do
      passages("a", "old")
      made.sync(["a"])
      changed = lambda do |ids|
        find.call(ids).tap { passages("a", "new") }
      end
      other = HybridSearch::Rails::SingleCollection.new(find: changed) { store }
      other.sync(["a"])
      expect(made.use { |index| index.get("a#0")["content"] }).to eq("new")
    end
  end

  context "with a store in memory" do
    let(:store) { HybridSearch::MemoryDocStore.new }

    it_behaves_like "a collection"
  end

  context "with OpenSearch", engines: true do
    let(:name) { "spec-#{SecureRandom.hex(8)}" }
    let(:store) { HybridSearch::OpenSearchDocStore.new(engine_url("opensearch").split(","), name) }

    after do
      transport = HybridSearch::Stores::OpenSearch::OpenSearchTransport.new(engine_url("opensearch").split(","))
      transport.request("DELETE", "/#{name}*", nil, 30.0)
    end

    it_behaves_like "a collection"
  end
end
