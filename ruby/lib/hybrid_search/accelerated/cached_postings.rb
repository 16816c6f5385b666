# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # A cache of the postings of one state of a store, of bounded size (DOC-3). Postings that were not used for the
    # longest time are removed first.
    #
    # Those of an earlier state make room, but are not removed before: so a change costs no more for many of them.
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
        # @return [Integer] the generation of its state
        attr_reader :generation

        # @param posting [Posting, nil]
        # @param generation [Integer]
        def initialize(posting, generation)
          @posting = posting
          @generation = generation
          @counted = 0
        end

        # @return [Integer] the bytes, counted again
        def count
          @counted = @posting ? @posting.size : BYTES_OF_NOTHING
        end
      end
      private_constant :Entry

      # @param memory [Integer, nil] the maximum number of bytes; without a limit the room grows with the field's tokens
      # @param generation [Integer] the generation of the state
      def initialize(memory = nil, generation = 0)
        @is_limited = !memory.nil?
        @room = Room.new(memory || SMALLEST_ROOM)
        @kept = {}
        @generation = generation
      end

      # @param generation [Integer] the generation of a later state
      # @return [CachedPostings] the cache in that state, which has no postings yet
      def after(generation)
        dup.tap { |later| later.generation = generation }
      end

      # @param key [Object]
      # @return [Array(Boolean, Posting)] whether a key is cached, and its posting; nil for a key that
      #   no document contains
      def find(key)
        entry = @kept[key]
        return [false, nil] unless entry && entry.generation == @generation && @kept.delete(key)

        @room.used -= entry.counted
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
        @room.most = SMALLEST_ROOM + (ROOM_PER_TOKEN * tokens) unless @is_limited
        before = @kept.delete(key)
        @room.used -= before.counted if before
        put(key, Entry.new(posting, @generation))
      end

      protected

      attr_writer :generation

      private

      # Put an entry behind all others, and remove the first ones as long as there is no room for all.
      def put(key, entry)
        size = entry.count
        while @room.used + size > @room.most
          dropped = @kept.shift&.last
          # Threads that write at once may have counted an entry twice.
          break @room.used = 0 unless dropped

          @room.used -= dropped.counted
        end
        @room.used += size
        @kept[key] = entry
      end
    end
  end
end
