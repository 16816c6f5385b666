# frozen_string_literal: true

require "spec_helper"

RSpec.describe HybridSearch::AdapterKit::DocStoreContract do
  described_class.names.product(%w[okapi lucene], HybridSearch::Kernels::NAMES).each do |name, bm25, kernels|
    it "is kept by MemoryDocStore: #{name}, #{bm25}, #{kernels}" do
      described_class.new { HybridSearch::MemoryDocStore.new(bm25:, kernels:) }.public_send(name)
    end
  end

  it "tells what a store does not keep" do
    forgetful = Class.new(HybridSearch::MemoryDocStore) { def delete(_identifiers) = 0 }
    expect { described_class.run { forgetful.new } }
      .to raise_error(HybridSearch::DocStoreError, /the store breaks the contract: removed should be 1, is 0/)
  end
end
