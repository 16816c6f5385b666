# frozen_string_literal: true

module HybridSearch
  module Cli
    # Writes a page as JSON Lines: `meta`, its hits as they are found, `done` (CUR-5), flushing after each line.
    class PageStream
      include Base::ShortInspect

      # The number of documents that are read at once with `match_all`, for any limit.
      PIECE = 256
      private_constant :PIECE

      # @param search [Proc] returns a page for options
      # @param console [Console] the output
      def initialize(search, console)
        @search = search
        @console = console
      end

      # Write a page.
      #
      # @param question [String] the text to search for
      # @param options [Hash{Symbol=>Object}] the options of the page
      # @param most [Integer] the largest limit
      # @return [void]
      def write(question, options, most)
        returned = 0
        last = nil
        pieces(options, most) do |piece|
          write_meta(question, piece) if last.nil?
          write_hits(piece)
          returned += piece.hits.size
          last = piece
        end
        write_done(last, returned)
      end

      private

      # Yield a page as a whole; a page of many documents in pieces, each with the number and the limit of the page.
      def pieces(options, most, &)
        given = options.fetch(:limit) { Search::SearchOptions::DEFAULTS["limit"] }
        limit = [Base::Validation.integer("limit", given, 1), most].min
        return long(options, limit, &) if options.key?(:match_all) && limit > PIECE

        yield @search.call(options)
      end

      def long(options, limit)
        number = options.fetch(:page, 1)
        options = options.except(:page)
        if number > 1
          before = @search.call({ **options, limit: 1, page: (number - 1) * limit })
          return yield(before.with(hits: [], page: number, limit:)) if before.next_cursor.nil?

          options = { **options, cursor: before.next_cursor }
        elsif options.key?(:cursor)
          number = ((@search.call({ **options, limit: 1 }).page - 1) / limit) + 1
        end
        room = limit
        loop do
          piece = @search.call({ **options, limit: [PIECE, room].min })
          yield piece.with(page: number, limit:)
          room -= piece.hits.size
          break if piece.next_cursor.nil? || room <= 0

          options = { **options, facets: nil, cursor: piece.next_cursor }
        end
      end

      # Write the facts about the page that are known before its hits.
      def write_meta(question, page)
        plain = page.with(hits: []).to_h.except("hits", "next_cursor")
        plain["explain"] = plain["explain"].except("hits") if plain.key?("explain")
        @console.write_json({ "type" => "meta", "question" => question, **plain }, flush: true)
        PageTable.warn_of(page, @console)
      end

      def write_hits(page)
        explained = page.explain && page.explain["hits"]
        page.hits.each_with_index do |hit, place|
          parts = explained ? { "explain" => explained[place] } : {}
          @console.write_json({ "type" => "hit", **hit.to_h, **parts }, flush: true)
        end
      end

      def write_done(page, returned)
        done = {
          "type" => "done",
          "returned" => returned,
          "index_changed" => page.index_changed,
          "next_cursor" => page.next_cursor
        }
        @console.write_json(done, flush: true)
      end
    end
  end
end
