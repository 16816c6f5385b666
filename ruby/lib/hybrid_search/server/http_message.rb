# frozen_string_literal: true

module HybridSearch
  module Server
    # A request without its body: the same for every server (CUR-6).
    class HttpHead
      include Base::ShortInspect

      BLANKS = /\A[ \t]+|[ \t]+\z/n
      private_constant :BLANKS

      # @return [String] in capitals, as `GET`
      attr_reader :method
      # @return [String] the path below where the service is mounted, percent-encoded, from `/` on
      attr_reader :path
      # @return [Hash{String=>String}] by their names in small letters; several of a name joined by a comma
      attr_reader :headers
      # @return [String] the path where the service is mounted, "" if at the top
      attr_reader :root
      # @return [String] the address of the client, "" if not known
      attr_reader :remote
      # @return [String] the query string, percent-encoded, "" if there is none
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

      # @return [Boolean] whether a body comes with it
      def body?
        !["", "0"].include?(header("content-length")) || !header("transfer-encoding").empty?
      end

      # @return [String] the value of a header without blanks around it, "" where it is missing
      def header(name)
        headers.fetch(name, "").b.gsub(BLANKS, "")
      end
    end

    # An answer.
    class ServerResponse
      include Base::ShortInspect

      # @return [Integer]
      attr_reader :status
      # @return [Hash{String=>String}] by their names in small letters; the length of the body among them
      attr_reader :headers
      # @return [String] the bytes that are sent
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
