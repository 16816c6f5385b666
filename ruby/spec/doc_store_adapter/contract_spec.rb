# frozen_string_literal: true

require "spec_helper"

RSpec.describe HybridSearch::DocStoreContract do
  described_class.names.each do |name|
    it "is kept by MemoryDocStore: #{name}" do
      described_class.new { HybridSearch::MemoryDocStore.new }.public_send(name)
    end

    it "is kept by MemoryDocStore with Lucene's BM25: #{name}" do
      described_class.new { HybridSearch::MemoryDocStore.new(bm25: "lucene") }.public_send(name)
    end
  end

  it "tells what a store does not keep" do
    forgetful = Class.new(HybridSearch::MemoryDocStore) { def delete(_identifiers) = 0 }
    expect { described_class.run { forgetful.new } }
      .to raise_error(HybridSearch::DocStoreError, /the store breaks the contract: removed should be 1, is 0/)
  end
end
