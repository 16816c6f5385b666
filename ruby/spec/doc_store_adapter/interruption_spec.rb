# frozen_string_literal: true

require "spec_helper"
require "support/rounds"

# Batches are all or nothing, even if interrupted at any moment, and a forked child has a working store.
RSpec.describe HybridSearch::MemoryDocStore, unchecked: "batches that are interrupted at any line",
                                             nightly: "with more rounds" do
  library = File.expand_path("../../lib", __dir__)
  tree = HybridSearch::AdapterKit::Tree
  words = Array.new(12) { |place| "w#{place}" }

  document = lambda do |random, identifier|
    {
      "id" => identifier, "content_ltks" => Array.new(random.rand(8)) { words.sample(random:) }.join(" "),
      "important_kwd" => words.sample(random.rand(3), random:), "kb_id" => %w[k1 k2].sample(random:),
      "q_2_vec" => [random.rand - 0.5, random.rand - 0.5]
    }.select { |field, _| field == "id" || random.rand < 0.9 }
  end

  # A method and a batch for it.
  batch = lambda do |random, store|
    stored = store.rank([]).map(&:first)
    case random.rand(4)
    when 0
      fresh = Array.new(1 + random.rand(6)) { "d#{random.rand(400)}" }.uniq - stored
      [:insert, fresh.map { |identifier| document.call(random, identifier) }]
    when 1 then [:update, stored.sample(3, random:).map { |identifier| document.call(random, identifier) }]
    when 2
      mixed = (stored.sample(2, random:) + Array.new(2) { "d#{random.rand(400)}" }).uniq
      [:upsert, mixed.map { |identifier| document.call(random, identifier) }]
    else [:delete, stored.sample(random.rand(4), random:)]
    end
  end

  # Runs a block and raises an Interrupt at its n-th line or return; returns the number of these, or nil.
  run_until = lambda do |moment, &block|
    passed = 0
    ended = false
    tracer = TracePoint.new(:line, :c_return, :return) do |point|
      next unless point.path.start_with?(library) && (passed += 1) == moment

      ended = true
      raise Interrupt
    end
    tracer.enable(target_thread: Thread.current, &block)
    passed
  rescue Interrupt
    ended ? nil : raise
  end

  seen = lambda do |store|
    fields = [["content_ltks", 2.0], ["important_kwd", 3.0]]
    texts = [*words.map { |word| tree::Term.new(word) }, tree::Phrase.new(%w[w1 w2], slop: 2)].map do |node|
      HybridSearch::AdapterKit::MatchTextExpr.new(fields:, tree: node, topn: 500)
    end
    dense = HybridSearch::AdapterKit::MatchDenseExpr.new(field: "q_2_vec", vector: [0.3, -0.7], topn: 500)
    filtered = store.rank([], { "kb_id" => "k1" })
    [*[*texts, dense].map { |expr| store.rank([expr]) }, filtered, store.count, store.generation,
     store.rank([]).map { |identifier, _| store.get(identifier) }]
  end

  HybridSearch::Base::Kernels::INCLUDED.each do |kernels|
    it "stores all of a batch or nothing when it is interrupted at random moments, #{kernels}" do
      random = Random.new(3)
      store = described_class.new(kernels:)
      whole = described_class.new(kernels:)
      interrupted = 0
      rounds = Rounds.of(60, 150)
      rounds.times do
        method, argument = batch.call(random, whole)
        before = store.generation
        rehearsed = Marshal.load(Marshal.dump(argument))
        copy = described_class.new(kernels:)
        copy.insert(whole.rank([]).map { |identifier, _| whole.get(identifier) })
        lines = run_until.call(nil) { copy.public_send(method, rehearsed) }
        interrupted += 1 unless run_until.call(1 + random.rand(lines)) { store.public_send(method, argument) }
        whole.public_send(method, argument) if store.generation > before
        expect(seen.call(store)).to eq(seen.call(whole))
      end
      expect(interrupted).to be >= rounds * 2 / 3
    end
  end

  it "stores all of a batch or nothing when another thread raises in it" do
    store = described_class.new
    10.times do |round|
      begun = Thread::Queue.new
      writer = Thread.new do
        (0..).each do |number|
          begun.push(true)
          documents = Array.new(80) { |place| { "id" => "#{round}-#{number} #{place}", "content_ltks" => "x" } }
          store.insert(documents)
        end
      rescue Interrupt
        store.count
      end
      (1 + round).times { begun.pop }
      writer.raise(Interrupt)
      expect(writer.value % 80).to eq(0)
    end
    listed = store.rank([]).map { |identifier, _| identifier.split[0] }.tally
    expect(listed.values).to all(eq(80))
    fields = [["content_ltks", 1.0]]
    expr = HybridSearch::AdapterKit::MatchTextExpr.new(fields:, tree: tree::Term.new("x"), topn: 10**6)
    expect(store.text_leg(expr).size).to eq(store.count)
  end

  it "works in children that are forked while other threads add and delete", if: Process.respond_to?(:fork) do
    store = described_class.new
    store.insert(Array.new(50) { |place| { "id" => "kept #{place}", "content_ltks" => "x", "q_2_vec" => [1.0, 0.5] } })
    done = false
    writers = Array.new(2) do |number|
      Thread.new do
        until done
          documents = Array.new(20) { |place| { "id" => "#{number} #{place}", "content_ltks" => "x y" } }
          store.insert(documents)
          store.delete(documents.map { |one| one["id"] })
        end
      end
    end
    fields = [["content_ltks", 1.0]]
    expr = HybridSearch::AdapterKit::MatchTextExpr.new(fields:, tree: tree::Term.new("x"), topn: 10_000)
    statuses = Array.new(Rounds.of(8, 20)) do
      Thread.pass
      child = Process.fork do
        Thread.new { sleep(20).then { Process.exit!(2) } }
        found = store.text_leg(expr).size
        store.insert([{ "id" => "child", "content_ltks" => "x" }])
        complete = ((found - 50) % 20).zero? && found == store.count - 1
        store.delete(["child"])
        Process.exit!(complete && store.text_leg(expr).size == found)
      end
      Process.wait2(child)[1].exitstatus
    end
    done = true
    writers.each(&:join)
    expect(statuses).to all(eq(0))
  end
end
