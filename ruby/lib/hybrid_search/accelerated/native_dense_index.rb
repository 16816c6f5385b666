# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # Finds exact nearest neighbours by cosine (DOC-3, NUM-3) with the native kernels; the interface and the guarantees
    # are those of {FastDenseIndex}.
    #
    # The rows are in memory of the native gem, which never moves them, so that a search needs no lock. A screen of
    # whole steps selects the rows that can be among the best; they get the exact sum of NUM-2 (docs/native.md).
    class NativeDenseIndex
      include Base::ShortInspect

      # @param dimension [Integer] the number of components of a vector
      def initialize(dimension)
        @rows = Base::Kernels.native.const_get(:Rows).new(dimension)
        @used = 0
        @row_of = {}
        @living = LivingSlots.new
      end

      # @param living [LivingSlots] the slots that contain a document after the change
      # @param added [Array<Array(Integer, Array<Float>, Float)>] slot, vector and norm of new documents, in ascending
      #   slots that are higher than all before
      # @return [NativeDenseIndex] the index after a change
      def changed(living, added)
        index = dup
        index.apply(living, added)
        index
      end

      # @return [Array<Float>, nil] the vector of a document
      def vector(slot)
        row = @row_of[slot]
        row && @rows.vector(row)
      end

      # @param vector [Array<Float>] the query
      # @param limit [Integer] the maximum number of wanted documents; 0 or more
      # @param similarity [Float, nil] the lowest cosine that counts
      # @param allowed [String, nil] for each slot a byte, 1 if it counts; nil if all do
      # @return [Array(Array<Integer>, Array<Float>)] the slots and cosines of the best `limit` documents with all ties
      #   of the last, in no order
      def best(vector, limit, similarity, allowed)
        @rows.nearest(@used, vector, Base::Numeric.norm(vector), limit, similarity, @living.mask, allowed)
      end

      protected

      def apply(living, added)
        @living = living
        added.each do |slot, vector, norm|
          @rows.put(@used, slot, vector, norm)
          @row_of[slot] = @used
          @used += 1
        end
      end
    end
  end
end
