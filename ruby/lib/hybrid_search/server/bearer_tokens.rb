# frozen_string_literal: true

require "digest/sha2"
require "openssl"

module HybridSearch
  module Server
    # Authorizes requests by bearer tokens, which are compared in constant time (CUR-6).
    class BearerTokens
      include Base::ShortInspect

      # @param tokens [Array<String>] the tokens; without any, every request is accepted
      def initialize(tokens)
        @digests = tokens.map { |token| Digest::SHA256.digest(token) }.freeze
        freeze
      end

      # Refuse a request without one of the tokens.
      #
      # @param head [HttpHead]
      # @return [void]
      # @raise [HttpProblem] the request has no token, or an unknown one
      def check(head)
        return if @digests.empty?

        scheme, _, given = head.header("authorization").partition(" ")
        digest = Digest::SHA256.digest(given.gsub(/\A +| +\z/n, ""))
        same = @digests.map { |one| OpenSSL.fixed_length_secure_compare(digest, one) }
        return if scheme.downcase == "bearer" && same.any?

        raise HttpProblem.new("unauthorized", "", { "www-authenticate" => 'Bearer realm="hybrid-search"' })
      end
    end
  end
end
