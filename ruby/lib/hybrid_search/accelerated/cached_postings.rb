# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # Postings that were asked for, kept as long as there is room (DOC-3): those of one state of a store; the oldest
    # ones make room.
    #
    # Several threads may use it at once without a lock, so the size is only about right.
    class CachedPostings
      include Base::ShortInspect

      SMALLEST_ROOM = 4_000_000
      ROOM_PER_TOKEN = 2

      # A slot or a place of all slots has a number and a score.
      BYTES_PER_NUMBER = 16

      # @param memory [Integer, nil] the maximum number of bytes; without it the room grows with the tokens of the field
      def initialize(memory = nil)
        @most = memory && (memory / BYTES_PER_NUMBER)
        @kept = {}
        @size = 0
      end

      # @param key [Object]
      # @return [Array(Boolean, Posting)] whether something is kept for a key, and what; nil is kept for what no
      #   document holds
      def find(key)
        posting = @kept[key]
        [!posting.nil? || @kept.key?(key), posting]
      end

      # Keep what was made for a key.
      #
      # @param key [Object] what was asked for
      # @param posting [Posting, nil] what was found
      # @param tokens [Integer] how many tokens the field has; they say how much room there is
      # @return [void]
      def keep(key, posting, tokens)
        @size += size_of(posting)
        most = @most || (SMALLEST_ROOM + (ROOM_PER_TOKEN * tokens))
        @size -= size_of(@kept.shift&.last) while @size > most && !@kept.empty?
        @kept[key] = posting
      end

      private

      def size_of(posting)
        posting ? posting.size : 1
      end
    end
  end
end
