# frozen_string_literal: true

require "set"

module HybridSearch
  module Rails
    # One page of records of which several passages may be found, or of which the database decides which ones count.
    #
    # A record has the place of its best passage. All candidates are counted, so that every page has the same total;
    # passages are read from the first one to the end of the page.
    class FoundInWalk
      include Base::ShortInspect

      # The number of passages that are read at once for each record of a page.
      AHEAD = 4
      DOCUMENT = "doc_id"
      FACET_LIMIT = 10_000
      private_constant :AHEAD, :DOCUMENT, :FACET_LIMIT

      # @return [Integer] the number of records on all pages
      attr_reader :total
      # @return [Array<Hit>] the best hit of each record of the page
      attr_reader :hits

      # @param ask [#call] maps options to a page of the index
      # @param request [ModelSearch]
      # @param options [Hash{Symbol=>Object}] the options of {Index#search}
      # @param narrowing [Narrowing]
      def initialize(ask, request, options, narrowing)
        @ask = ask
        @request = request
        @narrowing = narrowing
        @options = { **options, facets: [DOCUMENT], facet_limit: FACET_LIMIT }
        @limit = [request.per * AHEAD, Search::SearchOptions::DEFAULTS.fetch("candidates")].min
        @first = page(1)
        found = @first.facets.fetch(DOCUMENT).map { |entry| entry.fetch("value") }
        @counting = narrowing.broad? ? narrowing.selected(found) : found.to_set
        @total = @counting.size
        @hits = best((request.page - 1) * request.per, request.per)
      end

      # @return [Boolean]
      def total_is_lower_bound
        @first.total_is_lower_bound
      end

      # @return [Array<String>]
      def warnings
        @first.warnings
      end

      # Return the counts of values over the records, each represented by its best passage.
      #
      # @return [Hash{String=>Array<Hash>}, nil]
      def facets
        return if @request.facets.empty?

        every = best(0, @total)
        @request.facets.to_h { |name| [name, counts(every, name)] }
      end

      # @return [Hash, nil]
      def explain
        @first.explain
      end

      private

      def page(number)
        @ask.call({ **@options, limit: @limit, page: number })
      end

      def best(offset, count)
        seen = Set.new
        found = []
        number = 1
        shown = @first
        while found.size < count && !shown.hits.empty?
          shown.hits.each do |hit|
            next unless @counting.include?(hit.doc_id) && seen.add?(hit.doc_id)

            found << hit if seen.size > offset && found.size < count
          end
          break if number >= shown.pages

          number += 1
          shown = page(number)
        end
        found
      end

      def counts(hits, name)
        values = hits.flat_map { |hit| ::Kernel.Array(value(hit, name)) }
        values.tally.sort_by { |value, count| [-count, value.to_s] }
              .map { |value, count| { "value" => value, "count" => count } }
      end

      def value(hit, name)
        return hit.doc_id if name == "id"
        return hit.kb_id unless hit.metadata.key?(name.split(".").first)

        hit.metadata.dig(*name.split("."))
      end
    end
  end
end
