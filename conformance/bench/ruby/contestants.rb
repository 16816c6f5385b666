# frozen_string_literal: true

require "block_rounds"
require "measure"
require "foreign_writes"
require "index_files"
require "bm25f_leg"
require "whole_calls"

# The port as it is measured; the twin of `conformance/bench/contestants/reference.py`.
module Bench
  # `Segmenter#cut`, with HMM.
  class Segmentation
    # Read the lines and load the dictionary.
    def load(path:)
      @lines = Measure.lines(path)
      @segmenter = HybridSearch::Segmenter.new
      @segmenter.cut("热身")
      nil
    end

    # Cut all lines.
    def run
      cut, taken = Measure.timed { @lines.map { |line| @segmenter.cut(line) } }
      { **taken, "digest" => Measure.digest(cut.map { |tokens| tokens.join("\u0001") }) }
    end
  end

  # `Dictionary`, once in a process.
  class DictionaryLoad
    def run
      kind = HybridSearch::Text::Dictionary
      HybridSearch::Base::Validation.text("term", "中国")
      GC.start
      before = Measure.resident
      dictionary, taken = Measure.timed { kind.new.tap { |one| one.frequency("中国") } }
      GC.start
      { **taken, "memory" => Measure.resident - before, "frequency" => dictionary.frequency("中国") }
    end
  end

  # `KeywordExtractor#extract`, the best 20.
  class FindKeywords
    # Read the lines and load the dictionary and the frequencies.
    def load(path:)
      @lines = Measure.lines(path)
      stop_words = HybridSearch::Text::StopWords.jieba_words
      @extractors = { false => HybridSearch::KeywordExtractor.new(identifiers: false, stop_words:),
                      true => HybridSearch::KeywordExtractor.new }
      @extractors.each_value { |extractor| extractor.extract("热身") }
      nil
    end

    # Find the keywords of all lines.
    def run(identifiers: false)
      extractor = @extractors.fetch(identifiers)
      found, taken = Measure.timed { @lines.map { |line| extractor.extract(line, limit: 20) } }
      shown = found.map { |one| [*one.words, *one.weights.map { |weight| Measure.bits(weight) }, *one.parts] }
      { **taken, "digest" => Measure.digest(shown.map { |texts| texts.join("\u0001") }) }
    end
  end

  # `MemoryDocStore#text_leg` for a bag of terms over one field.
  class TextLeg
    TOP = 10
    BATCH = 1000

    # Store the documents (lists of token numbers).
    def load(documents:)
      @store = HybridSearch::MemoryDocStore.new
      Measure.lines(documents).each_with_index.each_slice(BATCH) do |batch|
        @store.insert(batch.map { |tokens, number| { "id" => format("%07d", number), "body_ltks" => text(tokens) } })
      end
      nil
    end

    # Read the queries to answer (lists of token numbers).
    def take(queries:)
      @queries = Measure.lines(queries).map { |tokens| expression(tokens) }
      GC.start
      nil
    end

    # Answer all queries, one after the other.
    def run
      Measure.each_timed(@queries) { |query| @store.text_leg(query) }[1]
    end

    # For every query the best documents and the bits of their scores.
    def answers
      @queries.map { |query| @store.text_leg(query).map { |name, score| [name.to_i, Measure.bits(score)] } }
    end

    private

    def text(tokens)
      tokens.map { |token| "t#{token}" }.join(" ")
    end

    def expression(tokens)
      terms = tokens.map { |token| HybridSearch::AdapterKit::Tree::Term.new("t#{token}") }
      tree = HybridSearch::AdapterKit::Tree::AnyOf.new(terms)
      HybridSearch::AdapterKit::MatchTextExpr.new(fields: [["body_ltks", 1.0]], tree:, topn: TOP)
    end
  end

  # `Reranker#rerank_by_hybrid`.
  class HybridRerank
    # Store the candidates, and find all of them for every question.
    def load(pool:, questions:)
      store = HybridSearch::MemoryDocStore.new
      candidates = Measure.lines(pool)
      store.insert(candidates)
      @questions = Measure.lines(questions).map do |question|
        found = found(store, question["vector"], candidates.size)
        [question["text"], found, without_prepared(found)]
      end
      @reranker = HybridSearch::Reranker.new(HybridSearch::QueryBuilder.new)
      GC.start
      nil
    end

    # Rerank for every question, with or without what the store prepared; the time is that of one question.
    def run(repeats:, prepared:)
      outcomes, taken = Measure.timed do
        @questions.map { |text, found, plain| last_of(repeats, prepared ? found : plain, text) }
      end
      answers = outcomes.map { |outcome| outcome.ids.zip(outcome.similarity.map { |one| Measure.bits(one) }).to_h }
      { **taken.transform_values { |seconds| seconds / (repeats * @questions.size) }, "answers" => answers }
    end

    private

    # The last outcome of so many; to keep all would be work for the garbage collector that nobody else has.
    def last_of(repeats, found, text)
      outcome = nil
      repeats.times { outcome = @reranker.rerank_by_hybrid(found, text) }
      outcome
    end

    def found(store, vector, count)
      nearest = HybridSearch::AdapterKit::MatchDenseExpr.new(field: "q_#{vector.size}_vec", vector:, topn: count)
      store.search(match_exprs: [nearest], limit: count)
    end

    def without_prepared(found)
      HybridSearch::AdapterKit::SearchResult.new(total: found.total, ids: found.ids, fields: found.fields,
                                                 scores: found.scores, query_vector: found.query_vector)
    end
  end

  # `PostProcessor#process` of documents whose vector scores are known.
  class WeightedRerank
    # Read the query and the texts; load the dictionary.
    def load(path:)
      @query, *texts = Measure.lines(path)
      @documents = texts.each_with_index.map do |text, place|
        metadata = { "doc_id" => format("%04d", place), "vector_score" => 1.0 / (place + 1) }
        HybridSearch::Document.new(text, metadata)
      end
      extractor = HybridSearch::KeywordExtractor.new
      @processors = { false => extractor, true => HybridSearch::KeywordCache.new(extractor) }
                    .transform_values do |keyword_extractor|
        HybridSearch::PostProcessor.new("weighted_score", weights: "0.3,0.7", keyword_extractor:)
      end
      @processors.each_value { |processor| processor.process(@query, @documents) }
      nil
    end

    # Rerank once, with the keywords of the documents kept from before or found anew.
    def run(kept:)
      found, taken = Measure.timed { @processors.fetch(kept).process(@query, @documents) }
      shown = found.documents.map { |one| "#{one.doc_id} #{Measure.bits(one.metadata["score"])}" }
      { **taken, "digest" => Measure.digest(shown) }
    end
  end

  # `Index`: adding documents and searching, end to end.
  class Store
    # Read the passages and queries with their vectors; nothing is added yet.
    def load(passages:, passage_vectors:, queries:, query_vectors:, dimension:)
      @passages = Measure.lines(passages)
      @path = passage_vectors
      @dimension = dimension
      @queries = Measure.lines(queries)
      vectors = @queries.zip(vectors(query_vectors, 0, @queries.size)).to_h
      warm_up = [1.0] * dimension
      embedding = ->(texts) { texts.map { |text| vectors.fetch(text, warm_up) } }
      @index = HybridSearch::Index.new(embedding:, profile: "ragflow")
      @index.search("warm up")
      GC.start
      nil
    end

    # Add the passages from `first` to before `last`.
    def add(first:, last:)
      made = vectors(@path, first, last)
      @batch = @passages[first...last].zip(made).map { |passage, vector| { **passage, "vector" => vector } }
      _, taken = Measure.timed { @index.add(@batch) }
      { **taken, "peak" => Measure.peak }
    end

    # Search in some threads and write in others: what each search took by the clock, batches written.
    def crowd(readers:, writers:, batch:, seconds:)
      last = Measure.now + seconds
      reading = Array.new(readers) { |place| Thread.new { read(place, batch, last) } }
      writing = Array.new(writers) { |place| Thread.new { write(@batch[place * batch, batch], last) } }
      { "wall" => reading.flat_map(&:value), "batches" => writing.sum(&:value) }
    end

    # Answer all queries, one after the other: the first page.
    def search
      found, taken = Measure.each_timed(@queries) { |query| @index.search(query) }
      shown = found.flat_map do |result|
        result.map { |hit| "#{hit.id} #{Measure.bits(hit.score)}" }
      end
      { **taken, "digest" => Measure.digest(shown), "peak" => Measure.peak }
    end

    private

    # Search until a time; what each search took.
    def read(place, batch, last)
      taken = []
      while (began = Measure.now) < last
        @index.search(@queries[(place + taken.size) % @queries.size])
        taken << (Measure.now - began)
        raise "a batch was there in part" unless ((@batch.size - @index.count) % batch).zero?
      end
      taken
    end

    # Remove some documents and add them again until a time; how many batches that were.
    def write(own, last)
      written = 0
      while Measure.now < last
        @index.delete(own.map { |record| record["id"] })
        @index.add(own)
        written += 2
      end
      written
    end

    # The vectors of a file from one place to before another.
    def vectors(path, first, last)
      size = 4 * @dimension
      File.binread(path, (last - first) * size, first * size).unpack("e*").each_slice(@dimension).to_a
    end
  end

  SUBJECTS = {
    "segmentation" => Segmentation,
    "dictionary" => DictionaryLoad,
    "keywords" => FindKeywords,
    "bm25" => TextLeg,
    "bm25f" => Bm25fLeg,
    "rerank" => HybridRerank,
    "store" => Store,
    "foreign_writes" => ForeignWrites,
    "block_rounds" => BlockRounds,
    "index_file" => IndexFile,
    "weighted" => WeightedRerank,
    "whole_calls" => WholeCalls
  }.freeze
end
