# frozen_string_literal: true

module HybridSearch
  module Server
    # Serves an index from the command line (CUR-6).
    module Serving
      FLAGS = %w[host port token-file read-only allow-anonymous-writes allowed-host log-queries no-access-log].freeze

      module_function

      # Return the server of an index, which does not listen yet; the access log goes to standard output.
      #
      # @param index [Index] the index to serve, with its ranking cache and its cap on results
      # @param flags [Hash{String=>Object}] `host`, `port`, `token-file` (a token on each line), `read-only`,
      #   `allow-anonymous-writes`, `allowed-host` (a list of names), `log-queries`, `no-access-log`; all are optional
      # @return [HttpServer]
      # @raise [InvalidInputError] a flag is unknown or not acceptable
      # @raise [ConfigurationError] a gem is missing, or the tokens cannot be read
      def server(index, flags)
        Base::Validation.known("flag", flags.keys, FLAGS)
        service = HttpService.new(index, token: flags["token-file"] && tokens(flags["token-file"]),
                                         read_only: flags.fetch("read-only", false),
                                         access_log: flags["no-access-log"] ? nil : $stdout,
                                         allowed_hosts: flags["allowed-host"],
                                         allow_anonymous_writes: flags.fetch("allow-anonymous-writes", false),
                                         log_queries: flags.fetch("log-queries", false))
        HttpServer.new(service, flags.fetch("host", "127.0.0.1"), flags.fetch("port", 8000))
      end

      # @param path [String]
      # @return [Array<String>] the tokens of a file, one a line
      # @raise [ConfigurationError] the file cannot be read, or contains no token
      def tokens(path)
        found = ::File.binread(path).split("\n").map { |line| line.gsub(/\A[ \t\r]+|[ \t\r]+\z/n, "") }
        found.reject!(&:empty?)
        raise ConfigurationError, "the token file #{Base::Validation.describe(path)} holds no token" if found.empty?

        found
      rescue ::SystemCallError => e
        raise ConfigurationError,
              "the token file #{Base::Validation.describe(path)} cannot be read: #{e.class.new.message}"
      end
    end
  end
end
