# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # The room in bytes that the entries of a cache share.
    class Room
      include Base::ShortInspect

      # @return [Integer] the maximum number of bytes
      attr_accessor :most
      # @return [Integer] the number of bytes of the entries
      attr_accessor :used

      # @param most [Integer] the maximum number of bytes
      def initialize(most)
        @most = most
        @used = 0
      end

      # @return [Boolean] whether the entries take more
      def full?
        @used > @most
      end
    end
  end
end
