# frozen_string_literal: true

module HybridSearch
  module Stores
    module Sqlite
      # An index file while it is rebuilt: one transaction, in which it is written and read as a file of its own
      # (SQL-6). It takes the place of a {SqliteFile}, for one store. Several threads may ask it, one at a time.
      class SqliteRebuild
        include Base::ShortInspect

        # All tables but `state`, which goes on, `notes`, and `changes`, which is emptied too.
        EMPTIED = %w[
          documents texts free_numbers fields terms postings frequencies lengths vectors sketches vector_models
        ].freeze

        # @param path [String] of the file, for messages
        # @param connection [SqliteConnection] one with an open transaction
        def initialize(path, connection)
          @path = path
          @connection = connection
          @asking = Thread::Mutex.new
          @is_closed = false
        end

        # @yieldparam connection [SqliteConnection] it sees what has been rebuilt so far
        def reading
          @asking.synchronize do
            raise SqliteErrors.failure(@path, "is closed") if @is_closed

            yield @connection
          end
        end

        # @yieldparam connection [SqliteConnection] of a batch that ends with an error nothing stays
        def writing
          reading do |connection|
            connection.run("SAVEPOINT batch")
            done = false
            begin
              found = yield connection
              done = true
              found
            ensure
              connection.run("ROLLBACK TO batch") unless done
              connection.run("RELEASE batch")
            end
          end
        end

        # Refuse all later calls; the transaction belongs to the caller that opened it.
        #
        # @return [void]
        def close
          @asking.synchronize { @is_closed = true }
        end
      end
    end
  end
end
