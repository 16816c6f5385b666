# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # A cache of the postings of one state of a store, of bounded size (DOC-3). Postings that were not used for the
    # longest time are removed first.
    #
    # Several threads may use it at once without a lock, so the size is only approximate.
    class CachedPostings
      include Base::ShortInspect

      SMALLEST_ROOM = 64_000_000
      ROOM_PER_TOKEN = 32

      # The bytes that are counted for a key that no document contains.
      BYTES_OF_NOTHING = 16

      # A posting, and the bytes that were counted for it: it grows as searches compute more of it.
      class Entry
        include Base::ShortInspect

        # @return [Posting, nil] the posting; nil for a key that no document contains
        attr_reader :posting
        # @return [Integer] the bytes that were counted
        attr_reader :counted

        # @param posting [Posting, nil]
        def initialize(posting)
          @posting = posting
          @counted = 0
        end

        # @return [Integer] the bytes, counted again
        def count
          @counted = @posting ? @posting.size : BYTES_OF_NOTHING
        end
      end
      private_constant :Entry

      # @param memory [Integer, nil] the maximum number of bytes; without a limit the room grows with the field's tokens
      def initialize(memory = nil)
        @is_limited = !memory.nil?
        @most = memory || SMALLEST_ROOM
        @kept = {}
        @size = 0
      end

      # @param key [Object]
      # @return [Array(Boolean, Posting)] whether a key is cached, and its posting; nil for a key that
      #   no document contains
      def find(key)
        entry = @kept.delete(key)
        return [false, nil] unless entry

        @size -= entry.counted
        put(key, entry)
        [true, entry.posting]
      end

      # Cache the posting of a key.
      #
      # @param key [Object] the key
      # @param posting [Posting, nil] the posting that was found
      # @param tokens [Integer] the number of tokens of the field; without a limit of memory it determines the size
      # @return [void]
      def keep(key, posting, tokens)
        @most = SMALLEST_ROOM + (ROOM_PER_TOKEN * tokens) unless @is_limited
        before = @kept.delete(key)
        @size -= before.counted if before
        put(key, Entry.new(posting))
      end

      private

      # Put an entry behind all others, and remove the first ones as long as there is no room for all.
      def put(key, entry)
        size = entry.count
        while @size + size > @most
          dropped = @kept.shift&.last
          # Threads that write at once may have counted an entry twice.
          break @size = 0 unless dropped

          @size -= dropped.counted
        end
        @size += size
        @kept[key] = entry
      end
    end
  end
end
