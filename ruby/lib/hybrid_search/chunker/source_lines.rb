# frozen_string_literal: true

module HybridSearch
  module Chunkers
    # One line of a text.
    class SourceLine
      include Base::ShortInspect

      # @return [Integer] the offset of its first character, in code points
      attr_reader :start
      # @return [String] the line without its end
      attr_reader :text
      # @return [Integer] the offset after its line end, where the next line starts
      attr_reader :end
      # @return [Integer, nil] its page, from 1; nil for a text without form feeds
      attr_reader :page

      def initialize(start, text, last, page)
        @start = start
        @text = text
        @end = last
        @page = page
        freeze
      end
    end

    # A text with fast access to parts by offset; Ruby's own strings search an offset from their beginning.
    class SourceText
      include Base::ShortInspect

      BYTES = 4
      private_constant :BYTES

      # @param text [String]
      def initialize(text)
        @plain = text.ascii_only?
        @text = @plain ? text : text.encode("UTF-32LE")
        freeze
      end

      # @return [String] the code points from one offset up to another
      def part(start, last)
        return @text.byteslice(start, last - start).to_s if @plain

        @text.byteslice(start * BYTES, (last - start) * BYTES).to_s.encode("UTF-8")
      end
    end

    # Splits a text into lines with their offsets and pages (CHK-2).
    module SourceLines
      BYTE_ORDER_MARK = "\ufeff"
      FORM_FEED = "\f"
      LINE = /[^\n\r\f]*(?:\r\n|[\n\r\f])|[^\n\r\f]+/
      private_constant :LINE

      module_function

      # @param text [String]
      # @return [Array<SourceLine>] its lines. LF, CR, CR LF and form feeds end a line; a form feed also ends its page
      def read(text)
        page = text.include?(FORM_FEED) ? 1 : nil
        start = text.start_with?(BYTE_ORDER_MARK) ? 1 : 0
        text[start..].scan(LINE).map do |line|
          begun = start
          start += line.length
          read = SourceLine.new(begun, line.chomp.delete_suffix(FORM_FEED), start, page)
          page += 1 if page && line.end_with?(FORM_FEED)
          read
        end
      end
    end
  end
end
