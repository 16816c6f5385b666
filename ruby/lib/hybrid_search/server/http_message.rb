# frozen_string_literal: true

module HybridSearch
  module Server
    # A request without its body, in the same form for every server (CUR-6).
    class HttpHead
      include Base::ShortInspect

      BLANKS = /\A[ \t]+|[ \t]+\z/n
      private_constant :BLANKS

      # @return [String] in capitals, as `GET`
      attr_reader :method
      # @return [String] the percent-encoded path below the mount point, beginning with `/`
      attr_reader :path
      # @return [Hash{String=>String}] by their names in lower case; several values of a name are joined by a comma
      attr_reader :headers
      # @return [String] the path of the mount point, "" at the top
      attr_reader :root
      # @return [String] the address of the client, "" if not known
      attr_reader :remote
      # @return [String] the percent-encoded query string, "" without one
      attr_reader :query

      def initialize(method, path, headers, root = "", remote = "", query = "")
        @method = method
        @path = path
        @headers = headers
        @root = root
        @remote = remote
        @query = query
        freeze
      end

      # @return [Boolean] whether the request has a body
      def body?
        !["", "0"].include?(header("content-length")) || !header("transfer-encoding").empty?
      end

      # @return [String] the value of a header without blanks around it, "" if it is missing
      def header(name)
        headers.fetch(name, "").b.gsub(BLANKS, "")
      end
    end

    # A response.
    class ServerResponse
      include Base::ShortInspect

      # @return [Integer]
      attr_reader :status
      # @return [Hash{String=>String}] by their names in lower case, including the length of the body
      attr_reader :headers
      # @return [String] the bytes to send
      attr_reader :body

      def initialize(status, headers, body)
        @status = status
        @headers = headers
        @body = body
        freeze
      end
    end
  end
end
