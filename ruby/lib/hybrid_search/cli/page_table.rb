# frozen_string_literal: true

module HybridSearch
  module Cli
    # Prints a page of hits as a table (CUR-5).
    module PageTable
      HEAD = %w[score bm25 cosine id title text].freeze
      LONGEST_NAME = 32
      LONGEST_TEXT = 400
      ENTITIES = {
        "&lt;" => "<", "&gt;" => ">", "&quot;" => '"', "&#39;" => "'", "&#x27;" => "'", "&amp;" => "&"
      }.freeze
      private_constant :HEAD, :LONGEST_NAME, :LONGEST_TEXT, :ENTITIES

      module_function

      # Print a page as a table, and how to reach the next page.
      #
      # @param page [Page]
      # @param by_cursor [Boolean] whether the page was reached by a cursor; then the next cursor is printed, otherwise
      #   the next number
      # @param console [Console]
      # @return [void]
      def show(page, by_cursor, console)
        rows = page.hits.map { |hit| row(hit) }
        console.write("#{TableView.lines(HEAD, rows, width).join("\n")}\n") unless rows.empty?
        page.facets&.each do |name, values|
          counted = values.map { |entry| "#{plain(entry["value"])}: #{entry["count"]}" }
          console.write("#{name}: #{counted.join(", ")}\n")
        end
        console.write("#{place(page)}#{onward(page, by_cursor)}\n")
        console.complain(Command::PROGRAM, "warning: the index has changed since the first page") if page.index_changed
        warn_of(page, console)
      end

      # Print the warnings of a page to standard error.
      #
      # @param page [Page]
      # @param console [Console]
      # @return [void]
      def warn_of(page, console)
        page.warnings.each { |warning| console.complain(Command::PROGRAM, "warning: #{warning}") }
      end

      # Return the number of cells in a row of the terminal; 100 without a terminal.
      def width
        columns = ENV["COLUMNS"].to_i
        return columns if columns.positive?
        return 100 unless $stdout.tty?

        require "io/console"
        columns = $stdout.winsize.last
        columns.positive? ? columns : 100
      end
      private_class_method :width

      def plain(value)
        value.is_a?(::String) ? value : Base::JsonWriter.write(value)
      end
      private_class_method :plain

      # Return the number of the page, and the number of pages.
      def place(page)
        return "no hits" if page.total.zero?

        count = page.total == 1 ? "1 hit" : "#{page.total} hits"
        "page #{page.page} of #{page.pages}, #{"at least " if page.total_is_lower_bound}#{count}"
      end
      private_class_method :place

      def onward(page, by_cursor)
        return "" if page.next_cursor.nil?
        return "; more with --cursor #{page.next_cursor}" if by_cursor

        "; more with --page #{page.page + 1}"
      end
      private_class_method :onward

      def row(hit)
        scores = [hit.score, hit.scores.bm25, hit.scores.cosine]
        names = [hit.id, hit.title.empty? ? hit.document_name : hit.title]
        [*scores.map { |score| score.nil? ? "" : Base::Numeric.fixed4(score) },
         *names.map { |name| TableView.cut(name, LONGEST_NAME) }, text(hit)]
      end
      private_class_method :row

      # Return the displayed text of a hit, with highlighted matches in square brackets.
      def text(hit)
        return hit.content[0, LONGEST_TEXT] if hit.highlight.nil?

        text = hit.highlight.gsub("<em>", "[").gsub("</em>", "]")
        ENTITIES.inject(text) { |shown, (entity, character)| shown.gsub(entity) { character } }[0, LONGEST_TEXT]
      end
      private_class_method :text
    end
  end
end
