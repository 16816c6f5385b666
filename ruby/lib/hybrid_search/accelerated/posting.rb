# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # The documents that contain a term or a phrase, and its scores in them (DOC-3).
    class Posting
      include Base::ShortInspect

      STEPS = 65_536.0
      COMMON = 64
      LARGEST_BYTE = 255

      # The bytes of a slot with its score, and of a step.
      BYTES_PER_SLOT = 16
      BYTES_PER_STEP = 8
      private_constant :BYTES_PER_SLOT, :BYTES_PER_STEP

      # @return [Array<Integer>] their slots, ascending; at least one
      attr_reader :slots
      # @return [Float] the lowest score
      attr_reader :lowest
      # @return [Float] the highest score
      attr_reader :highest
      # @return [Integer] the number of slots of the store
      attr_reader :all_slots

      # @param slots [Array<Integer>] ascending
      # @param slot [Integer]
      # @return [Integer, nil] the place of a slot; nil if it is not there
      def self.place_in(slots, slot)
        low = 0
        high = slots.size
        while low < high
          middle = (low + high) >> 1
          if slots[middle] < slot
            low = middle + 1
          else
            high = middle
          end
        end
        slots[low] == slot ? low : nil
      end

      # @param slots [Array<Integer>] ascending, at least one
      # @param scores [Array<Float>, nil] nil if they are computed when they are needed
      # @param all_slots [Integer] the number of slots of the store
      # @param lowest [Float] the lowest score, or a lower number
      # @param highest [Float] the highest score, or a higher number
      def initialize(slots, scores, all_slots, lowest = scores.min, highest = scores.max)
        @slots = slots
        @scores = scores
        @all_slots = all_slots
        @lowest = lowest
        @highest = highest
        @common = slots.size * COMMON > all_slots
        @highest_step = nil
        @unit = nil
        @steps = nil
        @bytes = nil
        @lanes = {}
        @bytes_of_lanes = 0
        @packed = nil
      end

      # @return [Array<Float>] the score in each slot
      def scores
        @scores ||= computed_scores
      end

      # @return [Array<Float>] numbers that differ from {#scores} by at most the part {#doubt} of each
      def near_scores
        scores
      end

      # @return [Float]
      def doubt
        0.0
      end

      # @yieldparam slots [Array<Integer>]
      # @yieldparam scores [Array<Float>]
      # @return [Object] the result of the block for them, which is cached
      def packed
        @packed ||= yield(@slots, scores)
      end

      # @return [Array<Integer>] the scores in steps of 1 / {STEPS}, rounded up: whole numbers add up faster
      def steps
        @steps ||= scores.map { |score| (score * STEPS).ceil }
      end

      # @return [Integer] the highest of {#steps}
      def highest_step
        @highest_step ||= (@highest * STEPS).ceil
      end

      # @return [Integer] the number of steps of a unit of {#bytes}
      def unit
        @unit ||= @common ? [(highest_step + LARGEST_BYTE - 1) / LARGEST_BYTE, 1].max : 1
      end

      # @return [Boolean] whether enough documents contain it to store {#bytes}
      def common?
        @common
      end

      # @return [String] for each slot a byte: its steps in units of {#unit}, rounded up, 0 for a document that does not
      #   contain it; only for common terms
      def bytes
        @bytes ||= bytes_of_all
      end

      # @param unit [Integer] the number of steps that one unit of a lane represents
      # @param slots [Integer] the number of lanes
      # @return [Integer] seven bits for each slot, the first slot's the highest: the {#lane_of} of its steps. There is
      #   one more lane at both ends, so that in base 128 all have the same length
      def lanes(unit, slots)
        # A store that has grown requests more lanes, and never again fewer.
        kept = @lanes[slots]
        unless kept
          @lanes = { slots => (kept = {}) }
          @bytes_of_lanes = 0
        end
        kept[unit] ||= lanes_of_all(unit, slots).tap { |found| @bytes_of_lanes += found.size }
      end

      # @return [Integer] steps in units of `unit`, rounded up
      def lane_of(step, unit)
        (step + unit - 1) / unit
      end

      # @return [Integer] the approximate number of bytes of everything that has been computed
      def size
        values = @slots.size * (@packed ? 2 * BYTES_PER_SLOT : BYTES_PER_SLOT)
        values + (@steps ? @steps.size * BYTES_PER_STEP : 0) + (@bytes ? @bytes.bytesize : 0) + @bytes_of_lanes
      end

      # @param slot [Integer]
      # @return [Integer] the steps of a document, which need not contain it, up to {#unit} too many
      def step_at(slot)
        return (bytes.getbyte(slot) || 0) * unit if @common

        place = Posting.place_in(@slots, slot)
        place ? steps[place] : 0
      end

      # @param slot [Integer]
      # @return [Float] the score of a document, which need not contain it; 0.0 if it does not
      def score_at(slot)
        place = Posting.place_in(@slots, slot)
        place ? scores[place] : 0.0
      end

      private

      def lanes_of_all(unit, slots)
        found = steps
        bytes = "\x80".b * (slots + 2)
        @slots.each_with_index { |slot, index| bytes.setbyte(slot + 1, 128 + lane_of(found[index], unit)) }
        bytes.setbyte(0, 129)
        bytes.setbyte(slots + 1, 0)
        bytes.unpack1("w")
      end

      def bytes_of_all
        one = unit
        found = steps
        bytes = "\0".b * @all_slots
        @slots.each_with_index { |slot, index| bytes.setbyte(slot, (found[index] + one - 1) / one) }
        bytes
      end
    end
  end
end
