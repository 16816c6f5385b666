# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # Finds exact nearest neighbours by cosine (DOC-3, NUM-3) among the vectors of one field, in one state of a store;
    # its results never change.
    #
    # Most rows are far from the query. A {Screen} estimates the cosines of all rows, with a bounded error. Only rows
    # that can be among the best get the exact sum of NUM-2. So no row of the result is missed.
    #
    # All states share the rows. A change writes after the rows that it found; only the state that {#changed} returns
    # reads there. An abandoned change leaves rows there, which the next one overwrites. Several threads may search at
    # once. Only one change at a time may be made, each from the state of the last change that was not abandoned.
    class FastDenseIndex
      include Base::ShortInspect

      # Estimates the cosines of many rows with a query. Immutable.
      #
      # Components of unit vectors are stored as whole steps of 1 / {SCALE}, in blocks of rows whose products with the
      # query are added up together.
      class Screen
        include Base::ShortInspect

        SCALE = 32_768
        MIDDLE = 1 << (IntegerLanes::BITS - 1)
        # Single floats from here to its double are whole numbers.
        SINGLE = 8_388_608.0 + SCALE
        # The bits of this float, by which a component's steps are counted.
        ZERO = [SINGLE].pack("e").unpack1("V")
        # Two blocks that are together no larger are merged, since each costs a search some calls per component.
        SMALL_BLOCK = 1024
        # A block is merged with the one before it unless that one is larger than this number of times its size.
        MOST_TIMES_LARGER = 4
        private_constant :ZERO

        # @return [Integer] the number of rows
        attr_reader :size

        # @param dimension [Integer] the number of components of a vector
        # @param lanes [Class] the form of blocks, {GmpLanes} or {IntegerLanes}; both return the same estimates
        def initialize(dimension, lanes = Gmp.usable? ? GmpLanes : IntegerLanes)
          @dimension = dimension
          @lanes = lanes
          @size = 0
          @blocks = []
          error = Math.sqrt(dimension) / 2 # the length of what rounding changes, at the most, in steps
          @margin = ((((2 * SCALE) + error) * error * 1.000001) + 2).ceil
        end

        # @param vectors [Array<Array<Float>, nil>] at least one, an even number; nil counts as zeros
        # @param norms [Array<Float>] their norms; a vector whose norm is 0.0 counts as zeros
        # @return [Screen] a screen with these rows after the present ones
        def with(vectors, norms)
          zeros = Array.new(@dimension, SINGLE)
          rows = vectors.zip(norms).map { |vector, norm| vector && norm.positive? ? steps(vector, norm) : zeros }
          screen = dup
          screen.append(@lanes.of(rows.transpose.map { |column| column.pack("e*") }, rows.size))
          screen
        end

        # @param vector [Array<Float>] the query
        # @param norm [Float] its norm, not 0.0
        # @return [Array<Integer>] an estimate of the cosine of each row, in steps of 1 / {SCALE}², where {MIDDLE} means
        #   0
        def estimates(vector, norm)
          factors = vector.map { |component| ((component * (SCALE / norm)) + 0.5).floor }
          @blocks.flat_map { |block| block.sums(factors, ZERO, MIDDLE) }
        end

        # @param cosine [Float] any number; no cosine is beyond 2
        # @return [Integer] the lowest estimate of a row with this cosine, or a higher one
        def least(cosine)
          MIDDLE + (cosine.clamp(-2.0, 2.0) * SCALE * SCALE).floor - @margin
        end

        # @param estimate [Integer] the lowest estimate of some rows
        # @return [Integer] the lowest estimate of rows that are as near as the farthest of them
        def as_near_as(estimate)
          estimate - (2 * @margin)
        end

        protected

        # Append a block. Small blocks and blocks of similar size are merged, so that each row is moved only a few
        # times.
        def append(block)
          @size += block.size
          @blocks = @blocks.dup
          block = @blocks.pop.joined(block) while @blocks.any? && merged?(@blocks[-1].size, block.size)
          @blocks << block
        end

        private

        # Return components in steps, plus {SINGLE}: as single floats they are rounded, and in their last bits whole
        # numbers.
        def steps(vector, norm)
          factor = SCALE / norm
          vector.map { |component| (component * factor) + SINGLE }
        end

        def merged?(left, right)
          both = left + right
          both <= SMALL_BLOCK || (left <= MOST_TIMES_LARGER * right && both <= @lanes::LARGEST_BLOCK)
        end
      end

      # The minimum number of rows that are screened; fewer rows wait for others.
      FEWEST_SCREENED = 64
      # The number of rows that are put into columns together, as each component is an object until then. Even.
      MOST_AT_ONCE = 1024
      # If only one row in this number may match, their exact sums are less work than screening all rows.
      MUCH_FEWER = 5
      SMALLEST_SCREENED = 1e-30
      LARGEST_SCREENED = 1e30
      FEWEST_RELEASED = 1024
      ROWS_PER_RELEASED = 8

      # @param dimension [Integer] the number of components of a vector
      # @param rows [Array<Array<Float>>] see {FastDenseIndex.of}
      # @param slots [Array<Integer>]
      # @param norms [Array<Float>]
      def initialize(dimension, rows = [], slots = [], norms = [])
        @rows = rows
        @slots = slots
        @norms = norms
        @row_of = {}
        @screen = Screen.new(dimension)
        @odd_rows = []
        @size = rows.size
        @released = 0
        @living = LivingSlots.new
      end

      # Return an index of vectors that are rows already; it cannot be changed.
      #
      # @param dimension [Integer] the number of components of a vector
      # @param rows [Array<Array<Float>>] the vectors
      # @param slots [Array<Integer>] the slot of each row's document; no two rows share a slot
      # @param norms [Array<Float>] the norm of each row
      # @return [FastDenseIndex]
      def self.of(dimension, rows, slots, norms)
        new(dimension, rows, slots, norms)
      end

      # @param living [LivingSlots] the slots that contain a document after the change
      # @param added [Array<Array(Integer, Array<Float>, Float)>] slot, vector and norm of new documents, in ascending
      #   slots that are higher than all before
      # @return [FastDenseIndex] the index after a change
      def changed(living, added)
        index = dup
        index.apply(living, added)
        index
      end

      # @return [Array<Float>, nil] the vector of a document
      def vector(slot)
        row = @row_of[slot]
        row && @rows[row]
      end

      # @param vector [Array<Float>] the query
      # @param limit [Integer] the maximum number of wanted documents, 0 or more
      # @param similarity [Float] the lowest cosine of a match
      # @param allowed [String, nil] for each slot a byte, 1 if its document may match; nil if all may
      # @return [Array(Array<Integer>, Array<Float>)] the slots and cosines of the best `limit` documents with all ties
      #   of the last, in no order
      def best(vector, limit, similarity, allowed)
        return [[], []] if limit.zero?

        query_norm = Base::Numeric.norm(vector)
        rows = worth(counted(allowed), vector, query_norm, limit, similarity)
        slots, scores = cosines(rows, vector, query_norm, similarity)
        return [slots, scores] if slots.size <= limit

        least = scores.max(limit)[-1]
        kept = slots.each_index.select { |index| scores[index] >= least }
        [kept.map { |index| slots[index] }, kept.map { |index| scores[index] }]
      end

      protected

      def apply(living, added)
        @living = living
        added.each { |slot, vector, norm| append(slot, vector, norm) }
        screen_waiting
        release
      end

      private

      def append(slot, vector, norm)
        row = @size
        @odd_rows << row unless norm.zero? || sound?(norm)
        @row_of[slot] = row
        @rows[row] = vector
        @slots[row] = slot
        @norms[row] = norm
        @size += 1
      end

      # Screen the waiting rows, up to an even number.
      def screen_waiting
        return if @size < @screen.size + FEWEST_SCREENED

        (@screen.size...(@size - (@size % 2))).each_slice(MOST_AT_ONCE) do |rows|
          norms = rows.map { |row| sound?(@norms[row]) ? @norms[row] : 0.0 }
          @screen = @screen.with(@rows[rows[0], rows.size], norms)
        end
      end

      # Release the vectors of removed documents if they are many; readers of an older state keep its list.
      def release
        return unless @living.dead - @released > [FEWEST_RELEASED, @size / ROWS_PER_RELEASED].max

        @rows = @rows.map.with_index { |vector, row| vector if row < @size && @living.holds?(@slots[row]) }
        @released = @living.dead
      end

      def sound?(norm)
        norm > SMALLEST_SCREENED && norm < LARGEST_SCREENED
      end

      # Return the rows of documents that count.
      def counted(allowed)
        slots = @slots
        living = @living.mask
        rows = 0...@size
        return rows if living.nil? && allowed.nil?
        return rows.select { |row| allowed.getbyte(slots[row]) == 1 } if living.nil?

        rows.select do |row|
          slot = slots[row]
          living.getbyte(slot) == 1 && (allowed.nil? || allowed.getbyte(slot) == 1)
        end
      end

      # Return those of the rows that may be among the best, or all of them if the bound does not hold or does not help.
      def worth(rows, vector, query_norm, limit, similarity)
        return rows if rows.size * MUCH_FEWER <= @screen.size || !sound?(query_norm)
        return rows if rows.size <= limit && similarity.nil?

        estimates = @screen.estimates(vector, query_norm)
        @odd_rows.each { |row| estimates[row] = nil }
        known = rows.is_a?(Range) && @odd_rows.empty? ? estimates : rows.filter_map { |row| estimates[row] }
        least = similarity ? @screen.least(similarity) : 0
        least = [least, @screen.as_near_as(known.max(limit)[-1])].max if known.size > limit
        rows.select do |row|
          estimate = estimates[row]
          estimate.nil? || estimate >= least
        end
      end

      def cosines(rows, vector, query_norm, similarity)
        slots = []
        scores = []
        rows.each do |row|
          score = Base::Numeric.cosine_of(vector, query_norm, @rows[row], @norms[row])
          next if similarity && score < similarity

          slots << @slots[row]
          scores << score
        end
        [slots, scores]
      end
    end
  end
end
