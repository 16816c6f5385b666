# frozen_string_literal: true

require "json"

module HybridSearch
  module Stores
    module Sqlite
      # Translates errors of SQLite into those of the library (SQL-4).
      module SqliteErrors
        BUSY = 5
        LOCKED = 6
        # The primary result codes that no statement of the library causes in sound tables: an error of the statement, a
        # damaged page, a broken constraint, a value of another type.
        SIGNS_OF_DAMAGE = [1, 11, 19, 20].freeze
        DAMAGED = "is damaged; take a copy of it, or build it again"
        # The primary result codes for files next to the database that SQLite cannot create: one cannot be opened, can
        # only be read, or cannot be written, or the disk is full.
        CANNOT_LOG = [14, 8, 10, 13].freeze
        OPEN_ELSEWHERE = "cannot be opened: a process still has the file open that this one has replaced; close it " \
                         "there, or let it be used once, which it will refuse"
        REPLACED = "was replaced or removed after it was opened; open it again"
        WAITING = "cannot be opened: changes wait in the -wal file next to it, and this process cannot write there"
        NO_INDEX = "is no index file"
        # The primary result code => its meaning for the file.
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

        # @return [IndexCorruptError] the error of a file whose contents differ from what was written
        def damaged(path)
          IndexCorruptError.new("the index file #{JSON.generate(path)} #{DAMAGED}")
        end

        # @param error [Exception]
        # @return [Integer] SQLite's primary result code; 0 for an error without one
        def code(error)
          given = error.respond_to?(:code) ? error.code : nil
          given.is_a?(::Integer) ? given & 0xFF : 0
        end

        # @param path [String] the path of the file
        # @param error [SQLite3::Exception] the error that SQLite raised when it could not create the files that it
        #   needs to write
        # @return [DocStoreError] the error of a read-only file
        def unwritable(path, error)
          failure(path, MESSAGES[[10, 13].include?(code(error)) ? 13 : 8])
        end

        # @param path [String] the path of the file
        # @param timeout [Float] the time of the wait for other writers, in seconds
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
