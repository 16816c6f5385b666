# frozen_string_literal: true

require "spec_helper"
require "date"
require "json"
require "set"

# Wrong calls are refused with one message that names the argument, the accepted values, and the type (ERR-3).
RSpec.describe "Wrong calls" do
  half = Class.new do
    def insert(_documents) = raise
    def tokenize(_text) = raise
    def weights(_tokens) = raise
  end
  index = HybridSearch::Index
  search = ->(question = "red", **options) { index.new.search(question, **options) }
  add = ->(**record) { index.new.add([{ id: "1", content: "red", **record }]) }
  tokenizer = "a callable, or an object with tokenize, fine_grained, frequency, tag and normalize"
  provider = "a callable, or an object with encode, encode_queries, encode_document, embed_documents, " \
             "get_text_embedding_batch, passage_embed or embed"
  embedding = "an Embedding, #{provider}"
  model = "a callable or an object with similarity"
  store = "a document store, as a subclass of DocStoreAdapter is"
  synonyms = "Synonyms, or an object of words, each with a word or a list of words"
  observer = "a callable or an object with instrument"
  lacks = "update, upsert, delete, get, count, generation, health, stats, vector_fields, keep_vector_model, " \
          "search, rank, fuses_scores?"
  service = ->(**options) { HybridSearch::RetrievalService.new(HybridSearch::MemoryDocStore.new, **options) }

  # Calls that exist only in Ruby: the whole message, and the call.
  {
    "store must be #{store}, not a value of the type #{half}, which has no #{lacks}" =>
      -> { index.new(store: half.new) },
    "store must be #{store}, not the class HybridSearch::MemoryDocStore" =>
      -> { index.new(store: HybridSearch::MemoryDocStore) },
    "store must be #{store}, not a value of the type Object" => -> { index.new(store: Object.new) },
    "tokenizer must be #{tokenizer}, not a value of the type #{half}, which has no fine_grained, frequency, tag, " \
    "normalize" => -> { index.new(tokenizer: half.new) },
    "tokenizer must be #{tokenizer}, not the class HybridSearch::Tokenizer" =>
      -> { index.new(tokenizer: HybridSearch::Tokenizer) },
    "tokenizer must be #{tokenizer}, not a value of the type Set" => -> { index.new(tokenizer: Set[1]) },
    "tokenizer must be #{tokenizer}, not \"split\"" => -> { index.new(tokenizer: :split) },
    "the tokenizer's answer must be a text or a list of texts, not 1" =>
      -> { index.new(tokenizer: ->(_) { 1 }).search("a") },
    "the tokenizer's answer[1] must be a text, not 5" => lambda {
                                                           index.new(tokenizer: lambda { |text|
                                                                                  [text, 5]
                                                                                }).search("a")
                                                         },
    "the tokenizer failed: RuntimeError: no" => -> { index.new(tokenizer: ->(_) { raise "no" }).search("a") },
    "synonyms must be #{synonyms}, not a value of the type #{half}" => -> { index.new(synonyms: half.new) },
    "synonyms must be #{synonyms}, not the class HybridSearch::Synonyms" =>
      -> { index.new(synonyms: HybridSearch::Synonyms) },
    "a key of synonyms must be a text, not 5" => -> { index.new(synonyms: { 5 => "five" }) },
    "term_weight must be a TermWeight, not a value of the type #{half}" => -> { index.new(term_weight: half.new) },
    "term_weight must be a TermWeight, not the class HybridSearch::TermWeight" =>
      -> { index.new(term_weight: HybridSearch::TermWeight) },
    "embedding must be #{embedding}, not a value of the type #{half}" => -> { index.new(embedding: half.new) },
    "embedding must be #{embedding}, not the class HybridSearch::HashingEmbedder" =>
      -> { index.new(embedding: HybridSearch::HashingEmbedder) },
    "embedding must be #{embedding}, not \"bge\"" => -> { index.new(embedding: :bge) },
    "observer must be #{observer}, not 5" => -> { index.new(observer: 5) },
    "observer must be #{observer}, not \"log\"" => -> { service.call(observer: "log") },
    "rerank_model must be #{model}, not a value of the type #{half}" => -> { index.new(rerank_model: half.new) },
    "a key of fields must be a text, not 5" => -> { index.new(fields: { 5 => 1 }) },
    "question must be a text, not a binary String that is no UTF-8" => -> { search.call("\xFF".b) },
    "question must be a text, not a value of the type Date" => -> { search.call(Date.new(2024, 5, 1)) },
    "question must be a text, not a value of the type Range" => -> { search.call(1..2) },
    "page must be an integer, not a value of the type Rational" => -> { search.call(page: Rational(1)) },
    "limit must be an integer of at least 1, not a value of the type Range" => -> { search.call(limit: 1..2) },
    "min_score must be a finite number, not a value of the type Complex" =>
      -> { search.call(min_score: Complex(0, 1)) },
    "include must be a list of texts, not a value of the type Set" => -> { search.call(include: Set["vector"]) },
    "questions must be a list of texts, not \"red\"" => -> { index.new.search_many("red") },
    "records[0].content must be a text, not a binary String that is no UTF-8" => -> { add.call(content: "\xFF".b) },
    "records[0].keywords must be a list of texts, not a value of the type Set" => -> { add.call(keywords: Set["a"]) },
    "records[0].vector must be a list of finite numbers, not a value of the type Set" =>
      -> { add.call(vector: Set[1.0]) },
    "records must be a list or a stream of records, or one record, not a value of the type Object" =>
      -> { index.new.add(Object.new) },
    "ids must be a list of texts or integers, not a value of the type Set" => -> { index.new.delete(Set["1"]) },
    "id must be a text or an integer, not a value of the type Range; give it as a text or a number" =>
      -> { index.new.get(1..2) },
    "query_builder must be a QueryBuilder, not null" =>
      -> { HybridSearch::Retriever.new(HybridSearch::MemoryDocStore.new, nil) },
    "models[\"bge\"] must be #{model}, not a value of the type Object" => lambda {
                                                                            service.call(models: { bge: Object.new })
                                                                          },
    "query_builder must be a QueryBuilder, or like one, not the class HybridSearch::QueryBuilder" =>
      -> { HybridSearch::Reranker.new(HybridSearch::QueryBuilder) },
    "provider must be #{provider}, not the class " \
    "HybridSearch::HashingEmbedder" => -> { HybridSearch::Embedding.new(HybridSearch::HashingEmbedder) }
  }.each do |message, call|
    it "are reported: #{message}" do
      expect(&call).to raise_error(HybridSearch::InvalidInputError, message)
    end
  end

  cases = Dir[File.expand_path("../../../fixtures/wrong_calls/refused.*.jsonl", __dir__)].flat_map do |path|
    File.foreach(path, encoding: "UTF-8").map { |line| JSON.parse(line) }
  end

  it "name their arguments in every case" do
    unnamed = cases.reject { |one| one["expect"]["error"]["message"].include?(one["input"]["about"]) }
    expect(unnamed.map { |one| one["id"] }).to eq([])
  end

  it "are numerous" do
    expect(cases.map { |one| [one["params"], one["input"]] }.uniq.size).to be >= 150
  end
end
