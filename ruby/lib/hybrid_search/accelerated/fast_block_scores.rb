# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # Finds the blocks that are nearest to a query (CNV-3). From the second question on, a {FastDenseIndex::Screen}
    # selects those that can be among the best, with a bounded error. Only they get the exact sum of NUM-2.
    class FastBlockScores
      include Base::ShortInspect

      Screen = FastDenseIndex::Screen
      FEWEST_SCREENED = 256
      MUCH_FEWER = 5
      SMALLEST_SCREENED = 1e-15
      LARGEST_SCREENED = 1e15
      private_constant :Screen, :FEWEST_SCREENED, :MUCH_FEWER, :SMALLEST_SCREENED, :LARGEST_SCREENED

      # @param rows [Convergence::VectorRows] the vectors
      def initialize(rows)
        @rows = rows
        @plain = Convergence::BlockScores.new(rows)
        @lock = Thread::Mutex.new
        @asked = false
        @screen = nil
        @norms = []
      end

      # @param query [Array<Float>]
      # @param limit [Integer]
      # @param candidates [Array<Integer>, nil]
      # @return [Array<Array(Integer, Float)>]
      # @see Convergence::BlockScores#best
      def best(query, limit, candidates = nil)
        counted = candidates ? candidates.size : @rows.size
        norm = Base::Numeric.norm(query)
        few = counted <= limit || @rows.size < FEWEST_SCREENED || counted * MUCH_FEWER <= @rows.size
        return @plain.best(query, limit, candidates) if few || !sound?(norm) || !screened?

        @plain.best(query, limit, worth(query, norm, limit, candidates || (0...@rows.size).to_a))
      end

      private

      # Return whether the screen exists; it is made for the second question.
      def screened?
        @lock.synchronize do
          make_screen if @asked && @screen.nil?
          @asked = true
          !@screen.nil?
        end
      end

      def make_screen
        screen = Screen.new(@rows.dimension)
        norms = []
        (0...@rows.size).each_slice(FastDenseIndex::MOST_AT_ONCE) do |rows|
          vectors = rows.map { |row| @rows.row(row) }
          norms.concat(vectors.map { |vector| Base::Numeric.norm(vector) })
          screened = norms.last(rows.size).map { |norm| sound?(norm) ? norm : 0.0 }
          odd = [nil] * (rows.size % 2) # a screen takes an even number of rows
          screen = screen.with(vectors + odd, screened + odd.map { 0.0 })
        end
        @norms = norms
        @screen = screen
      end

      def sound?(norm)
        norm > SMALLEST_SCREENED && norm < LARGEST_SCREENED
      end

      # Return the rows that may be among the best. The sum of an unsound row is always computed.
      def worth(query, norm, limit, rows)
        estimates = @screen.estimates(query, norm)
        margin = 1 - (@screen.as_near_as(0) / 2)
        known = rows.select { |row| sound?(@norms[row]) }
        return rows if known.size <= limit

        lowest = known.map { |row| (estimates[row] - Screen::MIDDLE - margin) * @norms[row] }
        least = lowest.max(limit).last
        rows.select do |row|
          !sound?(@norms[row]) || (estimates[row] - Screen::MIDDLE + margin) * @norms[row] >= least
        end
      end
    end
  end
end
