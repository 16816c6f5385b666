# frozen_string_literal: true

module HybridSearch
  # Documents in: from what people have to the fields a RAGFlow index stores (IDX-1, IDX-2).
  class DocumentBuilder
    include ShortInspect

    # The keys of a record; all but `id` and `content` are optional, and a key whose value is nil counts as absent.
    RECORD_KEYS = %w[
      id content title keywords questions tags page_rank doc_id document_name kb_id position available metadata vector
    ].freeze

    OWN_ATTRIBUTES = "; own attributes belong in metadata"
    FILE_ENDING = /\.[A-Za-z]+\z/
    TABLE_TAG = %r{</?(?:table|td|caption|tr|th)(?: [^<>]{0,12})?>}
    private_constant :OWN_ATTRIBUTES, :FILE_ENDING, :TABLE_TAG

    # @param tokenizer [#tokenize, #fine_grained] the default {Tokenizer} when not given
    # @param embedding [Embedding, nil] makes the vector of records that bring none; without one they get no vector
    # @param title_weight [Float, nil] the share of the title in a vector (IDX-2), 0 to 1; nil: the content alone
    # @param any_vectors [Boolean] whether vectors are kept that no question finds: zero, or of another dimension than
    #   the embedding's
    # @param observer [Observation, #instrument, #call, nil] told of the vectors that are asked for (OBS-1)
    def initialize(tokenizer: nil, embedding: nil, title_weight: nil, any_vectors: false, observer: nil, **unknown)
      Validation.known("option", unknown.keys, %w[tokenizer embedding title_weight any_vectors observer])
      @observation = Observation.of(observer)
      @tokenizer = tokenizer || Tokenizer.new
      @embedding = embedding
      @title_weight = title_weight.nil? ? nil : Validation.number("title_weight", title_weight, 0.0, 1.0)
      @any_vectors = Validation.boolean("any_vectors", any_vectors)
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
      checked = checked(name, record)
      check_vector("#{name}.vector", checked["vector"]) if checked.key?("vector") && !@any_vectors
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
      checked = records.each.with_index(first).map { |record, index| checked("records[#{index}]", record) }
      documents = checked.map { |record| fields(record) }
      check_vectors(checked, first)
      kept = checked.zip(documents)
      kept.select! { |_, document| wanted.call(document) } if wanted
      documents = kept.map(&:last)
      add_vectors(kept.map(&:first), documents)
      check_vectors(checked, first)
      documents
    end

    private

    def checked(place, record)
      record = Validation.mapping(place, record)
      Validation.known("document field", record.keys, RECORD_KEYS, OWN_ATTRIBUTES)
      given = record.compact
      %w[id content].each { |key| raise InvalidInputError, "#{place} has no #{key}" unless given.key?(key) }
      result = checked_texts(place, given)
      raise InvalidInputError, "#{place}.id must not be empty" if result["id"].empty?

      check_lists(place, given, result)
      check_numbers(place, given, result)
      result
    end

    def checked_texts(place, given)
      ids = %w[id doc_id kb_id].select { |key| given.key?(key) }
      texts = %w[content title document_name].select { |key| given.key?(key) }
      ids.to_h { |key| [key, OwnValues.identifier("#{place}.#{key}", given[key])] }
         .merge(texts.to_h { |key| [key, Validation.text("#{place}.#{key}", given[key])] })
    end

    def check_lists(place, given, result)
      %w[keywords questions].each do |key|
        result[key] = Validation.texts("#{place}.#{key}", given[key]) if given.key?(key)
      end
      return unless given.key?("tags")

      tags = Validation.mapping("#{place}.tags", given["tags"])
      result["tags"] = tags.to_h { |name, value| [name, Validation.number("#{place}.tags.#{name}", value)] }
    end

    def check_numbers(place, given, result)
      result["page_rank"] = Validation.number("#{place}.page_rank", given["page_rank"]) if given.key?("page_rank")
      result["position"] = positions("#{place}.position", given["position"]) if given.key?("position")
      result["available"] = Validation.boolean("#{place}.available", given["available"]) if given.key?("available")
      result["metadata"] = OwnValues.attributes("#{place}.metadata", given["metadata"]) if given.key?("metadata")
      result["vector"] = Validation.vector("#{place}.vector", given["vector"]) if given.key?("vector")
    end

    def fields(record)
      content_tokens = @tokenizer.tokenize(record["content"].gsub(TABLE_TAG, " "))
      document = {
        "id" => record["id"],
        "doc_id" => record.fetch("doc_id", record["id"]),
        "docnm_kwd" => record.fetch("document_name", record.fetch("title", "")),
        "content_with_weight" => record["content"],
        "content_ltks" => content_tokens.join(" "),
        "content_sm_ltks" => fine_grained(content_tokens).join(" ")
      }
      document["kb_id"] = record["kb_id"] if record.key?("kb_id")
      add_text_fields(record, document)
      { "tags" => "tag_feas", "page_rank" => "pagerank_fea", "position" => "position_int" }.each do |key, field|
        document[field] = record[key] if record.key?(key)
      end
      document["available_int"] = record["available"] ? 1 : 0 if record.key?("available")
      document["metadata"] = record["metadata"] if record.key?("metadata")
      store_vector(document, record["vector"]) if record.key?("vector")
      document
    end

    def add_text_fields(record, document)
      if record.key?("title")
        title_tokens = @tokenizer.tokenize(record["title"].sub(FILE_ENDING, ""))
        document["title_tks"] = title_tokens.join(" ")
        document["title_sm_tks"] = fine_grained(title_tokens).join(" ")
      end
      if record.key?("keywords")
        document["important_kwd"] = record["keywords"]
        document["important_tks"] = @tokenizer.tokenize(record["keywords"].join(" ")).join(" ")
      end
      return unless record.key?("questions")

      document["question_kwd"] = record["questions"]
      document["question_tks"] = @tokenizer.tokenize(record["questions"].join("\n")).join(" ")
    end

    def fine_grained(tokens)
      tokens.flat_map { |token| @tokenizer.fine_grained(token) }
    end

    # Refuse what no question finds; called again when the embedding has made vectors and knows its dimension.
    def check_vectors(records, first)
      return if @any_vectors

      records.each.with_index(first) do |record, index|
        check_vector("records[#{index}].vector", record["vector"]) if record.key?("vector")
      end
    end

    def check_vector(name, vector)
      dimension = @embedding&.dimension
      if dimension && vector.size != dimension
        raise DimensionMismatchError, "#{name} must have #{dimension} components, as the embedding's have, " \
                                      "not #{vector.size}; any_vectors keeps it"
      end
      return unless Numeric.dot(vector, vector).zero?

      raise InvalidInputError, "#{name} must not be zero: its squared norm is 0; any_vectors keeps it"
    end

    def add_vectors(records, documents)
      wanted = []
      records.each_with_index do |record, index|
        next if record.key?("vector") || @embedding.nil?

        title = record.fetch("title", "")
        content = record["content"]
        if blank?(content)
          content = title
          title = ""
        end
        wanted << [index, title, content] unless blank?(content)
      end
      embed(wanted, documents) unless wanted.empty?
    end

    def vectors_of(texts)
      @observation.measure("embed", texts: texts.size, kind: "passage") do
        Log.failures(EmbeddingError) { @embedding.encode(texts) }
      end
    end

    def embed(wanted, documents)
      titled = @title_weight.nil? ? [] : wanted.reject { |entry| blank?(entry[1]) }
      vectors = vectors_of(wanted.map { |entry| entry[2] } + titled.map { |entry| entry[1] })
      title_vectors = titled.each_with_index.to_h { |entry, place| [entry[0], vectors[wanted.size + place]] }
      wanted.each_with_index do |entry, place|
        vector = vectors[place]
        of_title = title_vectors[entry[0]]
        store_vector(documents[entry[0]], of_title ? weighted(of_title, vector) : vector.dup)
      end
    end

    def weighted(of_title, of_content)
      share = 1.0 - @title_weight
      of_title.each_with_index.map { |value, index| (@title_weight * value) + (share * of_content[index]) }
    end

    def store_vector(document, vector)
      document["q_#{vector.size}_vec"] = vector
    end

    def blank?(text)
      Characters.strip(text.tr("\0", " ")).empty?
    end

    def positions(name, value)
      raise Validation.failure(name, value, "a list of integers, or of lists of integers") unless value.is_a?(::Array)

      value.each_with_index.map do |item, index|
        place = "#{name}[#{index}]"
        item.is_a?(::Array) ? positions(place, item) : Validation.integer(place, item)
      end
    end
  end
end
