# frozen_string_literal: true

module HybridSearch
  module Stores
    module Postgres
      # One connection to PostgreSQL in a transaction, and its statements (PG-3), for one thread at a time. Every method
      # raises a PG::Error if the server refuses a statement, fails or does not respond.
      #
      # Binary texts are sent as bytea; the server infers the types of all other values from the statement.
      class PostgresConnection
        include Base::ShortInspect

        BYTEA = 17
        BINARY = 1
        COPY_HEAD = "PGCOPY\n\xFF\r\n\0\0\0\0\0\0\0\0\0".b.freeze
        COPY_END = [-1].pack("s>").freeze
        NULL = [-1].pack("l>").freeze
        BYTES_AT_ONCE = 1 << 20
        # The maximum number of rows that a statement adds or changes.
        ROWS_AT_ONCE = 1000
        # The number of statements that are sent together, so that responses arrive within a statement's timeout.
        STATEMENTS_AT_ONCE = 16
        private_constant :BYTEA, :BINARY, :COPY_HEAD, :COPY_END, :NULL, :BYTES_AT_ONCE, :ROWS_AT_ONCE,
                         :STATEMENTS_AT_ONCE

        # @return [PostgresStatements] the statements of the collection
        attr_reader :statements

        # @param connection [PG::Connection]
        # @param statements [PostgresStatements] the statements of the collection
        # @param watch [PostgresWatch] closes the connection if a response is late
        def initialize(connection, statements, watch)
          @connection = connection
          @statements = statements
          @in_time = watch.over(connection)
          @later = []
          @is_doubtful = false
        end

        # @return [Boolean] whether statements that were sent together have failed; the state of the connection
        #   according to the gem may then differ from the server's
        def doubtful?
          @is_doubtful
        end

        # @return [Boolean] whether the connection was closed because the server did not respond
        def late?
          @in_time.late?
        end

        # Roll back the current transaction, if any, and stop using the connection.
        #
        # A connection whose rollback fails is closed, since its state is unknown.
        #
        # @return [void]
        def release
          undo
          PostgresConnections.close(@connection) unless PostgresConnections.idle?(@connection)
        ensure
          @in_time.release
        end

        # Begin a transaction.
        #
        # @param statements [Array<String>] texts without parameters, sent together
        # @return [Array, nil] the first row of the last statement
        def begin(*statements)
          @in_time.waiting { begin_slowly(*statements) }
        end

        # Begin a transaction as {#begin} does, with statements that may take as long as they need.
        def begin_slowly(*statements)
          values(@connection.exec(statements.join("; "))).first
        end

        # End the transaction.
        #
        # @param statement [String] "commit" or "rollback"
        # @return [void]
        def end(statement)
          run_text(statement)
        end

        # @param name [String] the name of a statement
        # @return [Array<Array>] all its rows
        def rows(name, *values)
          rows_of(@statements.text(name), values)
        end

        # @param text [String] the text of a statement
        # @param values [Array] its parameters
        # @return [Array<Array>] all its rows
        def rows_of(text, values)
          sent = values.map { |value| parameter(value) }
          @in_time.waiting { values(@connection.exec_params(text, sent, BINARY, PostgresLibrary.plain)) }
        end

        # @param name [String] the name of a statement
        # @return [Array, nil] its first row
        def row(name, *values)
          rows(name, *values).first
        end

        # Run a statement.
        #
        # @param name [String] the name of the statement
        # @return [void]
        def run(name, *values)
          rows(name, *values)
        end

        # Send statements together, without waiting for responses in between.
        #
        # @param questions [Array<Array>] for each statement, its name and its values
        # @return [Array<Array<Array>>] all rows of each
        def together(*questions)
          return questions.map { |name, *values| rows(name, *values) } unless PostgresLibrary.pipelines?

          before = @is_doubtful
          @is_doubtful = true
          rows = @in_time.waiting { piped(questions) }
          @is_doubtful = before
          rows
        end

        # Queue a statement; queued statements run in order before rows are copied, or in {#settle}.
        #
        # @param name [String] the name of the statement
        # @return [void]
        def later(name, *values)
          @later << [name, *values]
        end

        # Queue a statement as {#later} does, with the columns of rows as its values, unless there are no rows.
        #
        # @param name [String] the name of the statement
        # @param rows [Array<Array>]
        # @return [void]
        def later_rows(name, rows)
          rows.each_slice(ROWS_AT_ONCE) { |slice| later(name, *slice.transpose) }
        end

        # Run the queued statements.
        #
        # @return [void]
        def settle
          together(*@later.shift(STATEMENTS_AT_ONCE)) until @later.empty?
        end

        # Run a statement that is given as text, or several without parameters.
        #
        # @return [void]
        def run_text(text)
          @in_time.waiting { @connection.exec(text).clear }
        end

        # Copy rows to the server.
        #
        # @param name [String] the name of a copy statement
        # @param types [Array<String>] the types of the columns: int4, int8, float8, bytea or text; values of the last
        #   two are sent unchanged
        # @param rows [Array<Array>] the values
        # @return [void]
        def copy(name, types, rows)
          settle
          @in_time.waiting { @connection.copy_data(@statements.text(name)) { put(types, rows) } }
        end

        private

        # Roll back, unless the connection still waits for a response, since that might take long.
        def undo
          undone = [PG::PQTRANS_INTRANS, PG::PQTRANS_INERROR]
          self.end("rollback") if undone.include?(PostgresConnections.state(@connection))
        rescue PG::Error
          nil
        end

        def piped(questions)
          @connection.enter_pipeline_mode
          questions.each { |name, *values| send_question(@statements.text(name), values) }
          @connection.pipeline_sync
          results = questions.map { @connection.get_result.tap { @connection.get_result } }
          @connection.get_result # the end of the pipeline
          @connection.exit_pipeline_mode
          results.each(&:check).map { |result| values(result) }
        end

        def send_question(text, values)
          sent = values.map { |value| parameter(value) }
          @connection.send_query_params(text, sent, BINARY, PostgresLibrary.plain)
        end

        def put(types, rows)
          buffer = COPY_HEAD.dup
          rows.each do |row|
            buffer << [row.size].pack("s>")
            row.zip(types) { |value, type| buffer << (value.nil? ? NULL : column(type, value)) }
            next if buffer.bytesize < BYTES_AT_ONCE

            @connection.put_copy_data(buffer)
            buffer = "".b
          end
          @connection.put_copy_data(buffer << COPY_END)
        end

        def values(result)
          result.type_map = PostgresLibrary.types
          result.values
        ensure
          result&.clear
        end

        def column(type, value)
          case type
          when "int4" then [4, value].pack("l>l>")
          when "int8" then [8, value].pack("l>q>")
          when "float8" then [8, value].pack("l>G")
          else [value.bytesize].pack("l>") << value.b
          end
        end

        def parameter(value)
          case value
          when ::Array then array(value)
          when ::String then value.encoding == ::Encoding::BINARY ? { value:, type: BYTEA, format: BINARY } : value
          when nil then nil
          else value.to_s
          end
        end

        def array(values)
          return PG::TextEncoder::Array.new.encode(values.map(&:to_s)) unless binary?(values.first)

          members = values.map { |value| [value.bytesize].pack("l>") << value }
          { value: [1, 0, BYTEA, values.size, 1].pack("l>l>L>l>l>") << members.join, format: BINARY }
        end

        def binary?(value)
          value.is_a?(::String) && value.encoding == ::Encoding::BINARY
        end
      end
    end
  end
end
