# frozen_string_literal: true

module HybridSearch
  module Cli
    # Formats a table of texts: columns are as wide as necessary, and the last one fills the terminal (CUR-5).
    module TableView
      # Characters that take two cells of a terminal, approximately.
      WIDE = /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f]|
              [\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]/x
      WITHOUT_CELL = /[\u0300-\u036f\u200b-\u200f\u20d0-\u20ff\ufe00-\ufe0f\ufeff]/
      private_constant :WIDE, :WITHOUT_CELL

      module_function

      # @param head [Array<String>] the names of the columns
      # @param rows [Array<Array<String>>] their texts
      # @param width [Integer] the number of cells in a row of the terminal; the last column is cut to fit
      # @return [Array<String>] the lines of a table
      def lines(head, rows, width)
        listed = [head, *rows.map { |row| row.map { |text| one_line(text) } }]
        columns = (0...(head.size - 1)).to_a
        widths = columns.map { |column| listed.map { |row| cells(row[column]) }.max }
        taken = widths.inject(widths.size * 2) { |total, each| total + each }
        room = [8, width - taken].max
        listed.map do |row|
          [*columns.map { |column| padded(row[column], widths[column]) }, cut(row.last, room)].join("  ").rstrip
        end
      end

      # @return [Integer] the number of cells that a text takes on a terminal
      def cells(text)
        text.each_char.inject(0) { |count, character| count + cells_of(character) }
      end

      # @return [String] a text of at most `room` cells; a longer one ends with `…`
      def cut(text, room)
        return text if cells(text) <= room

        used = 1
        kept = text.each_char.take_while { |character| (used += cells_of(character)) <= room }
        "#{kept.join}…"
      end

      def cells_of(character)
        return 0 if character.match?(WITHOUT_CELL)

        character.match?(WIDE) ? 2 : 1
      end
      private_class_method :cells_of

      def padded(text, width)
        text + (" " * (width - cells(text)))
      end
      private_class_method :padded

      def one_line(text)
        text.gsub(Console::CONTROL, " ").gsub(/ +/, " ").gsub(/\A | \z/, "")
      end
      private_class_method :one_line
    end
  end
end
