# frozen_string_literal: true

module HybridSearch
  module AdapterKit
    # Filters: conditions on the fields of a store, as data; all of them must hold (DOC-2).
    #
    # - a field and a text, a number, true or false, or a list of these, of which one must be equal. If the document has
    #   a list, one equal member is enough. An empty list matches nothing. 1 equals 1.0, but not "1" or true.
    # - a field and an object of operators, which must all hold: `eq`, `in`, `gt`, `gte`, `lt`, `lte`, `contains`,
    #   `starts_with`, `ends_with`, `exists`, `not`. Numbers are compared with numbers, texts with texts, by code
    #   points; a missing field satisfies no comparison.
    # - `id`: a text or a list of texts.
    # - `available_int`: 1 matches documents whose value is at least 1 or missing, 0 those with a value below 1.
    # - `not`: filters that must not hold; `any`, `all`: a list of filters of which one, or each, must hold.
    # - `must_not`: `{"exists" => field}` (or a list of fields) matches documents without that field; an empty list
    #   counts as missing.
    #
    # `metadata.a.b` names a value within `metadata`, `tag_feas.x` the number of a tag.
    class Filters
      include Base::ShortInspect

      # @return [Stores::Filters::FilterConditions::Conjunction] the parsed conditions
      attr_reader :conditions
      # @return [Set<String>, nil] the accepted ids, nil if the filters do not mention `id`
      attr_reader :identifiers
      # @return [Array<Object>] a key that is equal for two filters with the same meaning
      attr_reader :key

      # The condition that every search adds, unless its filters mention availability (RET-8).
      AVAILABLE = Stores::Filters::FilterConditions::Available.new([true])

      # @param filters [Hash{String=>Object}, Stores::Filters::FilterConditions::Conjunction, nil] the conditions, as
      #   data or already parsed; nil for no condition
      # @raise [InvalidInputError] a condition of another form, or too many conditions
      def initialize(filters)
        @conditions = parsed(filters)
        identified = @conditions.conditions.find { |one| one.is_a?(Stores::Filters::FilterConditions::Identified) }
        @identifiers = identified&.identifiers
        @key = @conditions.key.freeze
        @ask_availability_alone = @conditions.conditions.map(&:key) == [AVAILABLE.key]
        freeze
      end

      # @return [Boolean] whether availability is the only condition, so that every document without a value for it
      #   passes
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
