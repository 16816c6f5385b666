# frozen_string_literal: true

module HybridSearch
  # How often a phrase is in a document (DOC-3).
  #
  # The *place* of a token is its position in the field minus its position in the phrase: an exact phrase has all tokens
  # at one place. The *distance* of a match is the highest place minus the lowest, so that a word too many costs 1 and
  # two neighbours in the wrong order cost 2, as in Lucene.
  module PhraseMatcher
    module_function

    # @param positions [Array<Array<Integer>>] of each token of the phrase, its positions in the field, ascending; none
    #   is empty
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
    # Matches are found in one pass: every token begins at its first position. The token with the lowest place (of equal
    # ones the first in the phrase) moves on until it is past the lowest of the others, or has no more positions; the
    # smallest distance on the way is one match. Then the token that is now the lowest moves, until one has no more
    # positions. Where a phrase holds a token twice, both at the same position is no match.
    #
    # @param positions [Array<Array<Integer>>] of each token of the phrase (two or more), its positions in the field,
    #   ascending; none is empty
    # @param slop [Integer] the largest distance that counts
    # @param repeats [Boolean] whether the phrase holds a token twice
    # @return [Float]
    def sloppy_frequency(positions, slop, repeats)
      cursors = Array.new(positions.size, 0)
      places = positions.each_with_index.map { |list, index| list[0] - index }
      frequency = 0.0
      loop do
        lowest = lowest_of(places, -1)
        other = places[lowest_of(places, lowest)]
        highest = places.max
        shortest = -1
        exhausted = false
        loop do
          distance = highest - places[lowest]
          shortest = distance if (shortest.negative? || distance < shortest) && !(repeats && collide?(places))
          cursors[lowest] += 1
          exhausted = cursors[lowest] == positions[lowest].size
          break if exhausted

          places[lowest] = positions[lowest][cursors[lowest]] - lowest
          break if places[lowest] > other
        end
        frequency += 1.0 / (1.0 + shortest) if shortest >= 0 && shortest <= slop
        return frequency if exhausted
      end
    end

    def lowest_of(places, without)
      best = -1
      places.each_with_index do |place, index|
        best = index if index != without && (best.negative? || place < places[best])
      end
      best
    end
    private_class_method :lowest_of

    def collide?(places)
      positions = places.each_with_index.map { |place, index| place + index }
      positions.uniq.size < positions.size
    end
    private_class_method :collide?
  end
end
