# frozen_string_literal: true

module HybridSearch
  module Rails
    # The records of one page of a search, in rank order. The search runs when a part of the results is first needed;
    # records are loaded by one query, through the relation that was searched.
    #
    #   articles = Article.published.hybrid("shed", page: params[:page], highlight: true)
    #   articles.each { |article| … }
    #   articles.highlight_for(article)
    #
    # The methods of a relation return other results: `where`, `order`, `page`, `per`, `limit`, `offset`, `includes`.
    class Results
      include Enumerable
      include Pagination

      # @return [ModelSearch]
      attr_reader :request

      # @param index [ModelIndex]
      # @param relation [ActiveRecord::Relation] the relation through which the records are loaded
      # @param request [ModelSearch]
      # @param like [ActiveRecord::Base, nil] the record whose similar records are searched
      def initialize(index, relation, request, like = nil)
        @index = index
        @relation = relation
        @request = request
        @like = like
      end

      # @return [Class] the model
      def model
        @relation.klass
      end
      alias klass model

      # @yieldparam record [ActiveRecord::Base]
      # @return [Enumerator, Results]
      def each(&block)
        return enum_for(:each) { size } unless block

        records.each(&block)
        self
      end

      # @return [Array<ActiveRecord::Base>] the records of the page, in rank order
      def records
        pairs.map(&:first)
      end
      alias to_a records
      alias to_ary records
      alias load records

      # @return [Array<Hit>] the hits of the page; no record is loaded
      def hits
        @hits ||= found.hits.map { |hit| Highlights.safe(hit) }.freeze
      end

      # @return [Array<Array(ActiveRecord::Base, Hit)>] the records of the page with their hits
      def with_hits
        pairs.dup
      end

      # @yieldparam record [ActiveRecord::Base]
      # @yieldparam hit [Hit]
      # @return [Enumerator, Results]
      def each_with_hit(&block)
        return with_hits.each unless block

        pairs.each(&block)
        self
      end

      # @param record [ActiveRecord::Base]
      # @return [Hit, nil] its hit; nil if it is not on the page
      def hit_for(record)
        id = record.id.to_s
        hits.find { |hit| hit.doc_id == id }
      end

      # @param record [ActiveRecord::Base]
      # @return [ActiveSupport::SafeBuffer, nil] its content with the matches in `<em>`, everything else escaped; nil if
      #   it is not on the page
      def highlight_for(record)
        hit = hit_for(record)
        hit && Highlights.text(hit)
      end

      # @return [Integer] the number of hits on the page whose record was removed, or is not in the relation
      def missing_count
        hits.size - pairs.size
      end

      # @return [Hash{String=>Array<Hash{String=>Object}>}, nil] name → `value` and `count`, over all pages
      def facets
        @facets ||= found.facets
      end

      # @return [Array<String>] problems that did not stop the search, and the reasons why nothing was found
      def warnings
        found.warnings
      end

      # @return [Hash, nil] the explanation of the ranking, with the option `explain`
      def explain
        found.explain
      end

      # @return [Array<Object>] the primary keys of the records
      def ids
        records.map(&:id)
      end

      # @param names [Array<Symbol, String>]
      # @return [Array<Object>] values of attributes of the records, in rank order
      def pluck(*names)
        records.map do |record|
          if names.size == 1
            record.public_send(names[0])
          else
            names.map do |name|
              record.public_send(name)
            end
          end
        end
      end

      # @return [Integer] the number of records on the page
      def size
        pairs.size
      end
      alias length size

      # @param column [Symbol, nil] `:all` counts the records of all pages, as pagy asks
      # @return [Integer] the number of records on the page, or of those that a block accepts
      def count(*column, &)
        return total_count if column == [:all]

        column.empty? ? records.count(&) : records.count(*column)
      end

      # @return [Boolean] whether the page has no record
      def empty?
        pairs.empty?
      end

      # @return [Boolean]
      def blank?
        empty?
      end

      # @param place [Integer, Range]
      # @param length [Integer, nil]
      # @return [ActiveRecord::Base, Array<ActiveRecord::Base>, nil] as for an Array
      def [](place, length = nil)
        length.nil? ? records[place] : records[place, length]
      end

      # @param count [Integer, nil]
      # @return [ActiveRecord::Base, Array<ActiveRecord::Base>, nil] as for an Array
      def last(count = nil)
        count.nil? ? records.last : records.last(count)
      end

      # @param other [Object]
      # @return [Boolean] whether the records are the same, in the same order
      def ==(other)
        other.respond_to?(:to_ary) && records == other.to_ary
      end

      # @return [Results] the page with a number; a value that is not a number of at least 1 means the first page
      def page(number = nil)
        changed(page: number)
      end

      # @return [Results] the same results with that number of records on a page
      def per(number)
        changed(per: number)
      end

      # @see #per
      def limit(number)
        changed(limit: number)
      end

      # @param number [Integer, nil] a multiple of the number of records on a page
      # @return [Results, Integer] the page that begins after that number of records; without a number, as will_paginate
      #   calls it, the number of records on the previous pages
      def offset(number = nil)
        number.nil? ? offset_value : changed(offset: number)
      end

      # @param conditions [Hash] see {Conditions}
      # @return [Results] the results that satisfy these conditions too
      def where(conditions)
        before = @request.options[:where]
        changed(where: before.nil? ? conditions : { all: [before, conditions] })
      end

      # @return [Results] the same results in another order, see {ModelOrder}
      def order(*order)
        changed(order: order.size == 1 ? order[0] : order)
      end
      alias reorder order

      # @return [Results] the same results with associations loaded
      def includes(*associations)
        changed(includes: [*@request.includes, *associations])
      end
      alias preload includes

      # @return [Results] the same results with highlights
      def highlight
        changed(highlight: true)
      end

      # @return [String] one short line; it does not run the search
      def inspect
        state = @found ? "#{found.total} found" : "not asked yet"
        "#<#{self.class} of #{model.name}: page #{current_page}, #{state}>"
      end

      private

      def found
        @found ||= Found.of(@index, @relation, @request, @like)
      end

      def pairs
        @pairs ||= loaded
      end

      def loaded
        return [] if hits.empty?

        key = model.primary_key
        type = model.type_for_attribute(key)
        relation = @relation.unscope(:order).where(key => hits.map { |hit| type.cast(hit.doc_id) })
        relation = relation.select(model.arel_table[key]) if relation.select_values.any?
        relation = relation.includes(*@request.includes) unless @request.includes.empty?
        records = relation.to_a.to_h { |record| [record.id.to_s, record] }
        hits.filter_map { |hit| [records[hit.doc_id], hit] if records.key?(hit.doc_id) }
      end

      def changed(**changes)
        Results.new(@index, @relation, @request.with(**changes), @like)
      end

      def respond_to_missing?(_name, _include_private = false)
        false
      end

      def method_missing(name, ...)
        Habits::RESULTS.key?(name.to_s) ? Habits.no_method("results of #{model.name}", name, Habits::RESULTS) : super
      end
    end
  end
end
