# frozen_string_literal: true

require "openssl"

module HybridSearch
  module Stores
    module OpenSearch
      # The credentials of a store in a cluster, and the authorities that it trusts (OS-6): a user with a password, an
      # API key or a client certificate. None of these appears in a message or a log line.
      class OpenSearchAccess
        include Base::ShortInspect

        LINE = /\A[!-~]+\z/
        API_KEY = "a text of ASCII characters without blanks, or a callable that returns one"
        CERTIFICATES = "a readable file with certificates"
        KEY = "a readable file with the key of client_certificate, without a passphrase"
        private_constant :LINE, :API_KEY, :CERTIFICATES, :KEY

        # @return [String, nil] the given file
        attr_reader :ca_file

        # @param user [String, nil] the name of the user; nil for no user
        # @param password [#call, nil] returns the password of the user
        # @param api_key [String, #call, nil] the API key, or a callable that returns it; not together with `user`
        # @param ca_file [String, nil] a file with the certificates of trusted authorities; nil for those of the system
        # @param client_certificate [String, nil] a file with the client's certificate and those that certify it; nil
        #   for no certificate
        # @param client_key [String, nil] a file with the key of the certificate; nil if `client_certificate` contains
        #   it
        # @raise [InvalidInputError] a file is not readable, the key is that of another certificate, or two options
        #   exclude each other
        def initialize(user: nil, password: nil, api_key: nil, ca_file: nil, client_certificate: nil, client_key: nil)
          raise InvalidInputError, "api_key must not be set together with user" if user && api_key
          if client_key && !client_certificate
            raise InvalidInputError, "client_key must not be set without client_certificate"
          end

          @user = user && Base::Validation.text("user", user)
          @password = password
          @api_key = api_key
          certificates("ca_file", ca_file)
          @ca_file = ca_file
          @chain = certificates("client_certificate", client_certificate)
          @key = key(client_certificate, client_key) if client_certificate
        end

        # @return [Boolean] whether requests have an `Authorization` header
        def named?
          !(@user.nil? && @api_key.nil?)
        end

        # @return [String] the value of the `Authorization` header; a callable for the password or the key is called
        def header
          return "ApiKey #{checked_key}" unless @user

          password = @password ? @password.call : ""
          raise InvalidInputError, "password must be a callable that returns a text" unless password.is_a?(::String)

          "Basic #{["#{@user}:#{password}"].pack("m0")}"
        end

        # Let a connection use the certificates.
        #
        # @param connection [Net::HTTP]
        # @return [void]
        def secure(connection)
          connection.ca_file = @ca_file if @ca_file
          return if @chain.empty?

          connection.cert = @chain[0]
          connection.extra_chain_cert = @chain.drop(1)
          connection.key = @key
        end

        private

        def checked_key
          key = @api_key.respond_to?(:call) ? @api_key.call : @api_key
          return key if key.is_a?(::String) && LINE.match?(key)

          raise InvalidInputError, "api_key must be #{API_KEY}"
        end

        def certificates(name, path)
          path.nil? ? [] : OpenSSL::X509::Certificate.load(File.read(Base::Validation.text(name, path)))
        rescue SystemCallError, OpenSSL::X509::CertificateError
          raise Base::Validation.failure(name, path, CERTIFICATES)
        end

        # Return the key of the certificate, which a file contains.
        def key(certificate, path)
          name = path ? "client_key" : "client_certificate"
          read = OpenSSL::PKey.read(File.read(Base::Validation.text(name, path || certificate)), "")
          return read if @chain[0].check_private_key(read)

          raise OpenSSL::PKey::PKeyError
        rescue SystemCallError, OpenSSL::PKey::PKeyError
          raise Base::Validation.failure(name, path || certificate, path ? KEY : "#{CERTIFICATES} and their key")
        end
      end
    end
  end
end
