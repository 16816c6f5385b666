# frozen_string_literal: true

module HybridSearch
  module Stores
    module Sqlite
      # The changes between two states of one file.
      class ChangesSince
        include Base::ShortInspect

        # @return [Array<Integer>, nil] the numbers of the documents that have changed, ascending; nil if they are not
        #   known, or too many
        attr_reader :numbers

        def initialize(numbers)
          @numbers = numbers
          freeze
        end
      end

      # The documents that the last batches of an index file have touched (SQL-8): the table `changes`, in a
      # transaction. A file that only earlier commits have written has no such table.
      class SqliteChanges
        include Base::ShortInspect

        # The numbers of a batch that does not note its documents.
        UNKNOWN = "".b.freeze
        IS_THERE = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'changes'"
        IS_FREE = "SELECT 1 FROM free_numbers WHERE number = ?"
        LATER = "SELECT generation, mark, numbers, checksum FROM changes WHERE generation >= ? ORDER BY generation"
        private_constant :UNKNOWN, :IS_FREE, :LATER

        # @param tables [SqliteTables] the tables as the transaction sees them
        def initialize(tables)
          @tables = tables
          @connection = tables.connection
        end

        # Write the row of the batch that has made the state of the tables, and remove the oldest rows.
        #
        # @param numbers [Array<Integer>] the numbers of the documents that the batch has touched
        # @return [void]
        def add(numbers)
          generation = @tables.generation
          mark = @tables.whole.mark
          is_noted = numbers.size <= Tables::DocumentChanges::MOST_NOTED
          packed = is_noted ? Tables::Blobs.pack_lengths(numbers) : UNKNOWN
          @connection.run(SqliteSchema::CHANGES)
          checksum = Tables::RowChecksum.of([generation], mark, packed)
          @connection.run("REPLACE INTO changes VALUES (?, ?, ?, ?)", generation, mark, packed, checksum)
          last = generation - Tables::DocumentChanges::MOST_BATCHES
          @connection.run("DELETE FROM changes WHERE generation <= ?", last)
        end

        # Remove all rows, so that no state after this one follows from one before it.
        #
        # @return [void]
        def clear
          @connection.run(SqliteSchema::CHANGES)
          @connection.run("DELETE FROM changes")
        end

        # @return [String, nil] the mark of the batch that has made the state of the tables; nil if it is not known
        def mark
          rows(@tables.generation).first&.at(1)
        end

        # @param generation [Integer] the generation of an earlier state
        # @param mark [String, nil] the mark of the batch that has made it; nil if it is not known
        # @return [ChangesSince, nil] the changes since that state; nil if the state of the tables does not follow from
        #   it
        def since(generation, mark)
          rows = rows(generation)
          expected = (generation..@tables.generation).to_a
          return nil if expected.empty? || rows.map(&:first) != expected || rows[0][1] != mark

          packed = rows.drop(1).map(&:last)
          touched = packed.flat_map { |numbers| Tables::Blobs.unpack_lengths(numbers) }.uniq.sort
          is_known = !packed.include?(UNKNOWN) && touched.size <= Tables::DocumentChanges::MOST_TOUCHED
          ChangesSince.new(is_known ? touched : nil)
        end

        # @param numbers [Array<Integer>] the numbers of changed documents
        # @return [Array<Tables::DocumentRow>] those of them that are stored; the numbers of all others must be free
        def documents(numbers)
          found = @tables.fields_of(numbers)
          missing = numbers.reject { |number| found.key?(number) }
          raise @tables.damaged unless missing.all? { |number| @connection.row(IS_FREE, number) }

          found.map { |number, held| Tables::DocumentRow.new(number, held[0]["id"], *held) }
        end

        private

        # Return the generation, the mark and the numbers of each batch from a generation on.
        def rows(generation)
          return [] if @connection.row(IS_THERE).nil?

          @connection.rows(LATER, generation).map do |own, mark, packed, checksum|
            @tables.check(checksum, [own], mark, packed)
            [own, mark, packed]
          end
        end
      end
    end
  end
end
