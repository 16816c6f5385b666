# frozen_string_literal: true

module HybridSearch
  module Chunkers
    # The units of one chunk, by their indexes.
    class Span
      include Base::ShortInspect

      # @return [Integer] the first unit
      attr_reader :begin
      # @return [Integer] the first unit that is not part of the previous chunk
      attr_reader :fresh
      # @return [Integer] the end of the units, exclusive
      attr_reader :end

      def initialize(first, fresh, last)
        @begin = first
        @fresh = fresh
        @end = last
        freeze
      end
    end

    # Packs the units of one section into chunks (CHK-5).
    class Packer
      include Base::ShortInspect

      # @param units [Array<Unit>] at least one
      # @param size [Integer] maximum number of tokens of a chunk, unless a single unit has more
      # @param overlap [Integer] maximum number of tokens that a chunk shares with the previous one
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

      # Add units: all of them to this chunk or to a new one, or part by part if they are too many for one chunk.
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

      # Begin a chunk with the given units, preceded by as many of the previous units as fit.
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
