# frozen_string_literal: true

module HybridSearch
  module Chunkers
    # The units of one chunk.
    class Span
      include Base::ShortInspect

      # @return [Integer] the first of them
      attr_reader :begin
      # @return [Integer] the first that is not part of the chunk before
      attr_reader :fresh
      # @return [Integer] the one behind the last
      attr_reader :end

      def initialize(first, fresh, last)
        @begin = first
        @fresh = fresh
        @end = last
        freeze
      end
    end

    # Puts the units of one section together to chunks (CHK-5).
    class Packer
      include Base::ShortInspect

      # @param units [Array<Unit>] at least one
      # @param size [Integer] the most tokens of a chunk, unless a single unit has more
      # @param overlap [Integer] the most tokens that a chunk has in common with the one before
      def initialize(units, size, overlap)
        @units = units
        @sums = [0]
        units.each { |unit| @sums << (@sums.fetch(-1) + unit.tokens) }
        @size = size
        @overlap = overlap
        @spans = []
        @span = Span.new(0, 0, 0)
        @tokens = 0
      end

      # @return [Array<Span>] the chunks in order
      def spans
        place(0, @units.size, Section::BLOCK)
        [*@spans, @span]
      end

      private

      # Add units: all of them to this chunk or to a new one, or, if they are too many for one, part by part.
      def place(first, last, level)
        tokens = tokens_of(first, last)
        if @tokens + tokens <= @size
          extend_to(last, tokens)
        elsif tokens <= @size || last - first == 1
          start(first, tokens)
          extend_to(last, tokens)
        else
          place_parts(first, last, level)
        end
      end

      def place_parts(first, last, level)
        start = first
        ((first + 1)...last).each do |index|
          next if @units.fetch(index).level > level

          place(start, index, level + 1)
          start = index
        end
        place(start, last, level + 1)
      end

      def extend_to(last, tokens)
        @span = Span.new(@span.begin, @span.fresh, last)
        @tokens += tokens
      end

      # Begin a chunk that goes on with some units, and with as many of those before them as fit.
      def start(first, tokens)
        @spans << @span if @span.end > @span.fresh
        begun = first
        room = [@overlap, @size - tokens].min
        while begun > @span.begin && @units.fetch(begun - 1).tokens <= room
          begun -= 1
          room -= @units.fetch(begun).tokens
        end
        @span = Span.new(begun, first, first)
        @tokens = tokens_of(begun, first)
      end

      def tokens_of(first, last)
        @sums.fetch(last) - @sums.fetch(first)
      end
    end
  end
end
