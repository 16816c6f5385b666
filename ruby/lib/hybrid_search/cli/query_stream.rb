# frozen_string_literal: true

module HybridSearch
  module Commanding
    # One page as JSON Lines: `meta`, its results as they come, `done` (CUR-5); each line is handed on at once.
    class QueryStream
      include ShortInspect

      # So many documents are read at once where all are shown, however many are asked for.
      PIECE = 256
      DEFAULT_LIMIT = 10

      # @param index [Index] answers
      # @param console [Console] where lines are written
      # @param max_results [Integer] the cap of the index
      def initialize(index, console, max_results)
        @index = index
        @console = console
        @max_results = max_results
      end

      # Write the page that a question and its options ask for.
      #
      # @param question [String]
      # @param options [Hash{Symbol=>Object}]
      # @return [void]
      def write(question, options)
        limit = [Validation.integer("limit", options.fetch(:limit, DEFAULT_LIMIT), 1), @max_results].min
        size = options[:match_all] ? [limit, PIECE].min : limit
        piece = @index.query(question, **options, limit: size)
        position = piece.paging.position
        write_meta(question, limit, piece)
        QueryTable.warn_of(piece, @console)
        returned = results(piece)
        while piece.next_cursor && returned < limit
          later = { **options, facets: nil, cursor: piece.next_cursor, limit: [size, limit - returned].min }
          piece = @index.query(question, **later)
          returned += results(piece)
        end
        write_done(piece, position, returned)
      end

      private

      def write_meta(question, limit, piece)
        paging = piece.paging.to_h.except("returned", "capped")
        meta = { "type" => "meta", "question" => question, **paging, "limit" => limit, "warnings" => piece.warnings }
        @console.write_json({ **meta, **shown_once(piece) }, flush: true)
      end

      def write_done(piece, position, returned)
        done = {
          "type" => "done",
          "returned" => returned,
          "position" => position + returned,
          "capped" => piece.paging.capped,
          "index_changed" => piece.paging.index_changed,
          "next_cursor" => piece.next_cursor
        }
        @console.write_json(done, flush: true)
      end

      def results(piece)
        explained = piece.explain && piece.explain["results"]
        piece.results.each_with_index do |hit, place|
          parts = explained ? { "explain" => explained[place] } : {}
          result = { "type" => "result", "number" => piece.paging.position + place + 1, **hit.to_h, **parts }
          @console.write_json(result, flush: true)
        end
        piece.results.size
      end

      # What tells of the whole ranking.
      def shown_once(piece)
        shown = piece.to_h.slice("facets", "explain")
        shown["explain"] = shown["explain"].except("results") if shown.key?("explain")
        shown
      end
    end
  end
end
