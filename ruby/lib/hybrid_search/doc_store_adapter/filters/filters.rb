# frozen_string_literal: true

module HybridSearch
  module AdapterKit
    # Which documents count at all (DOC-2): conditions on the fields of a store, as data; all of them must hold.
    #
    # - a field and a text, a number, true or false, or a list of these, of which one must be equal. Where the document
    #   holds a list, one member is enough. An empty list matches nothing. 1 equals 1.0, but not "1" or true.
    # - a field and an object of operators, which must all hold: `eq`, `in`, `gt`, `gte`, `lt`, `lte`, `exists`. Numbers
    #   are compared with numbers, texts with texts, by code points; what is missing satisfies no comparison.
    # - `id`: a text or a list of texts.
    # - `available_int`: 1 asks for documents whose value is at least 1 or missing, 0 for those with a value below 1.
    # - `not`: filters that must not hold; `any`, `all`: a list of filters of which one, or each, must.
    # - `must_not`: `{"exists" => field}` (or a list of fields) asks for documents without that field; an empty list
    #   counts as missing.
    #
    # `metadata.a.b` names a value within `metadata`, `tag_feas.x` the number of a tag.
    class Filters
      include Base::ShortInspect

      # @return [Stores::Filters::FilterConditions::Conjunction] what must hold
      attr_reader :conditions
      # @return [Set<String>, nil] the ids asked for; nil when `id` is not filtered
      attr_reader :identifiers
      # @return [Array<Object>] what two filters that ask for the same have in common
      attr_reader :key

      # The condition of every retrieval whose filters do not ask for availability (RET-8).
      AVAILABLE = Stores::Filters::FilterConditions::Available.new([true])

      # @param filters [Hash{String=>Object}, Stores::Filters::FilterConditions::Conjunction, nil] the conditions, as
      #   data or as they were parsed before; nil for no condition
      # @raise [InvalidInputError] a condition of another form, or too many of them
      def initialize(filters)
        @conditions = parsed(filters)
        identified = @conditions.conditions.find { |one| one.is_a?(Stores::Filters::FilterConditions::Identified) }
        @identifiers = identified&.identifiers
        @key = @conditions.key.freeze
        @ask_availability_alone = @conditions.conditions.map(&:key) == [AVAILABLE.key]
        freeze
      end

      # @return [Boolean] whether every document passes that does not state its availability
      def ask_availability_alone?
        @ask_availability_alone
      end

      # @return [Boolean] whether every document passes
      def empty?
        @conditions.conditions.empty?
      end

      # @param identifier [String] the document's id
      # @param fields [Hash{String=>Object}] its fields apart from vectors
      # @param vector_fields [Array<String>] the names of its vector fields
      # @return [Boolean] whether the document passes
      def accepts?(identifier, fields, vector_fields)
        @conditions.accepts?(Stores::Filters::FilterConditions::Candidate.new(identifier, fields, vector_fields))
      end

      private

      def parsed(filters)
        return filters if filters.is_a?(Stores::Filters::FilterConditions::Conjunction)

        Stores::Filters::FilterParser.new(Stores::Filters::FilterNames.new).parse(filters.nil? ? {} : filters)
      end
    end
  end
end
