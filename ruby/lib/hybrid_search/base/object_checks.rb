# frozen_string_literal: true

module HybridSearch
  module Base
    # Checks that objects passed to a constructor have the methods that will be called on them (ERR-3).
    module ObjectChecks
      module_function

      # @param name [String] the argument
      # @param value [Object] the value to check
      # @param kind [Class] one of the library's classes
      # @param accepted [String] the accepted values, for the message
      # @return [Object] the value, an instance of that class
      # @raise [InvalidInputError] the value is not an instance of the class
      def instance(name, value, kind, accepted)
        if kind === value # rubocop:disable Style/CaseEquality -- `is_a?` is a method that not every value has
          return value
        end

        raise Validation.failure(name, value, accepted)
      end

      # @param name [String] the argument
      # @param value [Object] the value to check
      # @param methods [Array<String>] the methods that will be called on it
      # @param accepted [String] the accepted values, for the message
      # @return [Object] the value, which has all of the methods; its class does not matter
      # @raise [InvalidInputError] the value is a class, or lacks one of the methods. If it has some of them, the
      #   message names those that it lacks
      def having(name, value, methods, accepted)
        missing = methods.reject { |method| has?(value, method) }
        return value if missing.empty?

        raise failure(name, value, accepted, missing.size == methods.size ? [] : missing)
      end

      # @return [Error] the error for an object that is not accepted, with the methods that it lacks
      def failure(name, value, accepted, missing)
        wrong = Validation.failure(name, value, accepted)
        missing.empty? ? wrong : wrong.class.new("#{wrong.message}, which has no #{missing.join(", ")}")
      end

      # @param methods [Array<String>]
      # @return [Boolean] whether a value can be called, or has at least one of the methods
      def able?(value, methods = [])
        ["call", *methods].any? { |method| has?(value, method) }
      end

      # @return [Boolean] whether a value has a method. Data and classes have no methods that count, nor has a value
      #   that cannot be asked; a module has its own methods, as RubyLLM does. Methods that every object has, such as
      #   `method`, do not count
      def has?(value, name)
        ::Kernel === value && (module?(value) || !data?(value)) && value.respond_to?(name) && # rubocop:disable Style/CaseEquality
          !of_every_object?(value, name)
      end

      def of_every_object?(value, name)
        ::Kernel.method_defined?(name) && ::Kernel.instance_method(:method).bind_call(value, name).owner == ::Kernel
      end
      private_class_method :of_every_object?

      def module?(value)
        ::Module === value && !(::Class === value) # rubocop:disable Style/CaseEquality
      end
      private_class_method :module?

      # @return [Boolean] whether messages can describe the value as data
      def data?(value)
        !Validation.foreign?(value)
      end
      private_class_method :data?

      # Makes an object part of a key, compared by identity; the key keeps the object alive.
      #
      # A method is the same as long as its object and its definition are.
      class Same
        include ShortInspect

        # @param value [Object]
        def initialize(value)
          @value = value
        end

        # @return [Boolean]
        def eql?(other)
          other.is_a?(Same) && (value.equal?(other.value) || (method? && value == other.value))
        end
        alias == eql?

        # @return [Integer]
        def hash
          method? ? value.hash : value.__id__.hash
        end

        protected

        attr_reader :value

        private

        def method?
          ::Method === value # rubocop:disable Style/CaseEquality -- `is_a?` is a method that not every value has
        end
      end
    end
  end
end
