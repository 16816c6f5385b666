# frozen_string_literal: true

module HybridSearch
  module Server
    # Refuses requests whose `Host` is neither localhost, nor an IP address, nor one of the given names: a defence
    # against DNS rebinding (CUR-6). A page of another site whose name has been pointed at this machine sends its own
    # name as `Host`.
    class AllowedHosts
      include Base::ShortInspect

      HOST = /\A([a-z0-9._-]+)(?::[0-9]{0,5})?\z/n
      IPV4 = /\A(?:(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])(?:\.(?!\z)|\z)){4}\z/n
      IPV6 = /\A\[[0-9a-f:.]+\](?::[0-9]{0,5})?\z/n
      ANY = "*"
      private_constant :HOST, :IPV4, :IPV6, :ANY

      # @param names [Array<String>, nil] the names; one that begins with a dot includes all its subdomains, and `*`
      #   allows any host. nil allows every host if the service has a token or is mounted below a path, and otherwise no
      #   other host
      # @param guarded [Boolean] whether the service has a token
      def initialize(names, guarded)
        @given = !names.nil?
        @guarded = guarded
        @names = (names || []).map(&:downcase).freeze
        freeze
      end

      # Refuse a request to another host; a request without `Host` does not come from a browser.
      #
      # @param head [HttpHead]
      # @return [void]
      # @raise [HttpProblem] the host is not served
      def check(head)
        host = head.header("host").downcase
        return if host.empty? || (!@given && (@guarded || !head.root.empty?))

        raise HttpProblem, "misdirected_request" unless @names.include?(ANY) || served?(host)
      end

      private

      def served?(host)
        found = HOST.match(host)
        return IPV6.match?(host) if found.nil?

        name = found[1].delete_suffix(".")
        return true if IPV4.match?(name) || name == "localhost" || name.end_with?(".localhost")

        @names.any? { |one| name == one.delete_prefix(".") || (one.start_with?(".") && name.end_with?(one)) }
      end
    end
  end
end
