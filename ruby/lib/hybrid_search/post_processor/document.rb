# frozen_string_literal: true

module HybridSearch
  # A text and what is known about it, as Dify's retrieval passes it on (DFY-1); never changed, and nothing of it is
  # shared with what it was made of.
  class Document
    include Base::ShortInspect
    include Base::Value::ToJson

    KEYS = %w[page_content metadata].freeze
    # What Dify's documents carry beside text and metadata.
    PARTS = %w[provider vector children attachments].freeze
    LISTS = %w[children attachments].freeze
    NUMBERS = %w[score vector_score keyword_score].freeze
    DEEPEST = 100

    # @return [String]
    attr_reader :page_content
    # @return [Hash{String=>Object}]
    attr_reader :metadata
    # @return [Hash{String=>Object}] of {PARTS} those that are there
    attr_reader :parts

    # @param name [String] the argument's name, for messages
    # @param value [Document, Hash] a document, or an object of `page_content` and `metadata` as Dify dumps it
    # @return [Document] the document it describes: a copy
    # @raise [InvalidInputError] anything else
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
    # @raise [InvalidInputError] as {build}, or no list
    def self.build_many(name, values)
      unless ::Array === values # rubocop:disable Style/CaseEquality -- any object may come
        raise Base::Validation.failure(name, values, "a list of documents")
      end

      values.each_with_index.map { |value, index| build("#{name}[#{index}]", value) }
    end

    # @param page_content [String] the text
    # @param metadata [Hash{String=>Object}, nil] anything by name; nil counts as missing. Known here are `doc_id` (a
    #   text), `score`, `vector_score` and `keyword_score` (finite numbers) and `vector` (a list of finite numbers)
    # @param name [String] the argument's name, for messages
    # @param parts [Hash{String=>Object}, nil] what Dify's documents carry besides, nil counting as missing: `provider`
    #   (a text), `vector` (a list of finite numbers; it counts where metadata has none), `children` and `attachments`
    #   (lists, only passed on)
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

    # @return [String] where it comes from: "dify" unless it says otherwise
    def provider
      @parts.fetch("provider", "dify")
    end

    # @return [Array<Numeric>, nil] the vector in metadata, else its own
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
    # @raise [DimensionMismatchError] there is a vector, and it has not `dimension` components
    def check_dimension(name, dimension)
      return if vector.nil? || vector.size == dimension

      place = @metadata["vector"].nil? ? "vector" : "metadata.vector"
      raise DimensionMismatchError, "#{name}.#{place} must have #{dimension} components, not #{vector.size}"
    end

    # @param changes [Hash{String=>Object}]
    # @return [Document] the same document with other metadata; what is not named stays
    def with_metadata(changes)
      changed = dup
      changed.instance_variable_set(:@metadata, @metadata.merge(changes).freeze)
      changed.freeze
    end

    # @return [Hash{String=>Object}] the document as plain data, a copy; of its other parts those that are there
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

    # @return [Integer] by the text
    def hash
      @page_content.hash
    end

    private

    def check(name, metadata)
      Base::Validation.text("#{name}.doc_id", metadata["doc_id"]) unless metadata["doc_id"].nil?
      NUMBERS.each { |key| Base::Validation.number("#{name}.#{key}", metadata[key]) unless metadata[key].nil? }
      Base::Validation.vector("#{name}.vector", metadata["vector"]) unless metadata["vector"].nil?
    end

    # Copies of the parts beside text and metadata that are there.
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

    # A copy of plain data: lists and objects anew, all else as it is.
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
