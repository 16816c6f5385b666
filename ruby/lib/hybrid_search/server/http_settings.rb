# frozen_string_literal: true

module HybridSearch
  module Server
    # The settings of the service, checked; see {HttpService} for the meaning of each (CUR-6).
    class HttpSettings
      include Base::ShortInspect

      # limits:begin: made by `bin/conformance make http`
      # Limits of bodies in bytes, with their defaults.
      LIMITS = {
        "max_query_bytes" => 1_048_576,
        "max_body_bytes" => 8_388_608
      }.freeze
      # limits:end
      TOKEN = /\A[!-~]+\z/
      NAME = /\A(?:\*|\.?[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*)\z/
      ACCEPTED = 'a list of names without ports, as "search.example.com", ".example.com" for all below it, or ' \
                 '"*" for any'
      private_constant :TOKEN, :NAME, :ACCEPTED

      # @return [Array<String>]
      attr_reader :tokens
      # @return [Boolean]
      attr_reader :read_only
      # @return [#write, nil]
      attr_reader :access_log
      # @return [Boolean]
      attr_reader :log_queries
      # @return [Hash{String=>Integer}]
      attr_reader :limits
      # @return [Array<String>, nil]
      attr_reader :allowed_hosts
      # @return [Boolean]
      attr_reader :allow_anonymous_writes

      # @raise [InvalidInputError] a setting is not acceptable; a token is never shown
      def initialize(token, read_only, access_log, log_queries, max_query_bytes, max_body_bytes,
                     allowed_hosts, allow_anonymous_writes)
        unless access_log.nil? || access_log.respond_to?(:write)
          raise Base::Validation.failure("access_log", access_log, "an object with write")
        end

        @tokens = checked_tokens(token)
        @read_only = Base::Validation.boolean("read_only", read_only)
        @access_log = access_log
        @log_queries = Base::Validation.boolean("log_queries", log_queries)
        @limits = {
          "max_query_bytes" => Base::Validation.integer("max_query_bytes", max_query_bytes, 1),
          "max_body_bytes" => Base::Validation.integer("max_body_bytes", max_body_bytes, 1)
        }.freeze
        @allowed_hosts = checked_hosts(allowed_hosts)
        @allow_anonymous_writes = Base::Validation.boolean("allow_anonymous_writes", allow_anonymous_writes)
        freeze
      end

      private

      # Return the names of hosts of a list of texts.
      def checked_hosts(value)
        return if value.nil?

        names = Base::Validation.texts("allowed_hosts", value)
        wrong = names.find { |one| !(one.ascii_only? && one.match?(NAME)) }
        raise Base::Validation.failure("allowed_hosts", wrong, ACCEPTED) if wrong

        names
      end

      # Return the accepted tokens of a text or a list of texts.
      def checked_tokens(value)
        return [] if value.nil?

        tokens = value.is_a?(::String) ? [value] : value
        sound = tokens.is_a?(::Array) && !tokens.empty? && tokens.all? { |one| one.is_a?(::String) && token?(one) }
        unless sound
          raise InvalidInputError, "token must be a text of printable ASCII without blanks, or a list of such texts"
        end

        tokens.map { |one| one.dup.freeze }.freeze
      end

      def token?(text)
        text.ascii_only? && text.match?(TOKEN)
      end
    end
  end
end
