# frozen_string_literal: true

require "openssl"

module HybridSearch
  module Client
    # TLS for one client: version 1.2 or later, the service's certificate and host name verified.
    #
    # Trusted authorities are the system's, or those of the file and folder that the environment variables
    # `SSL_CERT_FILE` and `SSL_CERT_DIR` name.
    class Tls
      PROBLEMS = {
        OpenSSL::X509::V_ERR_CERT_HAS_EXPIRED => "has a certificate that has expired",
        OpenSSL::X509::V_ERR_CERT_NOT_YET_VALID => "has a certificate that is not yet valid",
        OpenSSL::X509::V_ERR_HOSTNAME_MISMATCH => "has a certificate for another host name",
        OpenSSL::X509::V_ERR_IP_ADDRESS_MISMATCH => "has a certificate for another host name"
      }.freeze
      private_constant :PROBLEMS

      # @param host [String] name or address, which the certificate must contain
      def initialize(host)
        @host = host
        @context = OpenSSL::SSL::SSLContext.new
        @context.set_params(verify_mode: OpenSSL::SSL::VERIFY_PEER, verify_hostname: name?, cert_store: authorities)
        @context.min_version = OpenSSL::SSL::TLS1_2_VERSION
        @context.freeze
      end

      # Secure a connection.
      #
      # @param socket [Socket] connected
      # @yieldparam state [Symbol] the event to wait for, `:wait_readable` or `:wait_writable`; the block raises if that
      #   takes too long
      # @return [OpenSSL::SSL::SSLSocket]
      # @raise [ExchangeError] the service is not the expected one, or does not support TLS
      def secure(socket, &)
        secured = OpenSSL::SSL::SSLSocket.new(socket, @context)
        secured.hostname = @host if name?
        shake_hands(secured, &)
        check_address(secured)
        secured
      end

      # @return [String]
      def inspect
        "#<#{self.class} #{@host}>"
      end

      private

      def shake_hands(secured)
        while (state = secured.connect_nonblock(exception: false)).is_a?(Symbol)
          yield state
        end
      rescue OpenSSL::SSL::SSLError, SystemCallError, IOError
        raise ExchangeError.new(problem(secured.verify_result), retryable: false)
      end

      def problem(verified)
        return "failed the TLS handshake" if verified == OpenSSL::X509::V_OK

        PROBLEMS.fetch(verified, "has a certificate that is not trusted")
      end

      # Check an address, since the handshake itself checks only names.
      def check_address(secured)
        secured.post_connection_check(@host) unless name?
      rescue OpenSSL::SSL::SSLError
        raise ExchangeError.new(problem(OpenSSL::X509::V_ERR_IP_ADDRESS_MISMATCH), retryable: false)
      end

      def name?
        IPAddr.new(@host)
        false
      rescue IPAddr::Error
        true
      end

      # Make a new store for each client: the environment variables count as they are when a client is first used.
      def authorities
        OpenSSL::X509::Store.new.tap(&:set_default_paths)
      end
    end
  end
end
