# frozen_string_literal: true

require "set"

module HybridSearch
  module Rails
    # What a relation such as `Article.published` means for a search.
    #
    # Equalities of names that the index holds become filters. Any other condition is asked of the database: the ids
    # that it selects become a filter as long as there are at most {MOST}; where there are more, the best candidates of
    # the search are asked of the relation.
    class Narrowing
      include Base::ShortInspect

      # The number of ids that a filter takes.
      MOST = 10_000

      # @param relation [ActiveRecord::Relation]
      # @return [Boolean] whether it selects nothing, with any contents of the table
      def self.none?(relation)
        return relation.null_relation? if relation.respond_to?(:null_relation?)

        relation.is_a?(::ActiveRecord::NullRelation)
      end

      # @param relation [ActiveRecord::Relation]
      # @return [void]
      # @raise [InvalidInputError] it has a limit, an offset, a group or an order of its own
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

      # @return [Boolean] whether the relation has to be asked which candidates it selects
      def broad?
        @broad
      end

      # @param ids [Array<String>] of records, as the index has them
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

      # The filters that mean the same as all conditions; nil where one is another kind, or the index does not hold it.
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
