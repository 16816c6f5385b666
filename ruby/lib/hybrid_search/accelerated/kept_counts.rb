# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # A cache of the places of tokens and phrases, reused from state to state (SQL-5, PG-5).
    #
    # Counts are the slots of the documents that contain a token or a phrase, ascending; its frequency in each; and the
    # number of tokens of the field of each. The counts of an earlier state are updated when they are requested again: a
    # change costs only the documents that it has touched.
    class KeptCounts < KeptEntries
      # The bytes of a slot, a frequency and a length.
      BYTES_PER_DOCUMENT = 24
      # The approximate number of additional bytes of an entry.
      BYTES_PER_KEY = 200
      private_constant :BYTES_PER_DOCUMENT, :BYTES_PER_KEY

      # @param key [Array(String, Array<String>, Integer)] the name of a field, a token or those of a phrase, the slop
      # @return [Array(Boolean, Array)] whether a key is cached, and its counts; nil for a key that no document contains
      def find(key)
        generation, counts = get(key)
        return [false, nil] if generation.nil?
        return [true, counts] if generation == @touched.generation

        numbers = @touched.since(generation)
        return [false, nil] if numbers.nil?

        counts = patched(counts, numbers, @touched.matches(key, numbers))
        set(key, counts)
        [true, counts]
      end

      # Cache the counts of a key.
      #
      # @param key [Array(String, Array<String>, Integer)]
      # @param counts [Array(Array<Integer>, Array<Numeric>, Array<Integer>), nil]
      # @return [void]
      def keep(key, counts)
        set(key, counts)
      end

      private

      def size_of(counts)
        BYTES_PER_KEY + (counts ? BYTES_PER_DOCUMENT * counts[0].size : 0)
      end

      # Return counts after a change of some documents, given those of them that contain the token or the phrase now.
      def patched(counts, touched, matches)
        return matches.empty? ? nil : matches.transpose if counts.nil?

        gone = touched.filter_map { |number| place_of(counts[0], number) }
        return counts if gone.empty? && matches.empty?

        columns = counts.map(&:dup)
        gone.reverse_each { |place| columns.each { |column| column.delete_at(place) } }
        matches.each do |match|
          place = columns[0].bsearch_index { |slot| slot > match[0] } || columns[0].size
          columns.zip(match) { |column, value| column.insert(place, value) }
        end
        columns[0].empty? ? nil : columns
      end

      def place_of(slots, number)
        place = slots.bsearch_index { |slot| slot >= number }
        place if place && slots[place] == number
      end
    end
  end
end
