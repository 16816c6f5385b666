# frozen_string_literal: true

require "spec_helper"
require "support/engines"
require "securerandom"

RSpec.describe HybridSearch::OpenSearchDocStore, engines: true do
  include Engines

  let(:urls) { engine_url("opensearch").split(",") }
  let(:names) { [] }

  after do
    transport = HybridSearch::Stores::OpenSearch::OpenSearchTransport.new(urls)
    names.each { |name| transport.request("DELETE", "/#{name}*", nil, 30.0) }
  end

  def store(**options)
    names << "t#{SecureRandom.hex(12)}"
    described_class.new(urls, names.last, replicas: 0, **options)
  end

  HybridSearch::AdapterKit::DocStoreContract.names.each do |name|
    tags = name == "test_listing_has_no_end" ? { by_day: false } : {}
    it "fulfils the contract as declared: #{name}", **tags do
      HybridSearch::AdapterKit::DocStoreContract.new { store }.public_send(name)
    end
  end

  it "rebuilds an index with all its documents" do
    filled = store
    filled.insert(Array.new(50) { |place| { "id" => "d#{place}", "content_ltks" => "solar", "q_2_vec" => [1.0, 2.0] } })
    filled.keep_vector_model("q_2_vec", "small")
    expect(filled.reindex(shards: 2)).to eq("#{names.last}-000002")
    expect(filled.count).to eq(50)
    expect(filled.get("d7")).to eq({ "id" => "d7", "content_ltks" => "solar", "q_2_vec" => [1.0, 2.0] })
    expect(filled.vector_fields["q_2_vec"]["model"]).to eq("small")
  end
end
