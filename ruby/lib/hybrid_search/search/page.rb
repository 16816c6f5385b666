# frozen_string_literal: true

module HybridSearch
  # One page of a search (CUR-4): its hits, best first, and facts about all pages.
  #
  #   page = index.search("rule 6-2-1")
  #   page.each { |hit| puts hit.content }
  #   page.first.score
  #   case page
  #   in [] then puts "nothing"
  #   in [first, *] then puts first.title
  #   end
  class Page
    include Base::Listing
    include Base::Value
    include Base::KnownNames

    # The columns of a table, and the maximum lengths of their texts.
    COLUMNS = %w[score bm25 cosine].freeze
    LONGEST_ID = 24
    LONGEST_TEXT = 72
    private_constant :COLUMNS, :LONGEST_ID, :LONGEST_TEXT

    # @return [Array<Hit>] the hits
    attr_reader :hits
    # @return [Integer] the number of hits on all pages, the same on each of them
    attr_reader :total
    # @return [Boolean] whether more may match: the number of found candidates is the maximum, `candidates`
    attr_reader :total_is_lower_bound
    # @return [Integer] the number of this page, from 1
    attr_reader :page
    # @return [Integer] the number of hits on a full page
    attr_reader :limit
    # @return [String, nil] the cursor of the next page; nil on the last one
    attr_reader :next_cursor
    # @return [Boolean] whether the index has changed since the first page of the cursor's walk
    attr_reader :index_changed
    # @return [Array<String>] problems that did not stop the search
    attr_reader :warnings
    # @return [Hash{String=>Array<Hash{String=>Object}>}, nil] name → value and count over all hits, by count
    #   descending, then value; nil unless requested
    attr_reader :facets
    # @return [Hash{String=>Object}, nil] the explanation of the ranking, nil unless requested
    attr_reader :explain

    alias total_is_lower_bound? total_is_lower_bound
    alias index_changed? index_changed

    def initialize(hits:, total:, total_is_lower_bound:, page:, limit:, next_cursor: nil, index_changed: false,
                   warnings: [], facets: nil, explain: nil)
      @hits = hits.freeze
      @total = total
      @total_is_lower_bound = total_is_lower_bound
      @page = page
      @limit = limit
      @next_cursor = next_cursor
      @index_changed = index_changed
      @warnings = warnings.freeze
      @facets = facets.freeze
      @explain = explain
      freeze
    end

    # @return [Integer] the number of pages: `total` in pages of `limit`, rounded up
    def pages
      -(-total / limit)
    end

    # @return [Integer] the number of hits
    def length
      hits.length
    end

    # @param place [Integer, Range<Integer>] as for an Array
    # @param length [Integer, nil] as for an Array
    # @return [Hit, Array<Hit>, nil] a hit by its place, or several
    # @raise [InvalidInputError] the place is a name
    def [](place, length = nil)
      if place.is_a?(::String) || place.is_a?(::Symbol)
        shown = Base::Validation.describe(place)
        raise InvalidInputError, "a page is a list of hits: page[0], page.hits, page.total, not #{shown}"
      end
      length.nil? ? hits[place] : hits[place, length]
    end

    # @return [Array<Hit>] the hits, for `in` patterns
    def deconstruct
      hits
    end

    # @return [Hash{String=>Object}] the page as plain data; `facets` and `explain` only if they were requested
    def to_h
      plain = {
        "hits" => hits.map(&:to_h),
        "total" => total,
        "total_is_lower_bound" => total_is_lower_bound,
        "page" => page,
        "pages" => pages,
        "limit" => limit,
        "next_cursor" => next_cursor,
        "index_changed" => index_changed,
        "warnings" => warnings.dup
      }
      plain["facets"] = facets.transform_values { |entries| entries.map(&:dup) } unless facets.nil?
      plain["explain"] = explain.dup unless explain.nil?
      plain
    end

    # @return [String] one short line
    def inspect
      "#<#{self.class} #{caption}>"
    end

    # @return [String] the hits as a table for display, one line each
    def table
      rows = hits.map { |hit| cells(hit) }
      return "Page #{caption}" if rows.empty?

      listed = [[*COLUMNS, "id", "hit"], *rows]
      widths = (0..COLUMNS.size).map { |column| listed.map { |row| row[column].length }.max }
      lines = listed.map do |row|
        scores = row.first(COLUMNS.size).zip(widths).map { |text, width| text.rjust(width) }
        [*scores, row[-2].ljust(widths[-1]), row[-1]].join("  ").rstrip
      end
      ["Page #{caption}", *lines].join("\n")
    end

    # Show the table in programs that display values, such as irb.
    #
    # @param printer [PP]
    # @return [void]
    def pretty_print(printer)
      printer.text(table)
    end

    private

    def items
      hits
    end

    def caption
      "#{page} of #{pages}: #{hits.size} of #{"at least " if total_is_lower_bound}#{total} hits"
    end

    def cells(hit)
      scores = [hit.score, hit.scores.bm25, hit.scores.cosine].map { |one| one.nil? ? "" : Base::Numeric.fixed4(one) }
      text = [hit.title, hit.content].reject(&:empty?).join(" | ").gsub(/[[:space:]]+/, " ").strip
      [*scores, cut(hit.id, LONGEST_ID), cut(text, LONGEST_TEXT)]
    end

    def cut(text, longest)
      text.length <= longest ? text : "#{text[0, longest]}…"
    end
  end
end
