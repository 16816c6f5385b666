# frozen_string_literal: true

module HybridSearch
  class Chunker
    # A part of a text (CHK-5).
    #
    # `content` is `text[start...end]` of the text that was cut. The first `overlap` characters of it are in the chunk
    # before too; without them the contents of all chunks are the whole text, but for white space between them.
    class TextChunk
      include Base::Value

      # @return [Integer] its number among the chunks, from 1
      attr_reader :number
      # @return [String] the text
      attr_reader :content
      # @return [String] the title of the document and the headings, joined by " > "; "" if there is none of either
      attr_reader :title
      # @return [Array<String>] the path of headings that lead to it, the outermost first
      attr_reader :headings
      # @return [Integer, nil] the page it starts on, from 1; nil where the text has no form feed
      attr_reader :page
      # @return [Integer] the offset of its first character, in code points
      attr_reader :start
      # @return [Integer] the offset behind its last
      attr_reader :end
      # @return [Integer] how many of its characters, from the first on, are in the chunk before
      attr_reader :overlap
      # @return [Integer] how many tokens it has, as the chunker counts them
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

      # @return [Array<Array<Integer>>] where it is, as records have it: page (or number, where there are no pages),
      #   start and end
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
