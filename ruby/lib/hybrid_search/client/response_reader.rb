# frozen_string_literal: true

module HybridSearch
  module Client
    # The response of a service.
    class ClientResponse
      include Base::ShortInspect

      # @return [Integer] 200 to 599
      attr_reader :status
      # @return [String, nil] the value of `Retry-After`
      attr_reader :retry_after
      # @return [String] the bytes as sent
      attr_reader :body

      def initialize(status:, retry_after:, body:)
        @status = status
        @retry_after = retry_after
        @body = body
        freeze
      end
    end

    # Reads one HTTP/1.1 response (RFC 9112) strictly and within bounds, from any source of bytes. Earlier responses
    # (1xx) are skipped, bytes after it are not read.
    class ResponseReader
      include Base::ShortInspect

      PIECE = 65_536
      # The number of bytes read ahead for a line; no deadline is checked while small chunks are taken from this buffer.
      AHEAD = 8192
      LARGEST_HEAD = 65_536
      MOST_FIELDS = 100
      MOST_INTERIM = 20
      LARGEST_CHUNK_LINE = 4096
      STATUS_LINE = %r{\AHTTP/1\.[01] ([1-5][0-9]{2})(?: .*)?\z}mn
      FIRST_BYTES = "HTTP/1.".b.freeze
      FIELD = /\A([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*\z/mn
      UNPRINTABLE = /[\0\r]/n
      LENGTH = /\A[0-9]{1,18}\z/n
      CHUNK_LINE = /\A([0-9A-Fa-f]{1,16})(?:[ \t]*;.*)?\z/mn
      SWITCHING_PROTOCOLS = 101
      WITHOUT_BODY = [204, 304].freeze
      private_constant :STATUS_LINE, :FIELD, :UNPRINTABLE, :LENGTH, :CHUNK_LINE

      # @param read [#call] returns some bytes, up to the given number, in a text that it does not retain; no bytes at
      #   the end
      # @param max_response_bytes [Integer] the largest body
      def initialize(read, max_response_bytes)
        @read = read
        @max_response_bytes = max_response_bytes
        @buffer = "".b
        @position = 0
      end

      # @return [ClientResponse] the complete response
      # @raise [ExchangeError] the response ends too early, is larger than allowed, compressed, or not valid HTTP
      def answer
        status, fields = final_head
        retry_after = fields["retry-after"]&.join(", ")&.encode(Encoding::UTF_8, Encoding::ISO_8859_1)
        ClientResponse.new(status:, retry_after:, body: body(status, fields))
      end

      private

      def final_head
        (MOST_INTERIM + 1).times do
          status, fields = head
          raise invalid if status == SWITCHING_PROTOCOLS
          return status, fields if status >= 200
        end
        raise invalid
      end

      def head
        match = STATUS_LINE.match(line(LARGEST_HEAD, FIRST_BYTES)) || raise(invalid)
        [match[1].to_i, fields(LARGEST_HEAD - @taken)]
      end

      # Return the fields of a head or the trailers, up to the empty line, by their names in lower case.
      def fields(left)
        found = {}
        (MOST_FIELDS + 1).times do
          text = line(left)
          left -= @taken
          return found if text.empty?

          match = FIELD.match(text) || raise(invalid)
          (found[match[1].downcase] ||= []) << match[2]
        end
        raise invalid
      end

      def body(status, fields)
        length = length(fields.fetch("content-length", []))
        chunked = chunked?(fields.fetch("transfer-encoding", []))
        raise invalid if chunked && length
        return "".b if WITHOUT_BODY.include?(status)

        refuse_compression(fields.fetch("content-encoding", [])) if status <= 299
        body = "".b
        read_body(body, length, chunked)
        body
      end

      def read_body(body, length, chunked)
        return read_chunks(body) if chunked

        length.nil? ? read_to_the_end(body) : read_exactly(body, length)
      end

      def length(values)
        return nil if values.empty?
        raise invalid unless values.uniq.size == 1 && LENGTH.match?(values[0])

        values[0].to_i
      end

      def chunked?(values)
        return false if values.empty?
        raise invalid unless values.size == 1 && values[0].casecmp?("chunked")

        true
      end

      def refuse_compression(values)
        return if (values.map(&:downcase) - ["", "identity"]).empty?

        raise ExchangeError.new("returned a compressed body, which was not asked for", retryable: false)
      end

      def read_chunks(body)
        loop do
          match = CHUNK_LINE.match(line(LARGEST_CHUNK_LINE)) || raise(invalid)
          size = match[1].hex
          break if size.zero?

          read_exactly(body, size)
          raise invalid unless line("\r\n".bytesize).empty?
        end
        fields(LARGEST_HEAD)
      end

      def read_exactly(body, count)
        check_size(body.bytesize + count)
        while count.positive?
          piece = some(count)
          raise cut if piece.empty?

          count -= piece.bytesize
          move(piece, body)
        end
      end

      def read_to_the_end(body)
        until (piece = some(PIECE)).empty?
          move(piece, body)
          check_size(body.bytesize)
        end
      end

      def check_size(size)
        return if size <= @max_response_bytes

        raise ExchangeError.new("returned more than #{@max_response_bytes} bytes", retryable: false)
      end

      # Append a piece and empty it, since the garbage collector may free many such pieces late.
      def move(piece, body)
        body << piece
        piece.clear
      end

      # Return the next bytes, first those read ahead; no bytes at the end.
      def some(most)
        piece = copy(most)
        return @read.call([most, PIECE].min) if piece.empty?

        @position += piece.bytesize
        piece
      end

      # Return the next line without its end, LF or CRLF; `@taken` is then its number of bytes with the end.
      #
      # @param left [Integer] maximum number of bytes of the line with its end
      # @param beginning [String] the required beginning, in case the stream ends in this line
      def line(left, beginning = "")
        searched = @position
        until (ending = line_end(searched, left))
          raise invalid if ahead >= left

          searched = ahead
          raise ended_in(beginning) unless more?
        end
        @taken = ending + 1 - @position
        text = @buffer.byteslice(@position, ending - @position).delete_suffix("\r")
        @position = ending + 1
        raise invalid if UNPRINTABLE.match?(text)

        text
      end

      # Return the end of the next line, if the line with its end has at most `left` bytes.
      def line_end(searched, left)
        ending = @buffer.index("\n", searched)
        ending if ending && ending - @position < left
      end

      # Return the number of bytes that have been read ahead.
      def ahead
        @buffer.bytesize - @position
      end

      # Read further ahead, after removing used bytes from the buffer. Return false at the end.
      def more?
        @buffer.replace(copy(ahead)) if @position.positive?
        @position = 0
        piece = @read.call(AHEAD)
        found = !piece.empty?
        move(piece, @buffer)
        found
      end

      # Return a copy of bytes that were read ahead; a slice up to their end would retain all of them in memory.
      def copy(most)
        @buffer.unpack1("@#{@position}a#{most}")
      end

      def ended_in(beginning)
        beginning.start_with?(@buffer.byteslice(0, beginning.bytesize)) ? cut : invalid
      end

      def cut
        ExchangeError.new("cut the connection")
      end

      def invalid
        ExchangeError.new("returned invalid HTTP", retryable: false)
      end
    end
  end
end
