# frozen_string_literal: true

module HybridSearch
  # The documents that hold a term or a phrase, and what it scores in them (DOC-3).
  class Posting
    STEPS = 65_536.0
    COMMON = 16
    MUCH_LONGER = 12

    # @return [Array<Integer>] their slots, ascending; at least one
    attr_reader :slots
    # @return [Array<Float>] what it scores in each
    attr_reader :scores
    # @return [Float] the lowest score
    attr_reader :lowest
    # @return [Float] the highest score
    attr_reader :highest

    # @return [Integer] how many slots the store had
    attr_reader :all_slots

    # @param slots [Array<Integer>] ascending, at least one
    # @param scores [Array<Float>]
    # @param all_slots [Integer] how many slots the store has
    def initialize(slots, scores, all_slots)
      @slots = slots
      @scores = scores
      @all_slots = all_slots
      @lowest = scores.min
      @highest = scores.max
      @steps = nil
      @all_steps = nil
    end

    # @return [Array<Integer>] the scores in steps of 1 / {STEPS}, rounded up: whole numbers add up faster
    def steps
      @steps ||= @scores.map { |score| (score * STEPS).ceil }
    end

    # @return [Integer] the highest of {#steps}
    def highest_step
      (@highest * STEPS).ceil
    end

    # @return [Boolean] whether so many documents hold it that the steps of every slot are kept
    def common?
      @slots.size * COMMON > @all_slots
    end

    # @return [Integer] how many numbers are kept, in the end
    def size
      common? ? @slots.size + @all_slots : @slots.size
    end

    # @param slot [Integer]
    # @return [Float] what it scores in a document that need not hold it, 0.0 when it does not
    def score_at(slot)
      place = place_of(slot)
      place ? @scores[place] : 0.0
    end

    # Adds the steps of documents that need not hold it.
    #
    # @param slots [Array<Integer>]
    # @param sums [Array<Integer>] what each has so far; changed
    # @param factor [Integer] what the steps are multiplied with
    # @param room [Array<Integer>] a number for each slot, 0 at all of `slots` and of its own; it comes back as it was
    # @return [void]
    def add_steps_at(slots, sums, factor, room)
      return add_from(@all_steps ||= steps_of_all, slots, sums, factor) if common?

      if @slots.size < slots.size * MUCH_LONGER
        put(steps, room)
        add_from(room, slots, sums, factor)
        return put(nil, room)
      end
      known = steps
      index = 0
      size = slots.size
      while index < size
        place = place_of(slots[index])
        sums[index] += known[place] * factor if place
        index += 1
      end
    end

    private

    # Puts a value, or 0, at the place of each of its slots.
    def put(values, room)
      slots = @slots
      index = 0
      size = slots.size
      while index < size
        room[slots[index]] = values ? values[index] : 0
        index += 1
      end
    end

    def add_from(steps, slots, sums, factor)
      index = 0
      size = slots.size
      while index < size
        sums[index] += steps[slots[index]] * factor
        index += 1
      end
    end

    def steps_of_all
      Array.new(@all_slots, 0).tap { |all| put(steps, all) }
    end

    def place_of(slot)
      slots = @slots
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
  end
end
