# frozen_string_literal: true

require "spec_helper"
require "support/full_queue"

RSpec.describe HybridSearch::Rerankers::RerankModel do
  it "leaves no thread of an HTTP reranker behind" do
    FullQueue.open do |port|
      client = HybridSearch::HttpReranker.new("http://127.0.0.1:#{port}/rerank", "model")
      model = described_class.new(client, rerank_timeout: 0.1, fail_open: false)
      before = Thread.list.size
      expect { model.scores("q", ["a"]) }
        .to raise_error(HybridSearch::RerankError, /did not answer before the deadline of 0.1 seconds\z/)
      expect(Thread.list.size).to eq(before)
    end
  end

  it "leaves only a limited number of late calls of other models behind" do
    gate = Thread::Queue.new
    model = described_class.new(->(_, texts) { [gate.pop || 0.5] * texts.size }, rerank_timeout: 0.01, fail_open: false)
    most = described_class::MOST_LEFT_BEHIND
    # A call whose thread starts too late ends by itself; on a busy machine this needs a few more calls.
    until described_class.left_behind == most
      expect { model.scores("q", ["a"]) }.to raise_error(HybridSearch::RerankError, /no answer within/)
    end
    expect { model.scores("q", ["a"]) }
      .to raise_error(HybridSearch::RerankError, "the rerank model was not called: 32 late calls are still under way")
    gate.close
    Thread.pass until described_class.left_behind.zero?
    expect(described_class.new(->(_, _) { [0.5] }).scores("q", ["a"])).to eq([0.5])
  ensure
    gate.close
  end
end
