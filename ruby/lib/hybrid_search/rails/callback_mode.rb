# frozen_string_literal: true

module HybridSearch
  module Rails
    # The way in which callbacks handle changed records, in a block of {Rails.callbacks} or by the macro.
    module CallbackMode
      ALL = ["bulk", "inline", "async", "queue", false].freeze
      KEY = :hybrid_search_callbacks
      @of_tests = nil
      private_constant :ALL, :KEY

      module_function

      # @param mode [Symbol, String, Boolean]
      # @return [Object] the value of the block
      # @raise [InvalidInputError] the mode is unknown
      def use(mode)
        accepted = accept("mode", mode, ALL)
        before = ::Thread.current[KEY]
        collected = accepted == :bulk ? ChangeQueue.new : nil
        ::Thread.current[KEY] = [accepted, collected]
        yield
      ensure
        ::Thread.current[KEY] = before if accepted != nil # rubocop:disable Style/NonNilCheck -- false is a mode
        collected&.write
      end

      # @return [Array<Object>, nil] the mode of the surrounding block, and the queue that collects its changes; nil:
      #   the mode of the model counts
      def current
        ::Thread.current[KEY] || @of_tests
      end

      # @param mode [Symbol, Boolean, nil] the mode of all models in tests, outside of a block; nil: the mode of each
      #   model
      # @return [void]
      def of_tests=(mode)
        @of_tests = mode.nil? ? nil : [accept("mode", mode, ALL), nil]
      end

      # @param name [String] the name of the value in messages
      # @param value [Object]
      # @param modes [Array<String, Boolean>]
      # @return [Symbol, Boolean]
      # @raise [InvalidInputError] the mode is unknown
      def accept(name, value, modes)
        plain = value.is_a?(::Symbol) ? value.to_s : value
        return plain == false ? false : plain.to_sym if modes.include?(plain)

        shown = modes.map { |mode| mode ? ":#{mode}" : "false" }.join(", ")
        raise InvalidInputError, "#{name} must be one of #{shown}, not #{Base::Validation.describe(value)}"
      end
    end
  end
end
