# frozen_string_literal: true

module HybridSearch
  module Stores
    module Sqlite
      # An index file while it is rebuilt: one transaction, in which it is written and read like a separate file
      # (SQL-6). It replaces a {SqliteFile}, for one store. Several threads may use it, one at a time.
      class SqliteRebuild
        include Base::ShortInspect

        # All tables except `state`, which continues, and `notes`; `changes` is emptied too.
        EMPTIED = %w[
          documents texts free_numbers fields terms postings frequencies lengths vectors sketches vector_models
        ].freeze

        # @param path [String] the path of the file, for messages
        # @param connection [SqliteConnection] a connection with an open transaction
        def initialize(path, connection)
          @path = path
          @connection = connection
          @asking = Thread::Mutex.new
          @is_closed = false
        end

        # @yieldparam connection [SqliteConnection] a connection that sees everything rebuilt so far
        def reading
          @asking.synchronize do
            raise SqliteErrors.failure(@path, "is closed") if @is_closed

            yield @connection
          end
        end

        # @yieldparam connection [SqliteConnection] a connection; a batch that ends with an error has no effect
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
