# frozen_string_literal: true

module HybridSearch
  module Retrieving
    # What a page shows, and what is told beside it.
    class PageEntries
      include ShortInspect

      # @return [Array<Entry>] the entries on the page, best first
      attr_reader :shown
      # @return [RankedEntries] all that were ranked on the way
      attr_reader :ranked
      # @return [Integer] how many candidates there are with windows, how many entries were found with full pages
      attr_reader :total
      # @return [Boolean] whether there may be more than that
      attr_reader :total_is_lower_bound
      # @return [Boolean] whether a later page may show something
      attr_reader :has_more

      def initialize(shown:, ranked:, total:, total_is_lower_bound:, has_more:)
        @shown = shown
        @ranked = ranked
        @total = total
        @total_is_lower_bound = total_is_lower_bound
        @has_more = has_more
        freeze
      end
    end

    # Pages as RAGFlow cuts them: each is a slice of its block's entries (RET-3).
    class WindowPages
      include ShortInspect

      # @param candidates [FetchedCandidates]
      # @param rank [#call] ranks a block of candidates, of which the first has the given place among all
      def initialize(candidates, rank)
        @candidates = candidates
        @rank = rank
        @ranked = nil
      end

      # @param window [Window]
      # @return [PageEntries] what a page shows
      def page(window)
        unless @ranked && @ranked.blocks.first.first == window.first
          block = @rank.call(@candidates.block(window.first, window.size), window.first)
          @ranked = RankedEntries.new([block], block.entries)
        end
        entries = @ranked.entries
        total = @candidates.total
        PageEntries.new(
          shown: Slices.part(entries, window.begin, window.page_size),
          ranked: @ranked,
          total:,
          total_is_lower_bound: @candidates.cut?,
          has_more: window.has_more?(entries.size, total)
        )
      end
    end

    # Pages cut from the entries of all blocks one after another: none but the last has gaps (RET-7).
    #
    # Blocks are ranked from the first on, until the page and one more entry are there.
    class FullPages
      include ShortInspect

      # @param candidates [FetchedCandidates]
      # @param rank [#call] as for {WindowPages}
      # @param exact_total [Boolean] whether all blocks are ranked
      def initialize(candidates, rank, exact_total)
        @candidates = candidates
        @rank = rank
        @exact_total = exact_total
        @blocks = []
        @entries = []
        @ranked = nil
      end

      # @param window [Window]
      # @return [PageEntries] what a page shows
      def page(window)
        last = window.offset + window.page_size
        rank_next(window.size) while more_blocks?(window.size) && (@exact_total || @entries.size <= last)
        PageEntries.new(
          shown: Slices.part(@entries, window.offset, window.page_size),
          ranked: @ranked ||= RankedEntries.new(@blocks.dup, @entries.dup),
          total: @entries.size,
          total_is_lower_bound: more_blocks?(window.size),
          has_more: @entries.size > last
        )
      end

      private

      def more_blocks?(size)
        @blocks.empty? || @blocks.size * size < @candidates.total
      end

      # Rank one more block. Where the store has changed since the first one was fetched, begin anew.
      def rank_next(size)
        first = @blocks.size * size
        if first.positive? && @candidates.fetch_all &&
           @candidates.block(0, size).result.ids != @blocks.first.recalled.result.ids
          @blocks = []
          @entries = []
          first = 0
        end
        block = @rank.call(@candidates.block(first, size), first)
        @blocks << block
        @entries.concat(block.entries)
        @ranked = nil
      end
    end
  end
end
