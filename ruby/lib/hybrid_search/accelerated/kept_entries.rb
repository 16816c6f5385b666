# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # A bounded cache that each state of the tables hands to the next one (SQL-5, PG-5).
    #
    # Each entry has the step of the state for which it was made; the oldest make room. Several threads may use it at
    # once without a lock, so the size is only approximate. Subclasses have `size_of(value)`, the size of an entry in
    # bytes.
    #
    # @abstract
    class KeptEntries
      include Base::ShortInspect

      # @param memory [Integer] the maximum number of bytes
      # @param touched [TouchedDocuments] the documents that have changed since entries were made
      # @param entries [Hash] the entries that an earlier state has cached
      # @param size [Integer] their number of bytes
      def initialize(memory, touched, entries = {}, size = 0)
        @memory = memory
        @touched = touched
        @kept = entries
        @size = size
      end

      # @param touched [TouchedDocuments] the documents that have changed, among them those since this state
      # @return [KeptEntries] the cache of a later state
      def after(touched)
        self.class.new(@memory, touched, @kept.dup, @size)
      end

      private

      # Cache an entry of this state.
      def set(key, value)
        forget(key)
        @kept[key] = [@touched.step, value]
        @size += size_of(value)
        forget(@kept.first&.first) while @size > @memory && !@kept.empty?
      end

      def forget(key)
        known = @kept.delete(key)
        @size -= size_of(known[1]) if known
      end
    end
  end
end
