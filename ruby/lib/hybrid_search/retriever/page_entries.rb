# frozen_string_literal: true

module HybridSearch
  module Retrievers
    # The entries of a page and its totals.
    class PageEntries
      include Base::ShortInspect

      # @return [Array<RankedEntry>] the entries on the page, best first
      attr_reader :shown
      # @return [RankedEntries] all entries that were ranked for the page
      attr_reader :ranked
      # @return [Integer] the number of candidates with windows, of entries with full pages
      attr_reader :total
      # @return [Integer] the number of entries of the block with windows, the total with full pages
      attr_reader :window_total
      # @return [Boolean] whether more than `topk` may match
      attr_reader :total_is_lower_bound
      # @return [Boolean] whether candidates are counted that a rerank model has not scored
      attr_reader :total_is_upper_bound
      # @return [Boolean] whether a later page may show entries
      attr_reader :has_more
      # @return [Array<RankedEntry>, nil] the entries whose values facets count; nil counts all candidates
      attr_reader :counted

      def initialize(shown:, ranked:, total:, window_total:, total_is_lower_bound:, has_more:,
                     total_is_upper_bound: false, counted: nil)
        @shown = shown
        @ranked = ranked
        @total = total
        @window_total = window_total
        @total_is_lower_bound = total_is_lower_bound
        @total_is_upper_bound = total_is_upper_bound
        @has_more = has_more
        @counted = counted
        freeze
      end
    end

    # RAGFlow's pages: each is a slice of its block's entries (RET-3).
    class WindowPages
      include Base::ShortInspect

      # @param candidates [FetchedCandidates]
      # @param rank [#call] ranks a block of candidates; the number is the position of its first candidate among all
      def initialize(candidates, rank)
        @candidates = candidates
        @rank = rank
        @ranked = nil
      end

      # @param window [Window]
      # @return [PageEntries] the entries and totals of a page
      def page(window)
        unless @ranked && @ranked.blocks.first.first == window.first
          block = @rank.call(@candidates.block(window.first, window.size), window.first)
          @ranked = RankedEntries.new([block], block.entries)
        end
        entries = @ranked.entries
        total = @candidates.total
        PageEntries.new(
          shown: Base::Slices.part(entries, window.begin, window.page_size),
          ranked: @ranked,
          total:,
          window_total: entries.size,
          total_is_lower_bound: @candidates.cut?,
          has_more: window.has_more?(entries.size, total)
        )
      end
    end

    # Pages cut from the concatenated entries of all blocks: only the last page may have gaps (RET-7).
    class FullPages
      include Base::ShortInspect

      # @param candidates [FetchedCandidates]
      # @param rank [#call] as for {WindowPages}
      # @param ranks_all [Boolean] whether to rank all blocks at once; otherwise blocks are ranked from the first on,
      #   until the page and one more entry are available
      # @param passes_all [Boolean] whether every candidate is an entry
      def initialize(candidates, rank, ranks_all, passes_all)
        @candidates = candidates
        @rank = rank
        @ranks_all = ranks_all
        @passes_all = passes_all
        @blocks = []
        @entries = []
        @ranked = nil
      end

      # @param window [Window]
      # @return [PageEntries] the entries and totals of a page
      def page(window)
        last = window.offset + window.page_size
        @candidates.fetch_all if @ranks_all
        rank_next(window.size) while more_blocks?(window.size) && (@ranks_all || @entries.size <= last)
        @ranked ||= RankedEntries.new(@blocks.dup, @entries.dup)
        PageEntries.new(
          shown: Base::Slices.part(@entries, window.offset, window.page_size),
          ranked: @ranked,
          has_more: @entries.size > last,
          **totals(window)
        )
      end

      private

      # Return the totals, which are the same on all pages.
      def totals(window)
        exact = @ranks_all || @candidates.total <= window.size
        total = exact ? @entries.size : @candidates.total
        { total:, window_total: total, total_is_lower_bound: @candidates.cut?,
          total_is_upper_bound: !exact && !@passes_all,
          counted: total < @candidates.total ? @ranked&.entries : nil }
      end

      def more_blocks?(size)
        @blocks.empty? || @blocks.size * size < @candidates.total
      end

      # Rank one more block; start again if the store has changed since the first block was fetched.
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
