# frozen_string_literal: true

require "tmpdir"
require "measure"

module Bench
  # `Index` as its users call it; the twin of `conformance/bench/contestants/whole_calls.py`, whose file it reads.
  class WholeCalls
    FILE = "hybrid.hsx"

    # Read the questions; documents are read when they are added.
    def load(records:, vectors:, questions:, question_vectors:, dimension:, folder:)
      @records = records
      @vectors = vectors
      @dimension = dimension
      @path = File.join(folder, FILE)
      @questions = Measure.lines(questions)
      known = @questions.zip(rows(question_vectors, 0, @questions.size)).to_h
      @embed = ->(texts) { texts.map { |text| known.fetch(text) } }
      nil
    end

    # Add all documents with vectors in memory.
    def fill_memory
      @memory = HybridSearch::Index.new(embedding: @embed)
      places = Measure.lines(@records).each_with_index
      @memory.add(places.lazy.map { |record, place| { **record, "vector" => rows(@vectors, place, 1).first } })
      @text = HybridSearch::Index.new(store: @memory.store, embedding: nil)
      GC.start
      nil
    end

    # The same, and open the file.
    def fill
      fill_memory
      @file = HybridSearch::Index.open(@path, embedding: @embed)
      { "bytes" => File.size(@path) }
    end

    # Ask all questions in one way: "text", "hybrid", "page" (the second one, by cursor) or "file".
    def run(call:)
      pages, taken = call == "page" ? second_pages : first_pages(call)
      { **taken, "digest" => Measure.digest(pages.flat_map { |page| shown(page) }) }
    end

    # Ask the store in memory all questions in one leg: "dense" or "text".
    def leg(call:, topn:)
      store = @memory.store
      found, taken =
        if call == "dense"
          Measure.each_timed(dense_exprs(topn)) { |expr| store.dense_leg(expr) }
        else
          Measure.each_timed(text_exprs(topn)) { |expr| store.text_leg(expr) }
        end
      { **taken, "digest" => Measure.digest(found.flatten(1).map { |id, score| "#{id} #{Measure.bits(score)}" }) }
    end

    # Add documents without vectors and answer a first question, once everything is loaded.
    def add(records:, kind:, question:, in_file:) # rubocop:disable Lint/UnusedMethodArgument -- anchors need the kind
      found = Measure.lines(records)
      ask_after(found.take(2), question, in_file)
      GC.start
      Measure.timed { ask_after(found, question, in_file) }[1]
    end

    # Open the file and answer one question.
    def first(question:)
      asked = @questions[question]
      page, taken = Measure.timed { HybridSearch::Index.open(@path, embedding: @embed).search(asked) }
      { **taken, "digest" => Measure.digest(shown(page)) }
    end

    # Serve the index over the file; gives the address.
    def serve
      ready = Queue.new
      service = HybridSearch::HttpService.new(@file, read_only: true)
      Thread.new { HybridSearch::Server::HttpServer.new(service, "127.0.0.1", 0).run { |address| ready << address } }
      ready.pop
    end

    # The CPU time of this process until now.
    def used
      Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID)
    end

    # The most bytes of memory that this process has held.
    def peak
      Measure.peak
    end

    private

    def first_pages(call)
      index = { "text" => @text, "hybrid" => @memory, "file" => @file }.fetch(call)
      Measure.each_timed(@questions) { |question| index.search(question) }
    end

    def dense_exprs(topn)
      @questions.map do |text|
        HybridSearch::AdapterKit::MatchDenseExpr.new(field: "q_#{@dimension}_vec", vector: @embed.call([text])[0],
                                                     topn:)
      end
    end

    def text_exprs(topn)
      builder = HybridSearch::QueryBuilder.new
      built = @questions.filter_map { |text| builder.build_text_query(text)[0] }
      built.map do |expr|
        HybridSearch::AdapterKit::MatchTextExpr.new(fields: expr.fields, tree: expr.tree, topn:,
                                                    extra_options: expr.extra_options)
      end
    end

    def second_pages
      asked = @questions.map { |question| [question, @memory.search(question).next_cursor] }.select(&:last)
      Measure.each_timed(asked) { |question, cursor| @memory.search(question, cursor:) }
    end

    def ask_after(records, question, in_file)
      Dir.mktmpdir do |folder|
        path = File.join(folder, FILE)
        index = in_file ? HybridSearch::Index.open(path, embedding: nil) : HybridSearch::Index.new(embedding: nil)
        index.add(records)
        index.search(question)
        index.close
      end
      nil
    end

    def shown(page)
      page.map { |hit| "#{hit.id} #{Measure.bits(hit.score)}" }
    end

    def rows(path, first, count)
      size = 4 * @dimension
      File.binread(path, count * size, first * size).unpack("e*").each_slice(@dimension).to_a
    end
  end
end
