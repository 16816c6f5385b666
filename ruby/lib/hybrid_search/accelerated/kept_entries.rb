# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # A bounded cache that all states of the tables share (SQL-5, PG-5).
    #
    # Each entry has the generation for which it was made; the oldest make room. An earlier state does not use the
    # entries of later ones, and a later state updates those of earlier ones. Several threads may use it at once without
    # a lock, so the size is only approximate. Subclasses have `size_of(value)`, the size of an entry in bytes.
    #
    # @abstract
    class KeptEntries
      include Base::ShortInspect

      # @param memory [Integer] the maximum number of bytes
      # @param touched [TouchedDocuments] the documents that have changed since entries were made
      def initialize(memory, touched)
        @touched = touched
        @kept = {}
        @room = Room.new(memory)
      end

      # @param touched [TouchedDocuments] the documents that have changed, among them those since this state
      # @return [KeptEntries] the cache in a later state
      def after(touched)
        dup.tap { |later| later.touched = touched }
      end

      protected

      attr_writer :touched

      private

      # Return an entry of this state or an earlier one: its generation and its value; nil if it is not cached.
      def get(key)
        known = @kept[key]
        known if known && known[0] <= @touched.generation
      end

      # Cache an entry of this state.
      def set(key, value)
        forget(key)
        @kept[key] = [@touched.generation, value]
        @room.used += size_of(value)
        forget(@kept.first&.first) while @room.full? && !@kept.empty?
      end

      def forget(key)
        known = @kept.delete(key)
        @room.used -= size_of(known[1]) if known
      end
    end
  end
end
