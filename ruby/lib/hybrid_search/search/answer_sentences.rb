# frozen_string_literal: true

module HybridSearch
  module Search
    # One sentence of an answer, without its ender and without WHITE around it.
    class AnswerSentence
      include Base::Value

      # @return [Integer] the number of code points before it
      attr_reader :start
      # @return [String] the sentence
      attr_reader :text

      # @param start [Integer]
      # @param text [String]
      def initialize(start, text)
        @start = start
        @text = text
        freeze
      end

      # @return [Integer] the place after its last code point
      def end
        start + text.length
      end
    end

    # Finds the sentences of an answer, which may be Markdown (CIT-1).
    module AnswerSentences
      # The minimum number of code points in a sentence; a shorter one has no sources.
      SHORTEST = 5

      CODE = /(`{3,})/
      ENDER = /((?<!\|)[。？！!；،؛؟۔\n]|(?<=[^A-Z.| \t\n])[.?;](?=[ \n]|\z))/
      private_constant :CODE, :ENDER

      module_function

      # Return the sentences of an answer that may have sources; those in code have none. Code begins with three or more
      # backticks and ends with at least as many, or with the answer.
      #
      # @param answer [String]
      # @return [Array<AnswerSentence>]
      def answer_sentences(answer)
        found = []
        place = fence = 0
        answer.split(CODE, -1).each_with_index do |piece, index|
          if index.even?
            found.concat(cut(piece, place)) if fence.zero?
          elsif fence.zero?
            fence = piece.length
          elsif piece.length >= fence
            fence = 0
          end
          place += piece.length
        end
        found
      end

      # Return the sentences of a part without code that begins at a place.
      def cut(stretch, place)
        found = []
        stretch.split(ENDER, -1).each_with_index do |piece, index|
          text = index.even? ? Base::Characters.strip(piece) : ""
          found << AnswerSentence.new(place + piece.index(text), text) if text.length >= SHORTEST
          place += piece.length
        end
        found
      end
      private_class_method :cut
    end
  end
end
