# frozen_string_literal: true

# A transaction that reads first and writes later fails at once where another has written meanwhile. One that is
# immediate waits for its turn; Rails 7.1 and later have the setting `default_transaction_mode: IMMEDIATE` for it.
ActiveSupport.on_load(:active_record_sqlite3adapter) do
  prepend(Module.new do
    def begin_db_transaction
      log("begin immediate transaction", nil) { @connection.transaction(:immediate) }
    end
  end)
end
