# frozen_string_literal: true

require "set"

module HybridSearch
  module Rails
    # The meaning of a relation such as `Article.published` for a search.
    #
    # Equalities of names that the index contains become filters. All other conditions are evaluated by the database: up
    # to {MOST} ids that it selects become a filter; if there are more, the relation selects from the best candidates of
    # the search.
    class Narrowing
      include Base::ShortInspect

      # The maximum number of ids in a filter.
      MOST = 10_000

      # @param relation [ActiveRecord::Relation]
      # @return [Boolean] whether it selects nothing, with any contents of the table
      def self.none?(relation)
        return relation.null_relation? if relation.respond_to?(:null_relation?)

        relation.is_a?(::ActiveRecord::NullRelation)
      end

      # @param relation [ActiveRecord::Relation]
      # @return [void]
      # @raise [InvalidInputError] the relation has its own limit, offset, group or order
      def self.check(relation)
        given = { limit: [relation.limit_value, "per:"], offset: [relation.offset_value, "page:"],
                  group: [relation.group_values.presence, "facets:"],
                  order: [(relation.order_values - relation.klass.default_scoped.order_values).presence, "order:"] }
        name, (_, word) = given.find { |_, (value, _)| !value.nil? }
        return if name.nil?

        raise InvalidInputError, "a relation with #{name} cannot be searched; use the option #{word} of hybrid"
      end

      # @return [Array<Hash>] filters of the index
      attr_reader :filters

      # @param relation [ActiveRecord::Relation]
      # @param names [AttributeNames]
      def initialize(relation, names)
        @relation = relation
        @names = names
        @key = relation.klass.primary_key
        @broad = false
        @filters = conditions.compact.freeze
      end

      # @return [Boolean] whether the relation selects nothing, with any contents of the table
      def none?
        Narrowing.none?(@relation)
      end

      # @return [Boolean] whether the relation must select from the candidates
      def broad?
        @broad
      end

      # @param ids [Array<String>] the ids of records in the index
      # @return [Set<String>] those that the relation selects
      def selected(ids)
        plain.where(@key => ids).pluck(key_column).to_set(&:to_s)
      end

      private

      def conditions
        return [] if none? || unconditional?

        equal = equalities
        return equal if equal

        ids = plain.limit(MOST + 1).pluck(key_column)
        @broad = ids.size > MOST
        @broad ? [] : [{ "doc_id" => ids.map(&:to_s) }]
      end

      def unconditional?
        @relation.where_clause.empty? && plain_parts?
      end

      def plain_parts?
        @relation.joins_values.empty? && @relation.having_clause.empty? && @relation.from_clause.empty?
      end

      # Return filters that are equivalent to all conditions; nil if a condition is of another kind, or the index does
      # not contain its column.
      def equalities
        values = @relation.where_values_hash
        return unless plain_parts? && values.keys.all? { |name| @names.column?(name) }

        same = @relation.klass.unscoped.where(values).where_clause == @relation.unscope(:order).where_clause
        return unless same

        values.map { |name, value| Conditions.new(@names).filters(name => value) }
      end

      def plain
        bare = @relation.except(:order, :select, :preload, :limit, :offset)
        bare.eager_loading? ? bare : bare.except(:includes)
      end

      def key_column
        @relation.klass.arel_table[@key]
      end
    end
  end
end
