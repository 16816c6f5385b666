# frozen_string_literal: true

module HybridSearch
  module Readers
    # Makes records from the rows of a table; its first row that is not blank names the columns (FIL-4).
    class TableRows
      include Base::ShortInspect

      CONTENT = "content"
      PATH = "path"
      # The keys of a record whose values are lists of texts; in a cell they are separated by semicolons or line ends.
      LIST_KEYS = %w[keywords questions].freeze
      # The keys of a record whose values are JSON in a cell.
      JSON_KEYS = %w[tags page_rank positions available vector].freeze
      BLANK = /\A[ \t\r\n]*\z/
      private_constant :BLANK

      # @param path [String] the path of the file
      # @param place [String] the beginning of the ids of its rows
      # @param mapping [Hash{String=>String}] key of a record → column, in the form of {Records::RecordMapping}
      # @param other_keys [String] the treatment of columns that are not keys of records, in the form of
      #   {Records::RecordMapping}
      def initialize(path, place, mapping, other_keys)
        @path = path
        @place = place
        @mapping = mapping
        @other_keys = other_keys
      end

      # @param rows [Enumerable<Array<String>>] the rows; a cell is a text
      # @yieldparam number [Integer] the number of each row that is not blank, from 1
      # @yieldparam record [Hash{String=>Object}] its record
      # @return [Enumerator, void]
      # @raise [InvalidInputError] a mapped column does not exist, or a row has more cells than there are columns
      def records(rows)
        return enum_for(:records, rows) unless block_given?

        columns = names = mapping = nil
        number = 0
        rows.each do |cells|
          number += 1
          filled = cells.each_index.reject { |place| cells[place].match?(BLANK) }
          next if filled.empty?

          if columns.nil?
            columns = distinct(cells)
            names = distinct([PATH, *columns.map { |column| column.tr(".", "_") }]).drop(1)
            mapping = Records::RecordMapping.new(named(columns, names), @other_keys)
            next
          end
          if filled.last >= columns.size
            raise InvalidInputError, "row #{number} has #{cells.size} cells, and there are #{columns.size} columns"
          end

          record = mapping.record(filled.to_h { |place| [names[place], cells[place]] })
          record[CONTENT] ||= filled.map { |place| "#{columns[place]}: #{cells[place]}" }.join("\n")
          yield number, whole(record, number)
        end
      end

      private

      # Return the mapping with the columns' names in records.
      def named(columns, names)
        @mapping.to_h do |key, column|
          place = columns.index(column)
          if place.nil?
            shown = columns.map { |each| Base::Validation.describe(each) }.join(", ")
            raise InvalidInputError, "has no column #{Base::Validation.describe(column)} for #{key}, but #{shown}"
          end

          [key, names[place]]
        end
      end

      def whole(record, number)
        made = { "id" => "#{@place}##{number}", "doc_id" => @path, "positions" => [number] }
        record.each { |key, value| made[key] = value_of(key, value) }
        made["document_name"] ||= @path.rpartition("/").last unless made["title"].is_a?(String)
        own = made[Records::RecordMapping::METADATA]
        made[Records::RecordMapping::METADATA] = { **(own.is_a?(::Hash) ? own : {}), PATH => @path }
        made
      end

      # Return the names of columns: the second of equal names gets `_2`; a column without a name gets its number.
      def distinct(cells)
        names = {}
        cells.each.with_index(1) do |cell, place|
          first = stripped(cell)
          first = "column_#{place}" if first.empty?
          name = first
          name = "#{first}_#{names[first] += 1}" while names.key?(name)
          names[name] = 1
        end
        names.keys
      end

      def stripped(text)
        from = text.index(/[^ \t\r\n]/)
        from.nil? ? "" : text[from..text.rindex(/[^ \t\r\n]/)]
      end

      def value_of(key, value)
        return value unless value.is_a?(String)
        return value.split(/[;；\n]/).map { |part| stripped(part) }.reject(&:empty?) if LIST_KEYS.include?(key)
        return value unless JSON_KEYS.include?(key)

        begin
          Base::StrictJson.parse(value)
        rescue JSON::JSONError
          value
        end
      end
    end
  end
end
