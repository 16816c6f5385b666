# frozen_string_literal: true

require "json"

module HybridSearch
  module Stores
    module Sqlite
      # What SQLite says, in the words of the library (SQL-4).
      module SqliteErrors
        BUSY = 5
        LOCKED = 6
        # Primary result codes of what no statement of the library meets in tables as it writes them: an error of the
        # statement, a damaged page, a broken constraint, a value of another type.
        SIGNS_OF_DAMAGE = [1, 11, 19, 20].freeze
        DAMAGED = "is damaged; take a copy of it, or build it again"
        # Primary result codes where SQLite cannot make the files that it needs next to one: it cannot be opened, only
        # read, written, or the disk is full.
        CANNOT_LOG = [14, 8, 10, 13].freeze
        OPEN_ELSEWHERE = "cannot be opened: a process still has the file open that this one has replaced; close it " \
                         "there, or let it be used once, which it will refuse"
        REPLACED = "was replaced or removed after it was opened; open it again"
        WAITING = "cannot be opened: changes wait in the -wal file next to it, and this process cannot write there"
        NO_INDEX = "is no index file"
        # Primary result code => what it says of the file.
        MESSAGES = {
          3 => "cannot be opened",
          8 => "can only be read",
          10 => "cannot be read or written: the disk failed",
          13 => "cannot be written: the disk is full; nothing of the batch is stored",
          14 => "cannot be opened",
          18 => "cannot hold a value of this size",
          26 => NO_INDEX
        }.freeze

        module_function

        # @return [DocStoreError] the error of a file
        def failure(path, what)
          DocStoreError.new("the index file #{JSON.generate(path)} #{what}")
        end

        # @return [IndexCorruptError] the error of a file that does not hold what was written
        def damaged(path)
          IndexCorruptError.new("the index file #{JSON.generate(path)} #{DAMAGED}")
        end

        # @param error [Exception]
        # @return [Integer] SQLite's primary result code; 0 for an error that has none
        def code(error)
          given = error.respond_to?(:code) ? error.code : nil
          given.is_a?(::Integer) ? given & 0xFF : 0
        end

        # @param path [String] of the file
        # @param error [SQLite3::Exception] what SQLite raised when it could not make the files that it needs to write
        # @return [DocStoreError] the error of a file that can only be read
        def unwritable(path, error)
          failure(path, MESSAGES[[10, 13].include?(code(error)) ? 13 : 8])
        end

        # @param path [String] the path of the file
        # @param timeout [Float] the time that other writers were waited for, in seconds
        # @param error [SQLite3::Exception] the exception of SQLite
        # @return [Error] the error of the library for it
        def translated(path, timeout, error)
          result = code(error)
          return damaged(path) if SIGNS_OF_DAMAGE.include?(result)

          if [BUSY, LOCKED].include?(result)
            waited = Base::Validation.describe(timeout)
            return failure(path, "is locked: another process has not let go of it for #{waited} seconds")
          end
          failure(path, MESSAGES[result] || "failed: #{Base::Validation.plain_message(error)}")
        end
      end
    end
  end
end
