# frozen_string_literal: true

require "made_documents"
require "operations/doc_store"
require "scripted_model"

# Several calls on one object, each answer kept: what an object remembers must not show (ORD-3). The form of the steps
# is told in the reference's `operations/kept.py`.
module KeptOperations
  module_function

  def answers(methods, steps)
    steps.map { |method, *arguments| answer(methods.fetch(method), arguments) }
  end

  def answer(method, arguments)
    method.call(*arguments)
  rescue HybridSearch::Error => e
    { "error" => e.class.name.delete_prefix("HybridSearch::"), "message" => e.message }
  end

  def options(given)
    (given || {}).transform_keys(&:to_sym)
  end

  def places(first, count, every = 1)
    Array.new(count) { |index| first + (index * every) }
  end

  # What changes a store.
  def changes(store)
    made = Conformance::MadeDocuments
    {
      "insert" => ->(documents) { store.insert(documents) }, "update" => ->(documents) { store.update(documents) },
      "upsert" => ->(documents) { store.upsert(documents) }, "delete" => ->(ids) { store.delete(ids) },
      "fill" => ->(*which) { store.insert(made.make(places(*which))) },
      "near" => ->(*which) { store.insert(made.near(places(*which))) },
      "drop" => ->(*which) { store.delete(places(*which).map { |place| made.name(place) }) },
      "count" => -> { store.count }
    }
  end

  # What asks a store.
  def questions(store)
    data = Conformance::DocStoreData
    {
      "text" => ->(text, filters = nil) { store.text_leg(data.text(text), filters) },
      "dense" => ->(dense, filters = nil) { store.dense_leg(data.dense(dense), filters) },
      "rank" => ->(match, filters = nil) { store.rank(data.exprs(match), filters) },
      "passing" => ->(filters) { store.rank([], filters).map(&:first) },
      "among" => lambda { |field, filters, *which|
        store.rank([], filters.merge(field => places(*which))).map(&:first)
      },
      "search" => lambda { |match, given|
        data.result(store.search(match_exprs: data.exprs(match), **options(given)))
      }
    }
  end

  # What cuts words.
  def cuts(segmenter)
    {
      "add" => ->(word, frequency = nil, tag = nil) { segmenter.add_word(word, frequency:, tag:) },
      "cut" => ->(text) { segmenter.cut(text) }, "cut_without_model" => ->(text) { segmenter.cut(text, hmm: false) },
      "cut_for_search" => ->(text) { segmenter.cut_for_search(text) },
      "suggest" => ->(word) { segmenter.suggest_frequency(word) }
    }
  end

  # What reads a tokenizer's dictionary.
  def readers(tokenizer)
    weigher = HybridSearch::Base::Kernels.kernel("term_weight").new(tokenizer:)
    builder = HybridSearch::QueryBuilder.new(tokenizer:, term_weight: weigher)
    similarity = HybridSearch::QueryBuilders::TokenSimilarity.new(weigher)
    records = HybridSearch::DocumentBuilder.new(tokenizer:)
    {
      "term" => ->(term) { [tokenizer.frequency(term), tokenizer.tag(term)] },
      "tokenize" => ->(text) { tokenizer.tokenize(text) }, "parts" => ->(token) { tokenizer.fine_grained(token) },
      "weights" => ->(tokens) { weigher.weights(tokens, preprocess: false) },
      "document" => ->(title, content) { records.build("id" => "a", "title" => title, "content" => content) },
      "query" => ->(question) { query(builder, question) },
      "long_query" => ->(piece, times) { query(builder, piece * times) },
      "similarity" => ->(tokens, documents) { similarity.token_similarity(tokens, documents) }
    }
  end

  def query(builder, question)
    expression, keywords = builder.build_text_query(question)
    [expression && HybridSearch::AdapterKit::Render.lucene(expression.tree), keywords]
  end

  def plain(found)
    { "words" => found.words.zip(found.weights), "parts" => found.parts }
  end

  # What a store finds nearest to a vector, with all fields.
  def found(store, documents, vector)
    match = [{ "dense" => { "field" => "q_#{vector.size}_vec", "vector" => vector, "topn" => documents.size } }]
    exprs = Conformance::DocStoreData.exprs(match)
    store.search(match_exprs: exprs, select_fields: documents.flat_map(&:keys).uniq.sort, limit: documents.size)
  end

  # What a store finds by a token, and one document by a vector, with all fields.
  def by_token(store, documents, token, vector)
    count = documents.size
    match = [
      { "text" => { "fields" => [["content_ltks", 1.0]], "tree" => { "term" => token }, "topn" => count } },
      { "dense" => { "field" => "q_#{vector.size}_vec", "vector" => vector, "topn" => 1 } },
      { "fusion" => { "method" => "rrf", "topn" => count } }
    ]
    exprs = Conformance::DocStoreData.exprs(match)
    store.search(match_exprs: exprs, select_fields: documents.flat_map(&:keys).uniq.sort, limit: count)
  end

  # What reranks what a store finds.
  def reranks(store, documents)
    reranker = HybridSearch::Reranker.new(HybridSearch::QueryBuilder.new)
    hybrid = lambda { |result, question, options = nil|
      outcome = reranker.rerank_by_hybrid(result, question, **options(options))
      [outcome.ids, outcome.similarity, outcome.warnings]
    }
    {
      "hybrid" => lambda { |question, vector, given = nil|
        hybrid.call(found(store, documents, vector), question, given)
      },
      "turned" => lambda { |question, vector, other|
        hybrid.call(found(store, documents, vector).with(query_vector: other), question)
      },
      "fused" => lambda { |question, token, vector|
        hybrid.call(by_token(store, documents, token, vector), question)
      },
      "update" => ->(changed) { store.update(changed) }
    }
  end

  # A store of records, and what changes it.
  def records(given, embedding)
    store = Conformance::Stores.store
    builder = HybridSearch::DocumentBuilder.new(embedding:)
    store.insert(builder.build_many(given["records"]))
    changes = { "add" => ->(records) { store.insert(builder.build_many(records)) },
                "delete" => ->(ids) { store.delete(ids) } }
    [store, changes]
  end
end

shared = KeptOperations

Conformance.operation("kept.documents") do |params, given, _trace|
  store = Conformance::Stores.store(**shared.options(params))
  shared.answers(shared.changes(store).merge(shared.questions(store)), given["steps"])
end

Conformance.operation("kept.words") do |params, given, _trace|
  segmenter = HybridSearch::Segmenter.new
  tokenizer = HybridSearch::Tokenizer.new(segmenter:, stemming: params["stemming"])
  shared.answers(shared.cuts(segmenter).merge(shared.readers(tokenizer)), given["steps"])
end

Conformance.operation("kept.keywords") do |params, given, _trace|
  extractor = HybridSearch::KeywordExtractor.new(**shared.options(params["options"]))
  cache = HybridSearch::KeywordCache.new(extractor, capacity: params["capacity"])
  methods = {
    "add" => ->(word, frequency = nil, tag = nil) { extractor.add_word(word, frequency:, tag:) },
    "extract" => ->(text, options = nil) { shared.plain(cache.extract(text, **shared.options(options))) },
    "anew" => ->(text, options = nil) { shared.plain(extractor.extract(text, **shared.options(options))) },
    "size" => -> { cache.size }, "clear" => -> { cache.clear && nil }
  }
  shared.answers(methods, given["steps"])
end

Conformance.operation("kept.processor") do |params, given, _trace|
  options = shared.options(params["options"])
  options[:reranking_model] = Conformance::ScriptedModel.new(given["model"]) if given.key?("model")
  mode = options.delete(:reranking_mode)
  cache = HybridSearch::KeywordCache.new(capacity: params["capacity"])
  processor = HybridSearch::PostProcessor.new(mode, keyword_extractor: cache, **options)
  process = lambda { |query, documents, given_options = nil|
    processor.process(query, documents, **shared.options(given_options)).to_h
  }
  shared.answers({ "process" => process }, given["steps"])
end

Conformance.operation("kept.rerank") do |_params, given, _trace|
  store = Conformance::Stores.store
  words = Array.new(given.fetch("words", 0)) { |place| "w#{place}" }
  store.insert([{ "id" => "words", "content_ltks" => words.join(" ") }]) unless words.empty?
  store.insert(given["documents"])
  shared.answers(shared.reranks(store, given["documents"]), given["steps"])
end

Conformance.operation("kept.service") do |params, given, _trace|
  embedding = HybridSearch::Embedding.new(HybridSearch::HashingEmbedder.new(dimension: 16))
  store, changes = shared.records(given, embedding)
  models = given.fetch("models", {}).transform_values { |script| Conformance::ScriptedModel.new(script) }
  service = HybridSearch::RetrievalService.new(store, embedding:, models:, **shared.options(params["service"]))
  retrieve = ->(query, settings = nil) { service.retrieve(query, **shared.options(settings)).to_h }
  shared.answers(changes.merge("retrieve" => retrieve), given["steps"])
end
