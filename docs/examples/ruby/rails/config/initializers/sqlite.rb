# frozen_string_literal: true

# Rails 7.1 and later do both of these themselves; earlier versions fail now and then where several threads write.
ActiveSupport.on_load(:active_record_sqlite3adapter) do
  prepend(Module.new do
    # A transaction that reads first and writes later fails at once where another has written meanwhile; one that is
    # immediate waits for its turn.
    def begin_db_transaction
      log("begin immediate transaction", nil) { @connection.transaction(:immediate) }
    end

    private

    # SQLite's own way to wait lets no other thread of the process work, not even the one that is waited for.
    def configure_connection
      super
      @connection.busy_handler { |attempts| sleep(0.002) && attempts < 5000 }
    end
  end)
end
