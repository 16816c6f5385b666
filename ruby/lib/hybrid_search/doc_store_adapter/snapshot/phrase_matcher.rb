# frozen_string_literal: true

module HybridSearch
  module Stores
    module Snapshot
      # How often a phrase is in a document (DOC-3).
      #
      # The *place* of a token is its position in the field minus its position in the phrase: an exact phrase has all
      # tokens at one place. The *distance* of a match is the highest place minus the lowest, so that a word too many
      # costs 1 and two neighbours in the wrong order cost 2, as in Lucene.
      module PhraseMatcher
        module_function

        # @param positions [Array<Array<Integer>>] of each token of the phrase, its positions in the field, ascending;
        #   none is empty
        # @return [Integer] how many times the tokens stand next to each other in order
        def exact_frequency(positions)
          starts = positions[0]
          offset = 1
          while offset < positions.size
            starts &= positions[offset].map { |place| place - offset }
            offset += 1
          end
          starts.size
        end

        # The sum of `1 / (1 + distance)` over the matches with a distance of at most `slop`.
        #
        # Matches are found in one pass: every token begins at its first position. The token with the lowest place (of
        # equal ones the first in the phrase) moves on until it is past the lowest of the others, or has no more
        # positions; the smallest distance on the way is one match. Then the token that is now the lowest moves, until
        # one has no more positions. Where a phrase holds a token twice, both at the same position is no match.
        #
        # @param positions [Array<Array<Integer>>] of each token of the phrase (two or more), its positions in the
        #   field, ascending; none is empty
        # @param slop [Integer] the largest distance that counts
        # @param repeats [Boolean] whether the phrase holds a token twice
        # @return [Float]
        def sloppy_frequency(positions, slop, repeats)
          count = positions.size
          # A heap of place · count + token, so the token that is the lowest comes first, of equal ones the first in the
          # phrase.
          queue = positions.each_with_index.map { |list, index| ((list[0] - index) * count) + index }.sort
          highest = queue[-1].div(count)
          cursors = Array.new(count, 0)
          crowd = repeats ? Crowd.new(positions) : nil
          frequency = 0.0
          loop do
            place, lowest = queue[0].divmod(count)
            other = queue[1, 2].min.div(count) # in a heap, one of these two is the second
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

        # Puts a number in the place of the first, the lowest one of a heap, and the heap in order.
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

        # How many positions several tokens share, kept up to date as tokens move.
        class Crowd
          include Base::ShortInspect

          def initialize(positions)
            @tokens = Array.new(positions.map(&:last).max + 1, 0)
            positions.each { |list| @tokens[list[0]] += 1 }
            @shared = @tokens.count { |tokens| tokens > 1 }
          end

          # @return [Boolean] whether there is such a position
          def shared?
            @shared.positive?
          end

          # A token leaves a position for another.
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
