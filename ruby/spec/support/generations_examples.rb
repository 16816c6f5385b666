# frozen_string_literal: true

# The behaviour of generations in every kind of place: `opened(**options)` opens the same collection each time.
RSpec.shared_examples "generations" do
  it "returns the results of an index, from an empty generation at first" do
    index = opened(embedding: embedder)
    expect([index.clean, index.abandon, index.status.active]).to eq([[], false, "000001"])
    expect([index.count, index.search("shed").to_a, index.ids.to_a]).to eq([0, [], []])
    expect(index.upsert([record(1, "how to build a shed"), record(2, "a wall")])).to eq(2)
    plain = HybridSearch::Index.new(embedding: embedder)
    plain.add([record(1, "how to build a shed"), record(2, "a wall")])
    expect(index.search("shed").map(&:to_h)).to eq(plain.search("shed").map(&:to_h))
    expect(index.similar("1").map(&:id)).to eq(["2"])
    expect(index.search_many(%w[shed wall]).map { |page| page.first.id }).to eq(%w[1 2])
    expect(index.each("wall").map(&:id)).to eq(plain.each("wall").map(&:id))
    expect(index.use { |active| active.get("1")["content"] }).to eq("how to build a shed")
    expect([index.delete(["2", 3]), index.count, index.stats["documents"]]).to eq([1, 1, plain.stats["documents"] - 1])
  end

  it "replaces all records of a document, and lists documents once" do
    index = opened
    index.upsert([record("7#0", doc_id: 7), record("7#1", doc_id: 7), record("7#2", doc_id: 7), record(8)])
    expect(index.upsert([record("7#0", doc_id: 7), record("7#1", "other", doc_id: 7)])).to eq(2)
    expect(index.each(match_all: true).map(&:id)).to contain_exactly("7#0", "7#1", "8")
    expect([index.ids.to_a, index.delete(7), index.ids.to_a]).to eq([%w[7 8], 2, ["8"]])
    expect { index.upsert([record(1), record(1)]) }
      .to raise_error(HybridSearch::InvalidInputError, 'records[1].id "1" is given twice')
  end

  it "embeds only texts that have changed" do
    index = opened(embedding: embedder)
    index.upsert([record(1), record(2)])
    texts.clear
    expect(index.upsert([record(1), record(2, metadata: { lang: "zh" })])).to eq(1)
    expect(texts).to eq([])
    index.upsert([record(1, "other")])
    expect(texts).to eq(["other"])
  end

  it "has writes made during a build in the new generation" do
    index = opened(embedding: embedder)
    index.upsert((1..30).map { |id| record(id, "old #{id}") })
    other = opened(embedding: embedder)
    during = lambda do |done, _|
      next unless done == 10

      other.upsert([record(3, "written"), record(25, "written"), record(31, "written")])
      other.delete([4, 26])
      other.upsert([record(5, "written")])
      other.delete([5])
    end
    status = index.reindex((1..30).map { |id| record(id, "new #{id}") }, batch_size: 10, progress: during)
    contents = other.each(match_all: true).to_h { |hit| [hit.id.to_i, hit.content.split.first] }
    expect(contents.select { |_, word| word == "written" }.keys).to contain_exactly(3, 25, 31)
    expect(contents.reject { |_, word| word == "written" }).to eq(((1..30).to_a - [3, 4, 5, 25, 26]).to_h do |id|
                                                                    [id, "new"]
                                                                  end)
    expect([status.active, status.building, names(other)]).to eq(["000002", nil, %w[000001 000002]])
  end

  it "uses the current result of find, if it is set, in builds and in sync" do
    data = (1..20).to_h { |id| [id.to_s, "one"] }
    find = ->(ids) { ids.filter_map { |id| data[id] && record(id, data[id]) } }
    index = opened(find:)
    following = ->(after) { data.keys.select { |id| after.nil? || id.to_i > after.to_i } }
    source = ->(after) { find.call(following.call(after)) }
    during = lambda do |done, _|
      next unless done == 5

      data["2"] = "two"
      data["18"] = "two"
      data.delete("3")
      index.upsert([record(2, "stale")]) # of another process, which is late
      index.sync(%w[3 18])
    end
    index.reindex(source, batch_size: 5, progress: during)
    read = -> { index.each(match_all: true).to_h { |hit| [hit.id, hit.content] } }
    expect(read.call).to eq(data)
    data.update("1" => "changed", "99" => "added").delete("20")
    expect([index.sync(%w[1 20 99]), read.call == data]).to eq([3, true])
  end

  it "reads documents again under the lock" do
    contents = %w[one two two]
    index = opened(find: ->(_) { [record(1, contents.size > 1 ? contents.shift : contents[0])] })
    index.sync(1)
    expect([index.search("two").map(&:content), contents]).to eq([["two"], ["two"]])
  end

  it "continues after the document that was copied last" do
    index = opened
    source = (1..30).map { |id| record(id) }
    stop = ->(done, _) { raise Interrupt if done == 20 }
    expect { index.reindex(source, batch_size: 10, progress: stop) }.to raise_error(Interrupt)
    expect([index.count, index.status.building, index.status.copied]).to eq([0, "000002", 20])
    index.upsert([record(2, "written")])
    seen = []
    asked = []
    index.reindex(lambda { |after|
                    asked << after
                    source.drop(20)
                  }, batch_size: 10, total: 30, progress: ->(*numbers) { seen << numbers })
    expect([asked, seen, index.count, index.search("written").first.id]).to eq([["20"], [[30, 30]], 30, "2"])
  end

  it "skips copied records of a list, and keeps the records of a document together" do
    index = opened
    source = (1..6).flat_map { |id| [record("#{id}#0", doc_id: id), record("#{id}#1", doc_id: id)] }
    stop = ->(done, _) { raise Interrupt if done == 4 }
    expect { index.reindex(source, batch_size: 2, progress: stop) }.to raise_error(Interrupt)
    seen = []
    index.reindex(source, batch_size: 2, progress: ->(*numbers) { seen << numbers })
    expect([seen, index.count]).to eq([[[6, 12]], 12])
  end

  it "starts over if the code would make another generation" do
    index = opened(definition: "a")
    expect { index.reindex([record(1)], progress: ->(*) { raise Interrupt }) }.to raise_error(Interrupt)
    other = opened(definition: "b")
    expect(other.status.reasons).to eq(['definition: "a" -> "b"'])
    other.reindex([record(2)])
    expect([other.ids.to_a, names(other), other.status.stale?]).to eq([["2"], %w[000001 000003], false])
    expect(index.status.reasons).to eq(['definition: "b" -> "a"'])
  end

  it "promotes later, with all writes, or abandons" do
    index = opened
    index.upsert([record(1, "old")])
    expect { index.promote }.to raise_error(HybridSearch::InvalidInputError, /call reindex/)
    status = index.reindex([record(1, "new")], promote: false)
    expect([status.active, status.building]).to eq(%w[000001 000002])
    index.upsert([record(2)])
    expect([index.search("old").size, index.promote.active, index.search("new").size, index.count])
      .to eq([1, "000002", 1, 2])
    index.reindex([], promote: false)
    expect([index.abandon, index.abandon, index.status.building, index.count]).to eq([true, false, nil, 2])
  end

  it "changes the model of the embedding, and writes to the former generation meanwhile" do
    old = opened(embedding: embedder)
    old.upsert([record(1), record(2)])
    index = opened(embedding: named("second", 12), former_embeddings: [embedder])
    expect(index.status.reasons).to eq(['model: "first" -> "second"', "dimension: 8 -> 12"])
    expect(index.search("article 2").first.scores.cosine).to be > 0.5
    index.upsert([record(3)])
    expect(index.use { |active| active.store.vector_fields["q_8_vec"]["count"] }).to eq(3)
    index.reindex([record(1), record(2), record(3)])
    expect(index.use { |active| active.store.vector_fields.keys }).to eq(["q_12_vec"])
    expect(index.status.stale?).to be(false)
    # A process that has not been restarted yet.
    expect(HybridSearch::Base::Log).to receive(:warning).with(/made by the model "second", which is not here/)
    expect(old.search("article 3").first.id).to eq("3")
    old.upsert([record(1, metadata: { lang: "zh" }), record(4)])
    expect(index.count).to eq(4)
    expect(index.use { |active| active.store.vector_fields["q_12_vec"] })
      .to include("count" => 3, "model" => "second", "origin" => "index")
  end

  it "reuses the vectors of texts that have not changed if the model is the same" do
    index = opened(embedding: embedder, definition: "a")
    index.upsert([record(1), record(2)])
    texts.clear
    changed = [record(1, metadata: { lang: "zh" }), record(2, "other")]
    other = opened(embedding: embedder, definition: "b")
    other.reindex(changed)
    expect(texts).to eq(["other"])
    plain = HybridSearch::Index.new(embedding: embedder)
    plain.add(changed)
    expect(other.search("article").map(&:to_h)).to eq(plain.search("article").map(&:to_h))
    texts.clear
    other.reindex(changed, reuse_vectors: false)
    expect(texts).to eq(["article 1", "other"])
  end

  it "continues a cursor if the next generation is made in the same way, and refuses it otherwise" do
    records = (1..6).map { |id| record(id) }
    index = opened(definition: "a", embedding: embedder)
    index.upsert(records)
    page = index.search("article", limit: 2)
    index.reindex(records)
    following = index.search("article", limit: 4, cursor: page.next_cursor)
    expect([*page, *following].map(&:id)).to eq(index.search("article").map(&:id))
    other = opened(definition: "b", embedding: embedder)
    other.reindex(records)
    expect { other.search("article", limit: 2, cursor: page.next_cursor) }
      .to raise_error(HybridSearch::InvalidCursorError, /made otherwise and is not active any more/)
    expect { other.search("article", cursor: "#{page.next_cursor}A") }
      .to raise_error(HybridSearch::InvalidCursorError, /malformed/)
  end

  it "removes old generations after a grace time, and continues a walk that has begun" do
    index = opened
    reader = opened
    index.upsert((1..4).map { |id| record(id) })
    walk = reader.each("article")
    first = walk.next
    index.reindex((1..4).map { |id| record(id) })
    expect([index.clean, names(index)]).to eq([[], %w[000001 000002]])
    expect([first.id, *3.times.map { walk.next.id }]).to match_array(%w[1 2 3 4])
    expect([index.clean(grace: 0), names(index), reader.count]).to eq([["000001"], %w[000002], 4])
  end

  it "allows one build at a time, and names the one in progress" do
    index = opened
    inner = nil
    index.reindex([record(1)], progress: lambda { |*|
      inner = begin
        Thread.new { opened.reindex([record(2)]) }.tap { |thread| thread.report_on_exception = false }.value
      rescue HybridSearch::DocStoreError => e
        e.message
      end
    })
    expect(inner).to match(/\Athe collection .+ is being reindexed by another process, or thread/)
    expect(index.ids.to_a).to eq(["1"])
  end

  it "waits for another writer for a limited time" do
    order = []
    held = Thread::Queue.new
    slow = opened(find: lambda { |ids|
      order << :slow
      if order.count(:slow) == 2 # under the lock
        held << true
        sleep(0.5)
      end
      ids.map { |id| record(id, "slow") }
    })
    hasty = opened(timeout: 0.1)
    patient = opened
    [slow, hasty, patient].each(&:count)
    thread = Thread.new { slow.sync(1) }
    held.pop
    expect { hasty.upsert([record(1, "hasty")]) }
      .to raise_error(HybridSearch::DocStoreError, /is locked: another writer has not let go of it for 0\.1 seconds/)
    patient.upsert([record(1, "patient")])
    expect(thread.join && patient.search("patient").map(&:content)).to eq(["patient"])
  end

  it "refuses unknown options" do
    expect { opened(embeding: nil) }.to raise_error(HybridSearch::InvalidInputError, /did you mean "embedding"/)
    expect { opened(path: "x") }.to raise_error(HybridSearch::InvalidInputError, /option/)
    expect { opened(find: 1) }.to raise_error(HybridSearch::InvalidInputError, /find must be a callable/)
    expect { opened(store: { pth: 1 }).count }.to raise_error(HybridSearch::InvalidInputError, /option/)
    index = opened
    expect { index.sync(1) }.to raise_error(HybridSearch::InvalidInputError, "sync needs the option find")
    expect { index.upsert([{ id: 1 }]) }.to raise_error(HybridSearch::InvalidInputError, "records[0] has no content")
    expect { index.reindex(1) }.to raise_error(HybridSearch::InvalidInputError, /source must be a list/)
    expect { index.reindex([record(1)], batch_size: 0) }.to raise_error(HybridSearch::InvalidInputError, /batch_size/)
    strange = opened(find: ->(_) { [record(9)] })
    expect { strange.sync(1) }.to raise_error(HybridSearch::InvalidInputError, /"9", which was not asked for/)
  end
end
