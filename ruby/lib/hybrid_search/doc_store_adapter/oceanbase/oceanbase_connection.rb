# frozen_string_literal: true

module HybridSearch
  module Stores
    module OceanBase
      # The facts about connections to OceanBase, for {Tables::OwnConnections}.
      module OceanBaseConnections
        module_function

        # @return [Boolean] whether the connection is closed or lost
        def closed?(connection)
          connection.closed?
        end

        # @return [void]
        def close(connection)
          connection.close
        end

        # Forget a connection of a parent process. Nothing is sent on it, not even when it is garbage collected.
        #
        # @return [void]
        def abandon(_connection); end
      end

      # A connection to OceanBase that the store makes; every statement has a limited time (OB-3).
      class OceanBaseConnection
        include Base::ShortInspect

        # The number of seconds beyond the server's timeout, so that a working server can report the cause itself.
        PATIENCE = 0.5
        # The number of microseconds after which the server ends the transaction of a lost client.
        IDLE = 300_000_000
        # The approximate number of characters of the rows in one statement; a server accepts 16 million by default.
        STATEMENT_SIZE = 2_000_000
        # The client's code for a connection that cannot be secured.
        NO_TLS = 2026
        private_constant :PATIENCE, :IDLE, :STATEMENT_SIZE, :NO_TLS

        # @return [OceanBaseStatements] the statements of the collection
        attr_reader :statements

        # @param address [OceanBaseAddress] the address of the server
        # @param statements [OceanBaseStatements] the statements of the collection
        # @param timeout [Float] the maximum number of seconds for a statement, and for connecting
        def initialize(address, statements, timeout)
          @statements = statements
          @timeout = timeout
          @is_closed = false
          @is_late = false
          @client = Mysql2::Client.new(
            host: address.host, port: address.port, username: address.user, password: address.password,
            database: address.database, encoding: "utf8mb4", connect_timeout: timeout.ceil,
            read_timeout: (timeout + PATIENCE).ceil, write_timeout: (timeout + PATIENCE).ceil,
            init_command: started(timeout), **secured(address.ca_file)
          )
          @client.automatic_close = false
          check_secured if address.ca_file
        end

        # @return [Boolean] whether the connection is closed or lost
        def closed?
          @is_closed
        end

        # @return [Boolean] whether the last statement ended because the server did not respond in time
        def late?
          @is_late
        end

        # @param name [String] the name of a statement
        # @param values [Hash{Symbol=>Integer, String}] its values
        # @return [Array<Array>] all rows
        def rows(name, **values)
          run_text(@statements.text(name, **values))
        end

        # @return [Array, nil] the first row of a statement
        def row(name, **values)
          rows(name, **values)[0]
        end

        # Run a statement.
        #
        # @return [void]
        def run(name, **values)
          run_text(@statements.text(name, **values))
          nil
        end

        # Run a statement with rows or values, several times if they are many; never without any.
        #
        # @param name [String] the name of the statement
        # @param place [Symbol] the name of the place of the rows
        # @param members [Array<String>] the rows or values, as parts of a statement
        # @param in_brackets [Boolean] whether the statement takes the members in brackets
        # @param values [Hash{Symbol=>Integer, String}] further values
        # @return [void]
        def run_rows(name, place, members, in_brackets: false, **values)
          start = 0
          while start < members.size
            finish = start
            size = 0
            while finish < members.size && (finish == start || size + members[finish].length < STATEMENT_SIZE)
              size += members[finish].length
              finish += 1
            end
            joined = members[start...finish].join(",")
            run(name, place => in_brackets ? "(#{joined})" : joined, **values)
            start = finish
          end
        end

        # Run a statement that is given as text.
        #
        # @return [Array<Array>] its rows
        def run_text(text)
          began = now
          found = @client.query(text, as: :array)
          found ? found.to_a : []
        rescue Mysql2::Error => e
          @is_late = now - began >= @timeout
          close if OceanBaseErrors::CONNECTION_CODES.include?(OceanBaseErrors.code(e))
          raise
        rescue Exception # rubocop:disable Lint/RescueException -- raised again; the response is still to come
          close
          raise
        end

        # Close the connection without waiting for the server.
        #
        # @return [void]
        def close
          @is_closed = true
          @client.close
        rescue Mysql2::Error
          nil
        end

        private

        def started(timeout)
          limit = [1, (timeout * 1_000_000).to_i].max
          "set session ob_query_timeout = #{limit}, ob_trx_idle_timeout = #{IDLE}"
        end

        def secured(ca_file)
          return {} unless ca_file
          return { sslca: ca_file, sslverify: true } if Mysql2::Client.info[:version].start_with?("3.") # MariaDB's

          { sslca: ca_file, sslverify: true, ssl_mode: :verify_identity }
        end

        # Check for TLS, as some versions of the client library connect without it if the server does not offer it.
        def check_secured
          return if @client.ssl_cipher

          close
          raise Mysql2::Error.new("the connection is not secured", nil, NO_TLS)
        end

        def now
          Process.clock_gettime(Process::CLOCK_MONOTONIC)
        end
      end
    end
  end
end
