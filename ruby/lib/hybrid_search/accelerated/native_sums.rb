# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # Finds the best sums of the scores of clauses (DOC-3, DOC-9) with the native kernels: the sums of all documents
    # that match, each from left to right.
    class NativeSums < BestSums
      # @param slots [Integer] the number of slots; all slots are below
      def initialize(slots)
        super(slots, [], [])
        @native = Base::Kernels.native
      end

      # @param matched [Array<Array(Float, Posting)>] as for {BestSums#best}
      # @param limit [Integer] as for {BestSums#best}
      # @param counted [String, nil] as for {BestSums#best}
      # @return [Array(Array<Integer>, Array<Float>)] the slots and scores of documents that match, among them the best
      #   `limit` with all ties of the last, in no order
      def best(matched, limit, counted)
        clauses = matched.map { |boost, posting| [boost, packed(posting)] }
        @native.best_sums(clauses, @slots, limit, counted)
      end

      # @return [nil] these kernels take all sums at once
      def near(_matched, _counted)
        nil
      end

      # @param alternatives [Array<Array<Posting>>] as for {BestSums#enough}
      # @param required [Integer] as for {BestSums#enough}
      # @param allowed [String, nil] as for {BestSums#enough}
      # @return [String] for each slot a byte, 1 if it counts and matches enough alternatives
      def enough(alternatives, required, allowed)
        groups = alternatives.each_with_index.flat_map do |postings, group|
          postings.map { |posting| [group, packed(posting)] }
        end
        @native.enough_groups(groups, required, @slots, allowed)
      end

      private

      def packed(posting)
        posting.packed { |slots, scores| @native.const_get(:Posting).new(slots, scores) }
      end
    end
  end
end
