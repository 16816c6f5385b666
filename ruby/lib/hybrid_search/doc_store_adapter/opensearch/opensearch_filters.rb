# frozen_string_literal: true

module HybridSearch
  module Stores
    module OpenSearch
      # The queries of an index made by this library about a single field.
      class OwnLeaves
        include Base::ShortInspect

        # @param identifiers [Array<String>]
        # @return [Hash] a query for the documents with these ids
        def identified(identifiers)
          OpenSearchFilters.terms("id", identifiers.sort)
        end

        # @return [Hash] a query for the documents whose `available_int` is below 1
        def unavailable
          bound = Filters::Comparisons::Bound.new("lt", ["number", 1])
          { "range" => { "value" => Filters::ValueKeys.value_range("available_int", [bound]) } }
        end

        # @param path [Documents::FieldPath]
        # @return [Hash] a query for the documents that have a field
        def exists(path)
          { "term" => { "name" => Filters::ValueKeys.name_key(path.name) } }
        end

        # @param condition [Filters::FilterConditions::Valued]
        # @return [Hash] a query for the documents with an accepted value; it ignores `exists`
        def valued(condition)
          name = condition.path.name
          if condition.wanted
            wanted = OpenSearchFilters.within(condition).map { |key| Filters::ValueKeys.value_key(name, key) }
            return OpenSearchFilters.terms("value", wanted.sort)
          end
          return having_parts(name, condition.parts) if condition.bounds.empty?

          sides = Filters::ValueKeys.value_range(name, condition.bounds)
          return OpenSearchFilters::NOTHING unless sides

          within_bounds = { "range" => { "value" => sides } }
          return within_bounds if condition.parts.empty?

          { "bool" => { "filter" => [within_bounds, having_parts(name, condition.parts)] } }
        end

        private

        def having_parts(name, parts)
          return { "regexp" => { "value" => { "value" => OpenSearchKeys.value_pattern(name, parts) } } } if
            name == "id" || Filters::Attributes.attribute?(name)

          raise InvalidInputError, "OpenSearch holds the beginning of #{name} alone: it has no contains and the like"
        end
      end

      # Filters as queries of OpenSearch; values are passed as data and never as the text of a query (DOC-2).
      #
      # Every level of filters is one `bool` query, since engines limit the depth of queries.
      class OpenSearchFilters
        include Base::ShortInspect

        # The maximum number of terms in one query; engines accept 65,536.
        MOST_TERMS = 50_000
        NOTHING = { "match_none" => {} }.freeze
        EVERYTHING = { "match_all" => {} }.freeze

        # @param condition [Filters::FilterConditions::Valued]
        # @return [Array<Array(String, Object)>] the accepted values that are within the bounds and have the parts
        def self.within(condition)
          condition.wanted.select { |key| condition.holds_within?(key) }
        end

        # @param field [String]
        # @param values [Array]
        # @return [Hash] a query for the documents whose field has one of the values
        def self.terms(field, values)
          return NOTHING if values.empty?
          return { "terms" => { field => values } } if values.size <= MOST_TERMS

          pieces = values.each_slice(MOST_TERMS).map { |piece| { "terms" => { field => piece } } }
          { "bool" => { "should" => pieces, "minimum_should_match" => 1 } }
        end

        # @param leaves [OwnLeaves, RagflowLeaves] writes the queries about a single field
        def initialize(leaves)
          @leaves = leaves
        end

        # @param conjunction [Filters::FilterConditions::Conjunction]
        # @return [Hash] a query for the documents for which all conditions hold
        def query(conjunction)
          parts = { "filter" => [], "must_not" => [], "should" => [] }
          conjunction.conditions.each { |condition| add(condition, parts) }
          found = parts.reject { |_, queries| queries.empty? }
          return EVERYTHING if found.empty?

          found["minimum_should_match"] = 1 if found.key?("should")
          { "bool" => found }
        end

        private

        def add(condition, parts)
          case condition
          when Filters::FilterConditions::Negation then parts["must_not"] << query(condition.filters)
          when Filters::FilterConditions::AllConditions
            parts["filter"].concat(condition.filters.map { |one| query(one) })
          when Filters::FilterConditions::AnyCondition then add_any(condition, parts)
          when Filters::FilterConditions::Missing
            parts["must_not"].concat(condition.paths.map { |path| @leaves.exists(path) })
          when Filters::FilterConditions::Exists then add_exists(condition.path, condition.wanted, parts)
          when Filters::FilterConditions::Identified
            parts["filter"] << @leaves.identified(condition.identifiers.to_a)
          when Filters::FilterConditions::Available then add_available(condition, parts)
          else add_valued(condition, parts)
          end
        end

        def add_any(condition, parts)
          alternatives = condition.filters.map { |one| query(one) }
          alternatives = [NOTHING] if alternatives.empty?
          return parts["should"] = alternatives if parts["should"].empty?

          parts["filter"] << { "bool" => { "should" => alternatives, "minimum_should_match" => 1 } }
        end

        def add_exists(path, wanted, parts)
          parts[wanted ? "filter" : "must_not"] << @leaves.exists(path)
        end

        def add_available(condition, parts)
          wanted = condition.wanted.uniq
          if wanted.empty?
            parts["filter"] << NOTHING
          elsif wanted.size == 1
            parts[wanted[0] ? "must_not" : "filter"] << @leaves.unavailable
          end
        end

        def add_valued(condition, parts)
          add_exists(condition.path, condition.exists, parts) unless condition.exists.nil?
          parts["filter"] << @leaves.valued(condition)
        end
      end
    end
  end
end
