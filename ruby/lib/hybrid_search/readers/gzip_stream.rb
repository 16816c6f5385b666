# frozen_string_literal: true

require "zlib"

module HybridSearch
  module Readers
    # A stream of gzip data with any number of members, read line by line (FIL-5): Ruby's reader stops after the first.
    class GzipStream
      include Base::ShortInspect

      # @param stream [File]
      def initialize(stream)
        @stream = stream
        @member = nil
        @ended = false
      end

      # Return the next line, as `IO#gets` does.
      #
      # @param separator [String]
      # @param limit [Integer]
      # @return [String, nil]
      # @raise [InvalidInputError] the data are incomplete
      def gets(separator, limit)
        line = nil
        until line && (line.end_with?(separator) || line.bytesize >= limit)
          piece = @ended ? nil : @member&.gets(separator, limit - (line || "").bytesize)
          line = (line || "".b) << piece.b if piece
          return line unless piece || next_member
        end
        line
      rescue Zlib::Error
        raise InvalidInputError, "is not whole gzip data"
      end

      private

      # Return whether there is another member.
      def next_member
        if @member && !@ended
          unused = @member.unused
          @member.finish
          @stream.pos -= unused.bytesize if unused
          @ended = @stream.eof?
        end
        return false if @ended

        @member = Zlib::GzipReader.new(@stream)
        true
      end
    end
  end
end
