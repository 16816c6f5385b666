# frozen_string_literal: true

module HybridSearch
  module Fusions
    # A param of a fusion method.
    class MethodParam
      include Base::Value

      # @return [String] the option of a retrieval that sets it
      attr_reader :option
      # @return [Object] its default value
      attr_reader :default
      # @return [#call] takes the argument's name, for the message, and the value; returns the checked value
      attr_reader :check

      def initialize(option:, default:, check:)
        @option = option
        @default = default
        @check = check
        freeze
      end
    end

    # A fusion method (FUS-1).
    class FusionMethod
      include Base::Value

      # @return [#call] takes ranked lists, the params and the normalizer; returns the fused list in ORD-1 order
      attr_reader :fuse
      # @return [Hash{String=>MethodParam}] the params by name
      attr_reader :params
      # @return [#call, nil] takes a text leg and a dense leg, both valid and in ORD-1 order, and returns their
      #   contributions; nil for a method that does not compare the scores of their first hundred documents
      attr_reader :legs

      def initialize(fuse:, params:, legs: nil)
        @fuse = fuse
        @params = params.freeze
        @legs = legs
        freeze
      end
    end
  end
end
