# frozen_string_literal: true

require "measure"

module Bench
  # `SqliteDocStore`, opened and asked; the twin of `conformance/bench/contestants/index_files.py`, whose files it
  # reads.
  class IndexFile
    BATCH = 4000
    DIMENSION = 256
    KIT = HybridSearch::AdapterKit

    # Open the file, and answer one question.
    def first(path:, dense:)
      found, taken = Measure.timed { answer(HybridSearch::SqliteDocStore.new(path), dense) }
      { **taken, "digest" => digest(found) }
    end

    # Read all documents into a store in memory, and answer the same question.
    def memory(path:, dense:)
      found, taken = Measure.timed { answer(in_memory(path), dense) }
      { **taken, "digest" => digest(found) }
    end

    private

    def in_memory(path)
      store = HybridSearch::MemoryDocStore.new
      HybridSearch::SqliteDocStore.open(path) do |file|
        file.rank([]).map(&:first).each_slice(BATCH) { |ids| store.insert(ids.map { |id| file.get(id) }) }
      end
      store
    end

    def answer(store, dense)
      terms = %w[w70 w700 w7000 w71 w20].map { |word| KIT::Tree::Term.new(word) }
      tree = KIT::Tree::AnyOf.new([*terms, KIT::Tree::Phrase.new(%w[w20 w70], slop: 2)])
      exprs = [KIT::MatchTextExpr.new(fields: [["content_ltks", 2.0]], tree:, topn: 1024,
                                      extra_options: { "minimum_should_match" => 0.3 })]
      exprs.push(nearest, KIT::FusionExpr.new("weighted_sum", 1024, { "weights" => "0.05,0.95" })) if dense
      store.search(match_exprs: exprs, filters: { "available_int" => 1 }, limit: 64)
    end

    def nearest
      vector = Array.new(DIMENSION) { |place| (((place * 37) % 101) - 50) / 50.0 }
      KIT::MatchDenseExpr.new(field: "q_#{DIMENSION}_vec", vector:, topn: 1024, extra_options: { "similarity" => 0.1 })
    end

    def digest(found)
      Measure.digest(found.ids.map { |id| "#{id} #{Measure.bits(found.scores[id])}" })
    end
  end
end
