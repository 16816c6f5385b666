# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # Approximate sums of the scores of some common clauses for every document, never too low (DOC-3).
    #
    # The scores of a clause are one large Integer with a lane of seven bits for each slot, so that one addition serves
    # all documents. Written in base 128, as `pack("w")` does, the sum is a String with a byte for each slot.
    class CommonSums
      include Base::ShortInspect

      LARGEST = 127
      # The number that is added to all bytes in base 128 except the last.
      CONTINUED = 128
      # The numbers of steps that one unit of a lane may represent.
      UNITS = [2, 1, 0, -1, -2].map { |bits| Posting::STEPS.to_i >> bits }.freeze

      # @param postings [Array<Posting>]
      # @return [Integer, nil] the number of steps that one unit of a lane represents, so that no sum is above
      #   {LARGEST}; nil if even the largest unit is too small
      def self.unit(postings)
        UNITS.find do |unit|
          postings.inject(0) { |sum, posting| sum + posting.lane_of(posting.highest_step, unit) } <= LARGEST
        end
      end

      # @return [Integer] the number of steps that one unit of a lane represents
      attr_reader :unit
      # @return [String] for each slot, from the second byte on, {CONTINUED} and its sum
      attr_reader :bytes

      # @param postings [Array<Posting>] at least one; a unit must exist for them
      # @param slots [Integer] the number of slots
      def initialize(postings, slots)
        @unit = CommonSums.unit(postings) || 0
        lanes = postings.map { |posting| posting.lanes(@unit, slots) }
        @bytes = [lanes.inject { |sum, one| sum + one }].pack("w")
      end

      # @return [Integer] the steps of a byte whose sum is 0
      def nothing
        CONTINUED * @unit
      end

      # @param least [Integer] a number of steps, above 0
      # @return [Array<Integer>] the slots whose sum is at least `least`, ascending
      def slots_with(least)
        lowest = CONTINUED + ((least + @unit - 1) / @unit)
        return [] if lowest > CONTINUED + LARGEST

        at_least = Regexp.new(format("[\\x%02x-\\xff]", lowest), Regexp::NOENCODING)
        found = []
        place = 0
        found << (place - 1) while (place = @bytes.index(at_least, place + 1))
        found
      end
    end
  end
end
