# frozen_string_literal: true

module HybridSearch
  module Readers
    # Reads the rows of files of comma-separated or tab-separated values, as RFC 4180 defines them (FIL-4). Neither
    # Python's nor Ruby's library is used, because they treat a quote within a cell differently.
    module TableCells
      QUOTE = "\""

      module_function

      # @param lines [Enumerable<Array(String, Boolean)>] the lines, as {FileBytes.lines} yields them
      # @param separator [String] the character between two cells
      # @yieldparam row [Array<String>]
      # @return [Enumerator, void]
      # @raise [InvalidInputError] a row is too long, is not valid UTF-8, or has a quote in a wrong place
      def rows(lines, separator)
        return enum_for(:rows, lines, separator) unless block_given?

        first = size = quotes = number = 0
        parts = []
        lines.each do |data, whole|
          number += 1
          first = number if parts.empty?
          parts << data
          size += data.bytesize
          quotes += data.count(QUOTE)
          if !whole || size > FileBytes::LONGEST_LINE
            raise InvalidInputError, "line #{first}: the row has more than #{FileBytes::LONGEST_LINE} bytes"
          end
          next if quotes.odd?

          yield row(parts.join, separator, first)
          parts = []
          size = quotes = 0
        end
        raise InvalidInputError, "line #{first}: a quoted cell does not end" unless parts.empty?
      end

      def row(data, separator, line)
        cells(FileBytes.text_of(data.delete_suffix("\n").delete_suffix("\r")), separator)
      rescue InvalidInputError => e
        raise InvalidInputError, "line #{line}: #{e.message}"
      end
      private_class_method :row

      # Return the cells of a row. Places count bytes, which Ruby finds directly.
      def cells(row, separator)
        return row.empty? ? [""] : row.split(separator, -1) unless row.include?(QUOTE)

        bytes = row.b
        cells = []
        place = 0
        while place <= bytes.bytesize
          cell, place = bytes[place] == QUOTE ? quoted(bytes, place, separator) : plain(bytes, place, separator)
          cells << FileBytes.text_of(cell)
          place += 1
        end
        cells
      end
      private_class_method :cells

      # Return a quoted cell, and the place after it.
      def quoted(bytes, place, separator)
        closing = closing_quote(bytes, place + 1)
        cell = bytes[(place + 1)...closing].gsub("\"\"", QUOTE)
        place = closing + 1
        unless place >= bytes.bytesize || bytes[place] == separator
          raise InvalidInputError, "a quoted cell goes on after its closing quote"
        end

        [cell, place]
      end
      private_class_method :quoted

      def plain(bytes, place, separator)
        behind = bytes.index(separator, place) || bytes.bytesize
        cell = bytes[place...behind]
        raise InvalidInputError, "a cell with a quote must be quoted, and the quote doubled" if cell.include?(QUOTE)

        [cell, behind]
      end
      private_class_method :plain

      # Return the place of the quote that ends a cell; it exists, as a row has an even number of quotes.
      def closing_quote(bytes, place)
        loop do
          place = bytes.index(QUOTE, place)
          return place if bytes[place + 1] != QUOTE

          place += 2
        end
      end
      private_class_method :closing_quote
    end
  end
end
