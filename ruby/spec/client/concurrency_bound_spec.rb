# frozen_string_literal: true

require "spec_helper"

RSpec.describe HybridSearch::Client::ConcurrencyBound do
  let(:bound) { described_class.new(1) }

  # Threads that wait for a slot, one after the other; each records its number once it has one.
  def waiting(count, served)
    Array.new(count) do |number|
      thread = Thread.new do
        served << number if bound.enter(5.0)
        bound.leave
      end
      Thread.pass until thread.stop?
      thread
    end
  end

  it "assigns slots in the order of arrival" do
    bound.enter(1.0)
    served = Thread::Queue.new
    threads = waiting(6, served)
    bound.leave
    threads.each(&:join)
    expect(Array.new(served.size) { served.pop }).to eq([0, 1, 2, 3, 4, 5])
  end

  it "does not reserve a slot for a caller that gave up" do
    bound.enter(1.0)
    expect(bound.enter(0.01)).to be(false)
    bound.leave
    expect([bound.enter(0.01), bound.enter(0.01)]).to eq([true, false])
  end

  it "passes on the slot of an interrupted caller" do
    bound.enter(1.0)
    thread = waiting(1, Thread::Queue.new).first
    thread.report_on_exception = false
    thread.kill.join
    bound.leave
    expect(bound.enter(0.01)).to be(true)
  end
end
