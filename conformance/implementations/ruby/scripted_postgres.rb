# frozen_string_literal: true

# The stand-in for the gem pg, whose servers are in a case (PG-3, PG-4).
module ScriptedDrivers
  # The gem pg.
  module Postgres
    CONNECTION_OK = 0
    PQTRANS_IDLE = 0
    PQTRANS_INTRANS = 2
    PQTRANS_INERROR = 3
    PQTRANS_UNKNOWN = 4

    # An error of the gem.
    class Error < StandardError
      attr_reader :result

      def self.of(told)
        new(told.fetch("message", "no message"), told["code"] && Result.new([], told))
      end

      def initialize(message, result = nil)
        super(message)
        @result = result
      end
    end

    # An error of a connection.
    class ConnectionBad < Error; end

    # The response to a statement.
    class Result
      PG_DIAG_SQLSTATE = 67
      PG_DIAG_MESSAGE_PRIMARY = 77
      attr_reader :values
      attr_writer :type_map

      def initialize(values, problem = nil)
        @values = values
        @problem = problem
      end

      def check
        raise Error.of(@problem) if @problem
      end

      def clear; end

      def error_field(field)
        field == PG_DIAG_SQLSTATE ? @problem["code"] : @problem.fetch("message", "no message").lines.first&.chomp
      end
    end

    # Texts and numbers in the form of an array, which is not written here.
    module TextEncoder
      # An encoder.
      class Array
        def encode(values)
          { list: values }
        end
      end
    end

    # A connection of the gem.
    class Connection
      class << self
        attr_accessor :script

        def conninfo_parse(_text)
          raise Error, "missing equals sign" if script.parsed.nil?

          script.parsed.map { |keyword, val| { keyword:, val: } }
        end
      end

      attr_reader :transaction_status, :status, :socket_io

      def initialize
        @script = self.class.script
        @status = CONNECTION_OK
        @transaction_status = PQTRANS_IDLE
        @socket_io = IO.pipe.tap { |pair| pair[1].close }.first
      end

      def late?
        @is_late
      end

      def finished?
        @is_finished
      end

      def finish
        @script.note("close")
        @is_finished = true
      end

      def set_notice_processor; end

      def exec(text)
        ask(text, [text]).tap(&:check)
      end

      def exec_params(text, values, _binary, _types)
        ask(text, [text, *values.map { |value| ScriptedDrivers.written(value) }]).tap(&:check)
      end

      def enter_pipeline_mode
        @piped = []
        @script.note("together")
      end

      def send_query_params(text, values, _binary, _types)
        @piped << ask(text, [text, *values.map { |value| ScriptedDrivers.written(value) }]) << nil
      end

      def pipeline_sync
        @piped << :end
      end

      def get_result # rubocop:disable Naming/AccessorMethodName -- the gem's name
        @piped.shift
      end

      def exit_pipeline_mode
        raise Error, "the pipeline is not at its end" unless @piped.empty?
      end

      def copy_data(text)
        @copied = "".b
        yield
        ask(text, [text, { "hex" => @copied.unpack1("H*") }]).check
      end

      def put_copy_data(data)
        @copied << data
      end

      private

      def ask(text, noted)
        raise ConnectionBad, "the connection is closed" if finished?

        @script.note(noted)
        problem = @script.error(text)
        return refused(problem) if problem

        state = { "begin" => PQTRANS_INTRANS, "commi" => PQTRANS_IDLE, "rollb" => PQTRANS_IDLE }
        @transaction_status = state.fetch(text[0, 5], @transaction_status)
        Result.new(@script.rows(text))
      end

      def refused(problem)
        @is_finished = problem["lost"]
        @is_late = problem["late"]
        @transaction_status = PQTRANS_INERROR unless @transaction_status == PQTRANS_IDLE
        Result.new([], problem.key?("code") ? problem : problem.merge("code" => nil))
      end
    end

    def self.connect(**options)
      script = Connection.script
      script.note(["connect", options.except(:client_encoding).to_h { |key, value| [key.to_s, value.to_s] }])
      problem = script.connecting
      return Connection.new if problem.nil?
      return nil if problem["late"]

      result = problem["code"] && Result.new([], problem)
      raise ConnectionBad.new(problem.fetch("message", "no message"), result)
    end
  end

  # A pool with the methods of a ConnectionPool; it lends a connection, or raises the error of the case.
  class Pool
    # The error of a pool that has no connection in time.
    class TimeoutError < StandardError; end

    def initialize(script)
      @script = script
    end

    def checkout(timeout:)
      @script.note(["lend", timeout])
      problem = @script.connecting
      raise problem["late"] ? TimeoutError : ArgumentError, problem["message"] if problem

      Postgres::Connection.new
    end

    def checkin
      @script.note("return")
    end
  end

  # A watch that finds a response late where the case states it.
  class Watch
    def self.made_within(_seconds)
      yield
    end

    def initialize(timeout)
      @timeout = timeout
    end

    def over(connection)
      Watched.new(connection)
    end
  end

  # A connection whose response is late where the case states it.
  class Watched
    def initialize(connection)
      @connection = connection
    end

    def late?
      @connection.late?
    end

    def waiting
      yield
    ensure
      @connection.finish if late? && !@connection.finished?
    end

    def release; end
  end
end
