# frozen_string_literal: true

require "set"

module HybridSearch
  # Which documents count at all (DOC-2): conditions that must all hold.
  #
  # - `id`: a text or a list of texts.
  # - `available_int`: 1 asks for documents whose value is at least 1 or missing, 0 for those with a value below 1.
  # - `must_not`: `{"exists" => field}` (or a list of fields) asks for documents without that field; an empty list
  #   counts as missing.
  # - any other field: a text, a number, true or false, or a list of these, of which one must be equal. Where the
  #   document holds a list, one member is enough. An empty list matches nothing. 1 equals 1.0, but not "1" or true.
  class Filters
    include ShortInspect

    # @return [Set<String>, nil] the ids asked for; nil when `id` is not filtered
    attr_reader :identifiers
    # @return [Array<Object>] what two filters that ask for the same have in common
    attr_reader :key

    # @param filters [Hash{String=>Object}, nil] the conditions
    # @raise [InvalidInputError] a condition of another form
    def initialize(filters)
      @any_of = []
      @available = nil
      @missing = []
      @identifiers = nil
      Validation.mapping("filters", filters.nil? ? {} : filters).each { |field, wanted| accept(field, wanted) }
      @any_of = @any_of.sort_by { |field, _| field }.freeze
      @key = [@identifiers, @available, @missing, @any_of].freeze
      freeze
    end

    # @return [Boolean] whether every document passes
    def empty?
      @key == [nil, nil, [], []]
    end

    # @param identifier [String] the document's id
    # @param fields [Hash{String=>Object}] its fields apart from vectors
    # @param vector_fields [Array<String>] the names of its vector fields
    # @return [Boolean] whether the document passes
    def accepts?(identifier, fields, vector_fields)
      return false if @identifiers && !@identifiers.include?(identifier)
      return false if @available && !accepts_availability?(fields["available_int"])
      return false if @missing.any? { |field| exists?(field, fields, vector_fields) }

      @any_of.all? { |field, wanted| holds?(fields[field], wanted) }
    end

    private

    def exists?(field, fields, vector_fields)
      vector_fields.include?(field) || (fields.key?(field) && fields[field] != [])
    end

    def accept(field, wanted)
      name = "filters.#{field}"
      case field
      when "id" then @identifiers = texts(name, wanted).to_set.freeze
      when "available_int" then @available = Validation.integer(name, wanted, 0, 1)
      when "must_not"
        conditions = Validation.mapping(name, wanted)
        Validation.known("condition of must_not", conditions.keys, ["exists"])
        @missing = texts("#{name}.exists", conditions["exists"]).uniq.sort.freeze if conditions.key?("exists")
      else
        members = wanted.is_a?(::Array) ? wanted : [wanted]
        @any_of << [field, members.to_set { |member| member_key(name, member) }.freeze].freeze
      end
    end

    def texts(name, value)
      value.is_a?(::String) ? [Validation.text(name, value)] : Validation.texts(name, value)
    end

    def accepts_availability?(value)
      return value.nil? || value >= 1 if @available == 1

      !value.nil? && value < 1
    end

    def member_key(name, member)
      case member
      when ::String then Validation.text(name, member)
      when true, false then nil
      when nil, ::Array, ::Hash
        raise Validation.failure(name, member, "a text, a number, true or false, or a list of these")
      else Validation.number(name, member)
      end
      StoredDocument.scalar_key(member)
    end

    def holds?(value, wanted)
      return value.any? { |member| wanted.include?(StoredDocument.scalar_key(member)) } if value.is_a?(::Array)

      wanted.include?(StoredDocument.scalar_key(value))
    end
  end
end
