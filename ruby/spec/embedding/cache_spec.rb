# frozen_string_literal: true

require "spec_helper"

RSpec.describe HybridSearch::EmbeddingCache do
  # A provider that waits for permission to respond, and records the texts that it was asked for.
  let(:gate) do
    Class.new do
      attr_reader :asked, :entered, :opened
      attr_accessor :failures

      def initialize
        @asked = []
        @entered = Thread::Queue.new
        @opened = Thread::Queue.new
        @failures = 0
      end

      def call(texts)
        @asked << texts
        @entered << true
        @opened.pop # nil once it is closed
        if @failures.positive?
          @failures -= 1
          raise "down"
        end
        texts.map { |text| [text.length.to_f, 1.0] }
      end
    end.new
  end
  let(:cache) { described_class.new(gate) }

  def run(count)
    Array.new(count) do
      Thread.new do
        yield
      rescue HybridSearch::EmbeddingError => e
        e
      end
    end
  end

  it "computes a key once at a time, and counts waiting callers as hits" do
    threads = run(8) { cache.encode_queries("abc") }
    gate.entered.pop
    gate.opened.close
    expect(threads.map(&:value)).to all(eq([3.0, 1.0]))
    expect(gate.asked).to eq([["abc"]])
    expect([cache.hits, cache.misses]).to eq([7, 1])
  end

  it "does not deadlock on crossing batches" do
    gate.opened.close
    small = described_class.new(gate, capacity: 3)
    texts = %w[a bb ccc dddd]
    orders = Array.new(20) { |shift| texts.rotate(shift) }
    threads = orders.map { |order| Thread.new { small.encode(order) } }
    threads.zip(orders) do |thread, order|
      expect(thread.join(10)).not_to be_nil
      expect(thread.value).to eq(order.map { |text| [text.length.to_f, 1.0] })
    end
    expect(small.hits + small.misses).to eq(80)
  end

  it "lets one of the waiting callers try again after a failure" do
    gate.failures = 1
    threads = run(4) { cache.encode_queries("abc") }
    gate.entered.pop
    gate.opened.close
    results = threads.map(&:value)
    expect(results.grep(HybridSearch::EmbeddingError).size).to eq(1)
    expect(results.count([3.0, 1.0])).to eq(3)
    expect([cache.hits, cache.misses]).to eq([2, 2])
  end

  it "returns frozen vectors" do
    gate.opened.close
    expect(cache.encode_queries("a")).to be_frozen
    expect(cache.encode(%w[a b])).to all(be_frozen)
  end
end
