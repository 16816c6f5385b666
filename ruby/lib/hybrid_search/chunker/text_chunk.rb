# frozen_string_literal: true

module HybridSearch
  class Chunker
    # A part of a text (CHK-5).
    #
    # `content` is `text[start...end]` of the text that was cut. Its first `overlap` characters are also in the previous
    # chunk. Without them, the contents of all chunks are the whole text, except for white space between them.
    class TextChunk
      include Base::Value

      # @return [Integer] its number among the chunks, from 1
      attr_reader :number
      # @return [String] the text
      attr_reader :content
      # @return [String] the title of the document and the headings, joined by " > "; "" without both
      attr_reader :title
      # @return [Array<String>] the path of its headings, the outermost first
      attr_reader :headings
      # @return [Integer, nil] the page on which it starts, from 1; nil for a text without form feeds
      attr_reader :page
      # @return [Integer] the offset of its first character, in code points
      attr_reader :start
      # @return [Integer] the offset after its last character
      attr_reader :end
      # @return [Integer] the number of its first characters that are also in the previous chunk
      attr_reader :overlap
      # @return [Integer] the number of its tokens, as the chunker counts them
      attr_reader :tokens

      def initialize(number:, content:, title:, headings:, page:, start:, end:, overlap:, tokens:)
        @number = number
        @content = content
        @title = title
        @headings = headings
        @page = page
        @start = start
        @end = binding.local_variable_get(:end)
        @overlap = overlap
        @tokens = tokens
        freeze
      end

      # @return [Array<Array<Integer>>] the positions in the form of records: page (or number, if the text has no
      #   pages), start and end
      def positions
        [[@page || @number, @start, @end]]
      end

      # @return [Hash{String=>Object}] the chunk as plain data
      def to_h
        super.merge("headings" => @headings.dup)
      end
    end
  end
end
