# frozen_string_literal: true

require "spec_helper"

RSpec.describe HybridSearch::AdapterKit::DocStoreContract do
  stores = HybridSearch.constants.map { |name| HybridSearch.const_get(name) }
                       .select { |one| one.is_a?(Class) && one < HybridSearch::DocStoreAdapter }
  ways = stores.to_h { |store| [store.name, -> { store.new }] }
  %w[okapi lucene].product(HybridSearch::Kernels::NAMES) do |bm25, kernels|
    ways["MemoryDocStore, #{bm25}, #{kernels}"] = -> { HybridSearch::MemoryDocStore.new(bm25:, kernels:) }
  end

  it "is asked of every store of the library" do
    expect(stores).to include(HybridSearch::MemoryDocStore)
  end

  described_class.names.product(ways.to_a).each do |name, (way, make)|
    it "is kept by #{way}: #{name}" do
      described_class.new(&make).public_send(name)
    end
  end

  it "tells what a store does not keep" do
    forgetful = Class.new(HybridSearch::MemoryDocStore) { def delete(_identifiers) = 0 }
    expect { described_class.run { forgetful.new } }
      .to raise_error(HybridSearch::DocStoreError, /the store breaks the contract: removed should be 1, is 0/)
  end
end
