# frozen_string_literal: true

require "measure"

module Bench
  # `MemoryDocStore#rank` of a `MatchBm25fExpr`, and of a `MatchTextExpr` of the same terms; the twin of
  # `conformance/bench/contestants/bm25f_leg.py`.
  class Bm25fLeg
    TITLE = 8
    FIELDS = [["title_tks", 3.0], ["content_ltks", 1.0]].freeze
    TOP = 10
    BATCH = 1000

    # Store the documents (lists of token numbers, the title first).
    def load(documents:)
      @store = HybridSearch::MemoryDocStore.new
      Measure.lines(documents).each_with_index.each_slice(BATCH) do |batch|
        @store.insert(batch.map { |tokens, number| record(tokens, number) })
      end
      nil
    end

    # Read the queries to answer (lists of token numbers).
    def take(queries:)
      asked = Measure.lines(queries).map { |tokens| tokens.map { |token| "t#{token}" } }
      @bags = asked.map { |tokens| HybridSearch::AdapterKit::MatchBm25fExpr.new(fields: FIELDS, tokens:, topn: TOP) }
      @trees = asked.map { |tokens| tree(tokens) }
      GC.start
      nil
    end

    # Answer all queries, one after the other.
    def run(tree:)
      Measure.each_timed(tree ? @trees : @bags) { |query| @store.rank([query]) }[1]
    end

    # For every query the best documents and the bits of their scores.
    def answers
      @bags.map { |query| @store.rank([query]).map { |name, score| [name.to_i, Measure.bits(score)] } }
    end

    private

    def record(tokens, number)
      { "id" => format("%07d", number),
        "title_tks" => text(tokens.take(TITLE)), "content_ltks" => text(tokens.drop(TITLE)) }
    end

    def text(tokens)
      tokens.map { |token| "t#{token}" }.join(" ")
    end

    def tree(tokens)
      terms = tokens.map { |token| HybridSearch::AdapterKit::Tree::Term.new(token) }
      tree = HybridSearch::AdapterKit::Tree::AnyOf.new(terms)
      HybridSearch::AdapterKit::MatchTextExpr.new(fields: FIELDS, tree:, topn: TOP)
    end
  end
end
