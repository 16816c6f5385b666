# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # A cache of the postings of one state of a store, of bounded size (DOC-3). The oldest postings are removed first.
    #
    # Several threads may use it at once without a lock, so the size is only approximate.
    class CachedPostings
      include Base::ShortInspect

      SMALLEST_ROOM = 4_000_000
      ROOM_PER_TOKEN = 2

      # The bytes of a number and a score, for a slot or a place of all slots.
      BYTES_PER_NUMBER = 16

      # @param memory [Integer, nil] the maximum number of bytes; without a limit the room grows with the field's tokens
      def initialize(memory = nil)
        @most = memory && (memory / BYTES_PER_NUMBER)
        @kept = {}
        @size = 0
      end

      # @param key [Object]
      # @return [Array(Boolean, Posting)] whether a key is cached, and its posting; nil for a key that
      #   no document contains
      def find(key)
        posting = @kept[key]
        [!posting.nil? || @kept.key?(key), posting]
      end

      # Cache the posting of a key.
      #
      # @param key [Object] the key
      # @param posting [Posting, nil] the posting that was found
      # @param tokens [Integer] the number of tokens of the field; without a limit of memory it determines the size
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
