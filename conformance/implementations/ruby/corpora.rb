# frozen_string_literal: true

require "json"
require_relative "internals"
require "npy"
require_relative "stores"

module Conformance
  # Reads BEIR-style collections with stored embeddings; the twin of `implementations/python/corpora.py`.
  module Corpora
    FOLDER = File.expand_path("../../../fixtures/corpora", __dir__)
    BATCH = 256

    # A folder is not a collection in this form; the message says what is missing.
    class CorpusError < StandardError; end

    # An embedding provider that knows the vectors of a collection's queries.
    # Any other text gets the vector of the hashing embedder of the same dimension.
    class StoredVectors
      # @return [String]
      attr_reader :model
      # @return [Integer]
      attr_reader :dimension

      def initialize(vectors, model, dimension)
        @vectors = vectors
        @model = model
        @dimension = dimension
        @hashing = HybridSearch::HashingEmbedder.new(dimension:)
      end

      # @return [Array<Float>] the vector of one query
      def encode_queries(text)
        @vectors[text] || @hashing.encode_queries(text)
      end

      # @return [Array<Array<Float>>] the vectors of several texts
      def encode(texts)
        texts.map { |text| encode_queries(text) }
      end
    end

    # One collection; everything is read when it is first asked for.
    class Collection
      # @return [String]
      attr_reader :folder
      # @return [String]
      attr_reader :name
      # @return [String, nil] the folder of its embeddings
      attr_reader :model

      def initialize(folder, model = nil)
        @folder = folder
        @name = File.basename(folder)
        found = Dir.glob("*/corpus.npy", base: folder).map { |path| File.dirname(path) }.sort
        raise CorpusError, "#{@name} has no embeddings #{model}" if model && !found.include?(model)

        @model = model || found.first
      end

      # @return [Array<Hash>] the documents as they stand in the file
      def documents
        @documents ||= lines("corpus.jsonl")
      end

      # @return [Array<Hash>] the queries: _id, text
      def queries
        @queries ||= lines("queries.jsonl")
      end

      # @return [Hash{String=>Hash{String=>Integer}}] query id → document id → grade
      def qrels
        @qrels ||= File.read(File.join(folder, "qrels.tsv"), encoding: "UTF-8").split("\n").drop(1)
                       .each_with_object({}) do |line, judged|
          query, document, grade = line.split("\t")
          (judged[query] ||= {})[document] = Integer(grade, 10)
        end
      end

      # @return [Hash{String=>Array<Float>}] document id → vector; empty without embeddings
      def document_vectors
        @document_vectors ||= vectors("corpus")
      end

      # @return [Hash{String=>Array<Float>}] query id → vector; empty without embeddings
      def query_vectors
        @query_vectors ||= vectors("queries")
      end

      # @return [Array<Hash>] the documents as `DocumentBuilder` takes them, with their vectors
      def records
        documents.map do |document|
          record = document.except("_id", "text")
          record["id"] = document.fetch("_id")
          record["content"] = document.fetch("text")
          vector = document_vectors[document["_id"]]
          record["vector"] = vector if vector
          record
        end
      end

      # @return [HybridSearch::DocStoreAdapter] a store with all documents, made once; not to be changed
      def store
        @store ||= begin
          builder = HybridSearch::DocumentBuilder.new
          made = Stores.store
          records.each_slice(BATCH) { |batch| made.insert(builder.build_many(batch)) }
          made
        end
      end

      # @return [HybridSearch::Embedding, nil] the stored vectors as an embedding; nil without
      def embedding
        return nil unless model

        @embedding ||= begin
          known = queries.reverse.to_h { |query| [query["text"], query_vectors.fetch(query["_id"])] }
          HybridSearch::Embedding.new(StoredVectors.new(known, model, query_vectors.first.last.size))
        end
      end

      private

      def vectors(which)
        return {} unless model

        ids = JSON.parse(File.read(File.join(folder, model, "ids.json"), encoding: "UTF-8")).fetch(which)
        rows = Npy.read(File.join(folder, model, "#{which}.npy"))
        if rows.size != ids.size
          raise CorpusError,
                "#{name}/#{model}/#{which}.npy: #{rows.size} rows for #{ids.size} ids"
        end

        ids.zip(rows).to_h
      end

      # Lines end at line feeds alone.
      def lines(file)
        File.read(File.join(folder, file), encoding: "UTF-8").split("\n").filter_map do |line|
          JSON.parse(line) unless line.strip.empty?
        end
      rescue SystemCallError => e
        raise CorpusError, "#{file}: #{e.message}"
      end
    end

    @loaded = {}

    # @param name [String] a corpus of the fixtures; read and built once a process
    # @return [Collection]
    def self.load(name)
      folder = File.join(FOLDER, name)
      raise CorpusError, "there is no corpus #{name}" unless File.file?(File.join(folder, "corpus.jsonl"))

      @loaded[name] ||= Collection.new(folder)
    end
  end
end
