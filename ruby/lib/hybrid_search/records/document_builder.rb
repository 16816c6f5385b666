# frozen_string_literal: true

module HybridSearch
  # Documents in: from what people have to the fields a RAGFlow index stores (IDX-1, IDX-2, IDX-5).
  class DocumentBuilder
    include Base::ShortInspect

    # The keys of a record; all but `id` and `content` are optional, and a key whose value is nil counts as absent.
    RECORD_KEYS = Records::RecordValues::KEYS

    # @param tokenizer [#tokenize, #fine_grained] the default {Tokenizer} when not given
    # @param embedding [Embedding, nil] makes the vector of records that bring none; without one they get no vector
    # @param title_weight [Float, nil] the share of the title in a vector (IDX-2), 0 to 1; nil: the content alone
    # @param any_vectors [Boolean] whether vectors are kept that no question finds: zero, or of another dimension than
    #   the embedding's
    # @param observer [Base::Observation, #instrument, #call, nil] told of the vectors that are asked for (OBS-1)
    def initialize(tokenizer: nil, embedding: nil, title_weight: nil, any_vectors: false, observer: nil, **unknown)
      Base::Validation.known("option", unknown.keys, %w[tokenizer embedding title_weight any_vectors observer])
      @fields = Records::RecordFields.new(
        tokenizer.nil? ? Tokenizer.new : Text::FunctionTokenizer.accept("tokenizer", tokenizer)
      )
      embedding = Embeddings::EmbeddingArgument.accept("embedding", embedding)
      title_weight = Base::Validation.number("title_weight", title_weight, 0.0, 1.0) unless title_weight.nil?
      any_vectors = Base::Validation.boolean("any_vectors", any_vectors)
      @vectors = Records::RecordVectors.new(embedding, title_weight, any_vectors, Base::Observation.of(observer))
    end

    # @param record [Hash] keys of {RECORD_KEYS}, texts or symbols
    # @return [Hash{String=>Object}] the stored document
    # @raise [InvalidInputError] an unknown key, a missing or empty id, a value of the wrong type
    # @raise [DimensionMismatchError] a vector of another dimension than the embedding's
    def build(record)
      build_many([record]).first
    end

    # Refuse a record of which no document can be made; that its embedding fails is not known beforehand.
    #
    # @param name [String] what it is called in messages
    # @param record [Hash] as for {#build}
    # @return [void]
    # @raise [InvalidInputError] as {#build}
    # @raise [DimensionMismatchError] likewise
    def check(name, record)
      @vectors.check_record(name, Records::RecordValues.whole(name, record))
    end

    # The stored documents of many records; vectors are asked for in one call.
    #
    # @param records [Array<Hash>]
    # @param first [Integer] the place of the first of them where they come from, for messages
    # @param wanted [#call, nil] asked of each document, in order, before it is embedded; those of which it is false are
    #   left out. A document has no vector then, but the one that its record brings
    # @return [Array<Hash{String=>Object}>]
    # @raise [InvalidInputError] as {#build}; the message names the place of the record too
    # @raise [DimensionMismatchError] likewise
    def build_many(records, first = 0, wanted: nil)
      checked = records.each.with_index(first).map do |record, index|
        Records::RecordValues.whole("records[#{index}]", record)
      end
      documents = checked.map { |record| @fields.made_of(RECORD_KEYS, record).compact }
      @vectors.check(checked, first)
      kept = checked.zip(documents)
      kept.each { |record, document| store_vector(document, record["vector"]) }
      kept.select! { |_, document| wanted.call(document) } if wanted
      add_vectors(kept.reject { |record, _| record.key?("vector") })
      @vectors.check(checked, first)
      kept.map(&:last)
    end

    # What records change in stored documents: the fields of their keys, nil for those that go (IDX-5).
    #
    # @param records [Array<Hash>] each an id and the keys that change; nil removes a key
    # @param stored [#call] gives the stored document of an id, or nil
    # @param first [Integer] as for {#build_many}
    # @return [Array<Hash{String=>Object}>]
    # @raise [InvalidInputError] as {#build_many}; an id that is not stored, or given twice; a text that changes where
    #   the document has a vector, but none is given, and there is no embedding
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
