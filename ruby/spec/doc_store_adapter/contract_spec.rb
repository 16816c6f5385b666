# frozen_string_literal: true

require "spec_helper"
require "support/sqlite_gem"
require "tmpdir"

RSpec.describe HybridSearch::AdapterKit::DocStoreContract do
  stores = HybridSearch.constants.map { |name| HybridSearch.const_get(name) }
                       .select { |one| one.is_a?(Class) && one < HybridSearch::DocStoreAdapter }
  folder = Dir.mktmpdir
  files = 0
  ways = { "MemoryDocStore" => -> { HybridSearch::MemoryDocStore.new } }
  %w[okapi lucene].product(HybridSearch::Base::Kernels::INCLUDED) do |bm25, kernels|
    ways["MemoryDocStore, #{bm25}, #{kernels}"] = -> { HybridSearch::MemoryDocStore.new(bm25:, kernels:) }
  end

  (SqliteGem.missing ? [] : HybridSearch::Base::Kernels::INCLUDED).each do |kernels|
    ways["SqliteDocStore, #{kernels}"] = lambda do
      path = File.join(folder, "#{files += 1}.hsx")
      HybridSearch::SqliteDocStore.new(path, kernels:, synchronous: "normal")
    end
  end

  large = %w[test_frequencies_and_places_have_no_limit test_ids_are_told_apart test_listing_has_no_end
             test_names_of_fields_are_told_apart test_queries_of_many_clauses test_tokens_are_told_apart
             test_vectors_of_every_kind test_writers_end_as_one_would]

  # Hooks that exist only for stores in files.
  let(:hooks) do
    { reopen: ->(store) { reopened(store) if store.respond_to?(:path) },
      open_beside: ->(store) { HybridSearch::SqliteDocStore.new(store.path) if store.respond_to?(:path) } }
  end

  def reopened(store)
    store.close
    HybridSearch::SqliteDocStore.new(store.path)
  end

  after(:context) { FileUtils.remove_entry(folder) }

  # Stores that need a server are checked by their own specs.
  it "is checked for every store of the library" do
    expect(stores).to contain_exactly(HybridSearch::MemoryDocStore, HybridSearch::OceanBaseDocStore,
                                      HybridSearch::OpenSearchDocStore, HybridSearch::PostgresDocStore,
                                      HybridSearch::SqliteDocStore)
  end

  described_class.names.product(ways.to_a).each do |name, (way, make)|
    tags = large.include?(name) ? { unchecked: "large documents, and many" } : {}
    # The walk of tens of thousands of documents is only in every run for some stores.
    walked = ["MemoryDocStore", "SqliteDocStore, fast"].include?(way)
    tags = { **tags, nightly: "as is", by_day: false } if name == "test_listing_has_no_end" && !walked
    it "is fulfilled by #{way}: #{name}", **tags do
      bm25 = way.include?("lucene") ? "lucene" : "okapi"
      make_reference = -> { HybridSearch::MemoryDocStore.new(bm25:, kernels: "plain") }
      described_class.new(make_reference:, **hooks, &make).public_send(name)
    end
  end

  it "reports what a store violates" do
    forgetful = Class.new(HybridSearch::MemoryDocStore) { def delete(_identifiers) = 0 }
    expect { described_class.run { forgetful.new } }
      .to raise_error(HybridSearch::DocStoreError, /the store breaks the contract: removed should be 1, is 0/)
  end
  # A store that refuses bags of tokens, and whether it promises to accept them.
  def without_bags(promise)
    Class.new(HybridSearch::MemoryDocStore) do
      define_method(:exact_text?) { promise }
      def rank(match_exprs, filters = nil)
        bag = match_exprs.any?(HybridSearch::AdapterKit::MatchBm25fExpr)
        raise HybridSearch::InvalidInputError, "this store answers no MatchBm25fExpr" if bag

        super
      end
    end
  end

  it "accepts a refusal of bags of tokens if exact texts are not promised" do
    expect { described_class.new { without_bags(false).new }.test_bags_of_tokens }.not_to raise_error
  end

  it "does not accept a refusal of bags of tokens if exact texts are promised" do
    expect { described_class.new { without_bags(true).new }.test_bags_of_tokens }
      .to raise_error(HybridSearch::DocStoreError, /it promises supports_bm25f, and refuses a MatchBm25fExpr: this/)
  end

  it "finds wrong results for bags of tokens" do
    silent = Class.new(HybridSearch::MemoryDocStore) { def rank(_exprs, _filters = nil) = [] }
    expect { described_class.new { silent.new }.test_bags_of_tokens }
      .to raise_error(HybridSearch::DocStoreError, /bags of tokens, 0 should be 3 items, is 0/)
  end
end
