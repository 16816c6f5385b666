# frozen_string_literal: true

RSpec.describe HybridSearch::Base::Observation do
  # Like ActiveSupport::Notifications: the block is the event, and may add data.
  let(:instrumenter) do
    Class.new do
      attr_reader :events

      def initialize = @events = []

      def instrument(name, payload = {})
        yield payload
      ensure
        @events << [name, payload]
      end
    end.new
  end

  def observed(observer, **options)
    HybridSearch::Index.new(observer:, embedding: HybridSearch::HashingEmbedder.new, **options).tap do |index|
      index.add([{ id: "1", content: "apples" }, { id: "2", content: "pears" }])
    end
  end

  def names(events)
    events.map { |name, _| name.delete_suffix(".hybrid_search") }
  end

  it "reports the same to instrumenters and callables" do
    told = []
    [instrumenter, ->(name, data) { told << [name, data] }].each { |one| observed(one).search("apples") }
    without_duration = ->(events) { events.map { |name, data| [name, data.except(:duration)] } }
    expect(names(told)).to eq(%w[embed add embed recall rerank search])
    expect(without_duration.call(told)).to eq(without_duration.call(instrumenter.events))
    expect(told.map { |_, data| data[:duration] }).to all(be >= 0.0)
    told.clear
    observed(->(name, data) { told << [name, data] }).each("apples", &:id)
    expect(names(told)).to eq(%w[embed add embed recall rerank])
  end

  it "reports a failure by the name of its class" do
    expect { observed(instrumenter).search("apples", limit: 0) }.to raise_error(HybridSearch::InvalidInputError)
    expect(instrumenter.events.last).to match(["search.hybrid_search", hash_including(error: "InvalidInputError")])
  end

  it "continues when an observer raises before, after or instead of the work, and logs it once" do
    lines = []
    logger = Object.new
    logger.define_singleton_method(:warn) { |_, &line| lines << line.call }
    before = HybridSearch.logger
    HybridSearch.logger = logger
    raising = { before: ->(_) { raise "before" },
                after: lambda { |work|
                  work.call
                  raise "after"
                },
                silent: ->(_) {},
                swallowing: lambda { |work|
                  begin
                    work.call
                  rescue StandardError
                    nil
                  end
                } }
    raising.each_value do |body|
      observer = Object.new
      observer.define_singleton_method(:instrument) { |_, _, &work| body.call(work) }
      index = observed(observer)
      expect(index.search("apples").first.id).to eq("1")
      expect { index.search("apples", limit: 0) }.to raise_error(HybridSearch::InvalidInputError)
    end
    expect(lines).to eq(["the observer failed, which is told once: RuntimeError: before",
                         "the observer failed, which is told once: RuntimeError: after"])
  ensure
    HybridSearch.logger = before
  end

  it "refuses a value that is not an observer, and uses the module's observer by default" do
    expect { HybridSearch::Index.new(observer: 5) }.to raise_error(
      HybridSearch::InvalidInputError, "observer must be a callable or an object with instrument, not 5"
    )
    HybridSearch.observer = instrumenter
    HybridSearch::Index.new.search("apples")
    HybridSearch::Index.new(observer: nil).search("apples")
    expect(names(instrumenter.events)).to eq(%w[recall rerank search])
  ensure
    HybridSearch.observer = nil
  end

  it "reports exactly the events that the clause lists" do
    clause = File.read(File.expand_path("../../../docs/spec/04-retrieval.md", __dir__), encoding: "UTF-8")
    listed = clause.lines.grep(/\A\| `\w+\.hybrid_search`/).join.scan(/`(\w+)\.hybrid_search`/).flatten
    index = observed(instrumenter)
    index.update([{ id: "1", title: "Fruit" }])
    index.upsert([{ id: "1", content: "plums" }])
    index.search("apples")
    service = HybridSearch::RetrievalService.new(index.store, observer: instrumenter)
    service.retrieve("apples", search_method: "full_text_search")
    expect(names(instrumenter.events).uniq).to match_array(listed)
  end

  it "works without Rails" do
    expect(defined?(ActiveSupport)).to be_nil
  end
end
