# frozen_string_literal: true

module HybridSearch
  module Stores
    module OceanBase
      # The server, the database and the user that a URL names (OB-3). Messages never repeat the URL, since it may
      # contain a password.
      class OceanBaseAddress
        include Base::ShortInspect

        HOST = /[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]/
        URL = %r{\A(?:mysql|oceanbase)://(?:([^:@/?#]*)(?::([^:@/?#]*))?@)?(#{HOST})(?::([0-9]{1,5}))?
                 /([^/?\#]+)(?:\?ssl_ca=([^&\#]+))?\z}x
        PORT = 2881
        LARGEST_PORT = 65_535
        FORM = "url must be oceanbase://user:password@host:port/database, or mysql://…, " \
               "with each special character as %XX"
        private_constant :HOST, :URL, :PORT, :LARGEST_PORT, :FORM

        # @return [String] the host
        attr_reader :host
        # @return [Integer] the port
        attr_reader :port
        # @return [String] the database
        attr_reader :database
        # @return [String] the name of the user
        attr_reader :user
        # @return [String, nil] the file with the certificates of trusted authorities; nil for a connection without TLS
        attr_reader :ca_file

        # @param url [String] the URL; `?ssl_ca=FILE` in it is the same as `ca_file`
        # @param user [String, nil] the name of the user, instead of the one in the URL
        # @param password [#call, nil] returns the password, instead of the one in the URL
        # @param ca_file [String, nil] a file with the certificates of trusted authorities; the connection then uses TLS
        # @raise [InvalidInputError] the URL has another form
        def initialize(url, user, password, ca_file)
          found = URL.match(Base::Validation.text("url", url))
          raise InvalidInputError, FORM unless found && (found[4] || PORT).to_i.between?(1, LARGEST_PORT)

          @host = found[3].delete("[]")
          @port = (found[4] || PORT).to_i
          @database = decoded(found[5])
          @user = user.nil? ? decoded(found[1].to_s) : Base::Validation.text("user", user)
          given = ca_file.nil? ? nil : Base::Validation.text("ca_file", ca_file)
          @ca_file = given || (found[6] && decoded(found[6]))
          unless password.nil? || password.respond_to?(:call)
            raise InvalidInputError, "password must be a callable that returns the password"
          end

          @password = password
          @in_url = decoded(found[2].to_s)
        end

        # @return [String] the password; a callable is asked before each connection
        def password
          @password ? @password.call : @in_url
        end

        private

        def inspected
          { host: @host, port: @port, database: @database }
        end

        def decoded(text)
          text.b.gsub(/%[0-9A-Fa-f]{2}/) { |code| code[1..].hex.chr }.force_encoding(Encoding::UTF_8).scrub
        end
      end
    end
  end
end
