# frozen_string_literal: true

module HybridSearch
  module Client
    # The source of a service's API key: the environment or a callable, read for every call, and never shown.
    class ApiKey
      VARIABLE = /\A[A-Z_][A-Z0-9_]{0,99}\z/
      HEADER = /\A[A-Za-z][A-Za-z0-9-]{0,99}\z/
      KEY = /\A[!-~]{1,8192}\z/
      PIECE = 6
      private_constant :VARIABLE, :HEADER, :KEY

      # @param key [String, nil]
      # @param text [String]
      # @return [Boolean] whether a text contains the key, or six consecutive characters of it
      def self.in?(key, text)
        return false if key.nil?

        (0..[0, key.length - PIECE].max).any? { |start| text.include?(key[start, PIECE]) }
      end

      # @param api_key [#call, nil] returns the key; a text is refused, since texts end up in code and logs
      # @param api_key_env [String, nil] the name of an environment variable that contains the key: capitals, digits,
      #   underscores
      # @param api_key_header [String] the header of the key: a bearer token in `Authorization`, the plain key in any
      #   other header
      # @raise [InvalidInputError] an argument is not acceptable; the message never shows it
      def initialize(api_key, api_key_env, api_key_header)
        unless api_key.nil? || api_key.respond_to?(:call)
          raise InvalidInputError, "api_key must be a callable that gives the key; api_key_env names a variable"
        end
        unless api_key_env.nil? || matches?(VARIABLE, api_key_env)
          raise InvalidInputError, "api_key_env must be the name of an environment variable, like SERVICE_API_KEY"
        end
        raise InvalidInputError, "api_key and api_key_env must not both be given" if api_key && api_key_env
        unless matches?(HEADER, api_key_header)
          raise InvalidInputError, "api_key_header must be the name of a header, like Authorization"
        end

        @callable = api_key
        @variable = api_key_env
        @header = api_key_header
      end

      # @return [String]
      def inspect
        "#<#{self.class}>"
      end

      # @return [String, nil] the key, or nil if the service needs no key
      # @raise [ConfigurationError] the variable is not set, the callable failed, or the value is not a key
      def read
        return nil unless @variable || @callable

        value = @variable ? from_environment : called
        return value if matches?(KEY, value)

        raise ConfigurationError, "the key must be a text of visible ASCII characters, 1 to 8192"
      end

      # @param key [String, nil]
      # @return [Hash{String=>String}] the header that carries a key; no header without a key
      def headers(key)
        return {} if key.nil?

        { @header => @header.downcase == "authorization" ? "Bearer #{key}" : key }
      end

      private

      def matches?(pattern, value)
        value.is_a?(::String) && value.b.match?(pattern)
      end

      def from_environment
        value = ENV.fetch(@variable, "")
        return value unless value.empty?

        raise ConfigurationError, "the environment variable #{@variable} is not set; it must hold the key"
      end

      def called
        @callable.call
      rescue StandardError
        raise ConfigurationError, "the callable that gives the key failed", cause: nil
      end
    end
  end
end
