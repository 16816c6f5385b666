# frozen_string_literal: true

module HybridSearch
  # Makes documents, with the fields of a RAGFlow index, from records (IDX-1, IDX-2, IDX-5).
  class DocumentBuilder
    include Base::ShortInspect

    # The keys of a record; all but `id` and `content` are optional, and a key whose value is nil counts as absent.
    RECORD_KEYS = Records::RecordValues::KEYS

    # The maximum number of processes that cut texts into tokens.
    MOST_WORKERS = 256

    # @param tokenizer [#tokenize, #fine_grained] cuts texts into tokens; default: a {Tokenizer}
    # @param embedding [Embedding, nil] computes the vectors of records without one; without an embedding they have no
    #   vector
    # @param title_weight [Float, nil] the share of the title in a vector (IDX-2), 0 to 1; nil: only the content
    # @param any_vectors [Boolean] whether vectors that no question can find are stored: zero vectors, or vectors of
    #   another dimension than the embedding's
    # @param observer [Base::Observation, #instrument, #call, nil] receives an event for each request of vectors (OBS-1)
    def initialize(tokenizer: nil, embedding: nil, title_weight: nil, any_vectors: false, observer: nil, **unknown)
      Base::Validation.known("option", unknown.keys, %w[tokenizer embedding title_weight any_vectors observer])
      @tokenizer = tokenizer.nil? ? Tokenizer.new : Text::FunctionTokenizer.accept("tokenizer", tokenizer)
      @fields = Records::RecordFields.new(@tokenizer)
      embedding = Embeddings::EmbeddingArgument.accept("embedding", embedding)
      title_weight = Base::Validation.number("title_weight", title_weight, 0.0, 1.0) unless title_weight.nil?
      any_vectors = Base::Validation.boolean("any_vectors", any_vectors)
      @vectors = Records::RecordVectors.new(embedding, title_weight, any_vectors, Base::Observation.of(observer))
    end

    # @param record [Hash] keys of {RECORD_KEYS}, texts or symbols
    # @return [Hash{String=>Object}] the stored document
    # @raise [InvalidInputError] an unknown key, a missing or empty id, or a value of the wrong type
    # @raise [DimensionMismatchError] a vector of another dimension than the embedding's
    def build(record)
      build_many([record]).first
    end

    # Refuse a record that cannot become a document; this does not cover failures of its embedding.
    #
    # @param name [String] the name of the record in messages
    # @param record [Hash] as for {#build}
    # @return [void]
    # @raise [InvalidInputError] as {#build}
    # @raise [DimensionMismatchError] likewise
    def check(name, record)
      @vectors.check_record(name, Records::RecordValues.whole(name, record))
    end

    # @param size [Integer, nil] the number of records in a batch, or nil
    # @return [Records::BatchLimits] the limits of batches of records (IDX-3)
    def batch_limits(size)
      Records::BatchLimits.new(size, @vectors.needs_model?)
    end

    # Run a block with processes that cut the texts of batches into tokens (IDX-7).
    #
    # @param count [Integer] the number of processes, 1 to 256; 1 starts none
    # @yieldparam workers [Records::TextWorkers] they end with the block
    # @return [Object] the result of the block
    # @raise [InvalidInputError] another number, or the tokenizer cannot be made again in another process
    def workers(count, &)
      Records::TextWorkers.open(@tokenizer, Base::Validation.integer("workers", count, 1, MOST_WORKERS), &)
    end

    # Return the stored documents of many records; their vectors are requested in one call.
    #
    # @param records [Array<Hash>]
    # @param first [Integer] the place of the first record in its source, for messages
    # @param wanted [#call, nil] called with each document, in order, before it is embedded; documents for which it
    #   returns false are omitted. A document has no vector at that time, unless its record has one
    # @param ready [Array<Hash>, nil] the result of {Records::RecordFields#of_texts} for each record, if it is known
    # @return [Array<Hash{String=>Object}>]
    # @raise [InvalidInputError] as {#build}; the message also names the place of the record
    # @raise [DimensionMismatchError] likewise
    def build_many(records, first = 0, wanted: nil, ready: nil)
      checked = records.each.with_index(first).map do |record, index|
        Records::RecordValues.whole("records[#{index}]", record)
      end
      documents = checked.zip(ready || []).map { |record, texts| @fields.made_of(RECORD_KEYS, record, texts).compact }
      @vectors.check(checked, first)
      kept = checked.zip(documents)
      kept.each { |record, document| store_vector(document, record["vector"]) }
      kept.select! { |_, document| wanted.call(document) } if wanted
      add_vectors(kept.reject { |record, _| record.key?("vector") })
      @vectors.check(checked, first)
      kept.map(&:last)
    end

    # Return the changes of stored documents: the fields of the given keys, nil for removed ones (IDX-5).
    #
    # @param records [Array<Hash>] each an id and the keys that change; nil removes a key
    # @param stored [#call] returns the stored document of an id, or nil
    # @param first [Integer] as for {#build_many}
    # @return [Array<Hash{String=>Object}>]
    # @raise [InvalidInputError] as {#build_many}; an id that is not stored, or given twice; a text that changes
    #   although the document has a vector, without a new vector and without an embedding
    # @raise [DimensionMismatchError] as {#build_many}
    def changes(records, stored, first = 0)
      Records::RecordChanges.new(@fields, @vectors).made_of(records, stored, first)
    end

    private

    def add_vectors(pairs)
      made = @vectors.made_of(pairs.map(&:first))
      pairs.zip(made) { |(_, document), vector| store_vector(document, vector) }
    end

    def store_vector(document, vector)
      document[Records::RecordVectors.field(vector)] = vector if vector
    end
  end
end
