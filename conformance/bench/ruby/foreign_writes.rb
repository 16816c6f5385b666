# frozen_string_literal: true

require "measure"

module Bench
  # A store that another process writes to while questions are asked; the twin of
  # `conformance/bench/contestants/foreign_writes.py`.
  class ForeignWrites
    # How many words of a document are a question.
    WORDS = 8

    # Read the questions and their vectors; documents are in the store.
    def load(passages:, passage_vectors:, queries:, query_vectors:, dimension:) # rubocop:disable Lint/UnusedMethodArgument -- as the twin
      @queries = Measure.lines(queries)
      rows = File.binread(query_vectors).unpack("e*").each_slice(dimension)
      vectors = @queries.zip(rows).to_h
      warm_up = [1.0] * dimension
      @embedding = ->(texts) { texts.map { |text| vectors.fetch(text, warm_up) } }
      nil
    end

    # Take a store in a file or in PostgreSQL.
    def open(kind:, path:, collection:)
      store = if kind == "file"
                HybridSearch::SqliteDocStore.new(path)
              else
                HybridSearch::PostgresDocStore.new(ENV.fetch("HYBRID_SEARCH_POSTGRES_URL"), collection:)
              end
      @ways = { "text" => HybridSearch::Index.new(store:),
                "hybrid" => HybridSearch::Index.new(store:, embedding: @embedding) }
      @ways.each_value { |index| index.search("warm up") }
      GC.start
      nil
    end

    # Ask questions about the first documents, one each: their first words.
    def ask_others(path:, count:)
      File.foreach(path, encoding: "UTF-8").first(count).each do |line|
        words = JSON.parse(line)["content_with_weight"].split
        @ways.fetch("text").search(words.first(WORDS).join(" "))
      end
      nil
    end

    # Answer one question, the first page: "text", or "hybrid" with a vector.
    def ask(way:, question:)
      page, taken = Measure.timed { @ways.fetch(way).search(@queries[question]) }
      shown = page.map { |hit| "#{hit.id} #{Measure.bits(hit.score)}" }
      { **taken, "digest" => Measure.digest(shown) }
    end
  end
end
