# frozen_string_literal: true

module HybridSearch
  module Stores
    module Snapshot
      # The frequency of a phrase in a document (DOC-3).
      #
      # The *place* of a token is its position in the field minus its position in the phrase. In an exact match, all
      # tokens have the same place. The *distance* of a match is the highest place minus the lowest: as in Lucene, an
      # additional word costs 1, and two neighbours in the wrong order cost 2.
      module PhraseMatcher
        module_function

        # @param positions [Array<Array<Integer>>] for each token of the phrase, its positions in the field, ascending;
        #   none is empty
        # @return [Integer] the number of times that the tokens follow one another in order
        def exact_frequency(positions)
          starts = positions[0]
          offset = 1
          while offset < positions.size
            starts &= positions[offset].map { |place| place - offset }
            offset += 1
          end
          starts.size
        end

        # Return the sum of `1 / (1 + distance)` over the matches with a distance of at most `slop`.
        #
        # Matches are found in one pass. Every token begins at its first position. The token with the lowest place (on a
        # tie the first in the phrase) moves forward until it is past the second-lowest place, or has no more positions.
        # The smallest distance during this move is one match. Then the token with the lowest place moves, until one has
        # no more positions. If a phrase contains a token twice, both at the same position do not match.
        #
        # @param positions [Array<Array<Integer>>] for each token of the phrase (two or more), its positions in the
        #   field, ascending; none is empty
        # @param slop [Integer] the maximum distance of a match
        # @param repeats [Boolean] whether the phrase contains a token twice
        # @return [Float]
        def sloppy_frequency(positions, slop, repeats)
          count = positions.size
          # A heap of place · count + token: the first entry is the token with the lowest place, on a tie the first in
          # the phrase.
          queue = positions.each_with_index.map { |list, index| ((list[0] - index) * count) + index }.sort
          highest = queue[-1].div(count)
          cursors = Array.new(count, 0)
          crowd = repeats ? Crowd.new(positions) : nil
          frequency = 0.0
          loop do
            place, lowest = queue[0].divmod(count)
            other = queue[1, 2].min.div(count) # one of these two is the second-lowest entry of a heap
            list = positions[lowest]
            cursor = cursors[lowest]
            shortest = -1
            exhausted = false
            loop do
              distance = highest - place
              shortest = distance if (shortest.negative? || distance < shortest) && !crowd&.shared?
              cursor += 1
              exhausted = cursor == list.size
              break if exhausted

              crowd&.move(place + lowest, list[cursor])
              place = list[cursor] - lowest
              break if place > other
            end
            frequency += 1.0 / (1.0 + shortest) if shortest >= 0 && shortest <= slop
            return frequency if exhausted

            cursors[lowest] = cursor
            highest = place if place > highest
            replace_first(queue, (place * count) + lowest)
          end
        end

        # Replace the first and lowest entry of a heap by a number, and restore the order of the heap.
        def replace_first(heap, number)
          hole = 0
          size = heap.size
          while (child = (2 * hole) + 1) < size
            child += 1 if child + 1 < size && heap[child + 1] < heap[child]
            break if heap[child] >= number

            heap[hole] = heap[child]
            hole = child
          end
          heap[hole] = number
        end
        private_class_method :replace_first

        # The number of positions that several tokens share, updated as tokens move.
        class Crowd
          include Base::ShortInspect

          def initialize(positions)
            @tokens = Array.new(positions.map(&:last).max + 1, 0)
            positions.each { |list| @tokens[list[0]] += 1 }
            @shared = @tokens.count { |tokens| tokens > 1 }
          end

          # @return [Boolean] whether there are such positions
          def shared?
            @shared.positive?
          end

          # Move a token from one position to another.
          #
          # @return [void]
          def move(before, after)
            left = @tokens[before] - 1
            @tokens[before] = left
            @shared -= 1 if left == 1
            there = @tokens[after] + 1
            @tokens[after] = there
            @shared += 1 if there == 2
          end
        end
        private_constant :Crowd
      end
    end
  end
end
