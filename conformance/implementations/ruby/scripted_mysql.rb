# frozen_string_literal: true

# The stand-in for the gem mysql2, whose server is in a case (OB-3, OB-4).
module ScriptedDrivers
  # The gem mysql2.
  module MySql
    # An error of the gem.
    class Error < StandardError
      attr_reader :error_number

      def initialize(message, _version = nil, number = 0)
        super(message)
        @error_number = number
      end
    end

    # A connection of the gem.
    class Client
      NAMES = { username: "user", encoding: "charset" }.freeze

      class << self
        attr_accessor :script

        def info
          { version: "8.0" }
        end
      end

      attr_writer :automatic_close

      def initialize(**options)
        @script = self.class.script
        @is_secured = options.key?(:sslca)
        told = options.except(:sslca, :sslverify, :ssl_mode).transform_keys { |key| NAMES.fetch(key, key.to_s) }
        told["autocommit"] = true
        told.update(secured(options))
        @script.note(["connect", told])
        ScriptedDrivers.raise_mysql(@script, @script.connecting)
      end

      def query(text, as:)
        @script.note(text)
        ScriptedDrivers.raise_mysql(@script, @script.error(text))
        @script.rows(text) if as == :array
      end

      def ssl_cipher
        "a cipher" if @is_secured
      end

      def close
        @script.note("close")
      end

      private

      # The options of pymysql for the same connection.
      def secured(options)
        return { "ssl_disabled" => true } unless options[:sslca]

        { "ssl_ca" => options[:sslca], "ssl_verify_cert" => options[:sslverify],
          "ssl_verify_identity" => options[:ssl_mode] == :verify_identity }
      end
    end
  end
end
