# frozen_string_literal: true

module HybridSearch
  module Readers
    # One record from a file, or the reason why there is none (FIL-3).
    class FileRecord
      include Base::Value

      # @return [String] the path of the file
      attr_reader :path
      # @return [Integer] its number in the file, from 1: of a line, a row or a chunk; 0 for the whole file
      attr_reader :number
      # @return [Hash{String=>Object}, nil] the record, if there is one
      attr_reader :record
      # @return [String] the line of an invalid record
      attr_reader :text
      # @return [String] the reason why there is no record
      attr_reader :reason

      def initialize(path:, number:, record: nil, text: "", reason: "")
        @path = path
        @number = number
        @record = record
        @text = text
        @reason = reason
        freeze
      end

      # @return [String] its place, for messages
      def place
        number.zero? ? path : "#{path}:#{number}"
      end
    end
  end
end
