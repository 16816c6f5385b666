# frozen_string_literal: true

module HybridSearch
  # A text with its metadata, in the form in which Dify's retrieval returns it (DFY-1); immutable, and copied from the
  # data of which it was made.
  class Document
    include Base::ShortInspect
    include Base::Value::ToJson

    KEYS = %w[page_content metadata].freeze
    # The parts of Dify's documents in addition to text and metadata.
    PARTS = %w[provider vector children attachments].freeze
    LISTS = %w[children attachments].freeze
    NUMBERS = %w[score vector_score keyword_score].freeze
    DEEPEST = 100

    # @return [String]
    attr_reader :page_content
    # @return [Hash{String=>Object}]
    attr_reader :metadata
    # @return [Hash{String=>Object}] those of {PARTS} that are present
    attr_reader :parts

    # @param name [String] the argument's name, for messages
    # @param value [Document, Hash] a document, or an object of `page_content` and `metadata` as Dify dumps it
    # @return [Document] a copy
    # @raise [InvalidInputError] any other value
    def self.build(name, value)
      if Document === value # rubocop:disable Style/CaseEquality -- any object may come
        return new(value.page_content, value.metadata, name, value.parts)
      end
      unless ::Hash === value # rubocop:disable Style/CaseEquality -- any object may come
        raise Base::Validation.failure(name, value, "a document: an object of page_content and metadata")
      end

      given = Base::Validation.mapping(name, value)
      Base::Validation.known("part of a document", given.keys, KEYS + PARTS)
      raise InvalidInputError, "#{name} has no page_content" unless given.key?("page_content")

      new(given["page_content"], given["metadata"], name, given.slice(*PARTS))
    end

    # @param name [String]
    # @param values [Array<Document, Hash>]
    # @return [Array<Document>] copies, in their order
    # @raise [InvalidInputError] as for {build}, or the value is not a list
    def self.build_many(name, values)
      unless ::Array === values # rubocop:disable Style/CaseEquality -- any object may come
        raise Base::Validation.failure(name, values, "a list of documents")
      end

      values.each_with_index.map { |value, index| build("#{name}[#{index}]", value) }
    end

    # @param page_content [String] the text
    # @param metadata [Hash{String=>Object}, nil] any values by name; nil counts as missing. Known names are `doc_id` (a
    #   text), `score`, `vector_score` and `keyword_score` (finite numbers) and `vector` (a list of finite numbers)
    # @param name [String] the argument's name, for messages
    # @param parts [Hash{String=>Object}, nil] the other parts of Dify's documents, nil counting as missing: `provider`
    #   (a text), `vector` (a list of finite numbers; used if metadata has none), `children` and `attachments` (lists,
    #   only passed on)
    # @raise [InvalidInputError] a part is not acceptable, or metadata is nested deeper than 100 levels
    def initialize(page_content, metadata = nil, name = "", parts = nil)
      place = name.empty? ? "" : "#{name}."
      @page_content = Base::Validation.text("#{place}page_content", page_content)
      given = Base::Validation.mapping("#{place}metadata", metadata.nil? ? {} : metadata)
      check("#{place}metadata", given)
      @metadata = given.transform_values { |value| copy("#{place}metadata", value, 1) }.freeze
      @parts = checked_parts(place, parts).freeze
      freeze
    end

    # @return [String, nil] the id of the chunk
    def doc_id
      @metadata["doc_id"]
    end

    # @return [String] the origin of the document: "dify" unless its parts name another
    def provider
      @parts.fetch("provider", "dify")
    end

    # @return [Array<Numeric>, nil] the vector in metadata, otherwise the document's own
    def vector
      @metadata["vector"] || @parts["vector"]
    end

    # @param key [String] `score`, `vector_score` or `keyword_score`
    # @return [Float, nil]
    def number(key)
      @metadata[key]&.to_f
    end

    # Refuse a vector of another length.
    #
    # @return [void]
    # @raise [DimensionMismatchError] the document has a vector whose length is not `dimension`
    def check_dimension(name, dimension)
      return if vector.nil? || vector.size == dimension

      place = @metadata["vector"].nil? ? "vector" : "metadata.vector"
      raise DimensionMismatchError, "#{name}.#{place} must have #{dimension} components, not #{vector.size}"
    end

    # @param changes [Hash{String=>Object}]
    # @return [Document] the same document with changed metadata; entries that are not named stay
    def with_metadata(changes)
      changed = dup
      changed.instance_variable_set(:@metadata, @metadata.merge(changes).freeze)
      changed.freeze
    end

    # @return [Hash{String=>Object}] a copy of the document as plain data, with the parts that are present
    def to_h
      plain = { "page_content" => @page_content, "metadata" => copy("metadata", @metadata, 0) }
      @parts.each { |name, value| plain[name] = copy(name, value, 0) }
      plain
    end

    # @return [Boolean] whether text, metadata and other parts are equal
    def ==(other)
      other.is_a?(Document) && to_h == other.to_h
    end
    alias eql? ==

    # @return [Integer] the hash of the text
    def hash
      @page_content.hash
    end

    private

    def check(name, metadata)
      Base::Validation.text("#{name}.doc_id", metadata["doc_id"]) unless metadata["doc_id"].nil?
      NUMBERS.each { |key| Base::Validation.number("#{name}.#{key}", metadata[key]) unless metadata[key].nil? }
      Base::Validation.vector("#{name}.vector", metadata["vector"]) unless metadata["vector"].nil?
    end

    # Return checked copies of the parts that are present.
    def checked_parts(place, parts)
      given = Base::Validation.mapping("#{place}parts", parts.nil? ? {} : parts)
      Base::Validation.known("part of a document", given.keys, PARTS)
      found = given.slice(*PARTS).compact
      Base::Validation.text("#{place}provider", found["provider"]) if found.key?("provider")
      Base::Validation.vector("#{place}vector", found["vector"]) if found.key?("vector")
      found.slice(*LISTS).each do |name, value|
        unless ::Array === value # rubocop:disable Style/CaseEquality -- any object may come
          raise Base::Validation.failure("#{place}#{name}", value, "a list")
        end
      end
      found.to_h { |name, value| [name, copy("#{place}#{name}", value, 0)] }
    end

    # Return a copy of plain data: lists and objects are copied, all other values shared.
    def copy(name, value, depth)
      raise InvalidInputError, "#{name} must not be nested deeper than #{DEEPEST} levels" if depth > DEEPEST

      case value
      when ::Hash then value.transform_values { |item| copy(name, item, depth + 1) }
      when ::Array then value.map { |item| copy(name, item, depth + 1) }
      else value
      end
    end
  end
end
