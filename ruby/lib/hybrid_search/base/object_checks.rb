# frozen_string_literal: true

module HybridSearch
  module Base
    # Checks of the objects that are put together, where they are given (ERR-3): what is called of them is there.
    module ObjectChecks
      module_function

      # @param name [String] the argument
      # @param value [Object] what was given
      # @param kind [Class] a class of ours
      # @param accepted [String] what is accepted, for the message
      # @return [Object] an object of that class
      # @raise [InvalidInputError] anything else
      def instance(name, value, kind, accepted)
        if kind === value # rubocop:disable Style/CaseEquality -- `is_a?` is a method that not every value has
          return value
        end

        raise Validation.failure(name, value, accepted)
      end

      # @param name [String] the argument
      # @param value [Object] what was given
      # @param methods [Array<String>] what is called of it
      # @param accepted [String] what is accepted, for the message
      # @return [Object] an object with all of the methods, whatever its class
      # @raise [InvalidInputError] a class, or an object without one of them; the message names those that one with
      #   others has not
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
      # @return [Boolean] whether something can be called, or has one of some methods
      def able?(value, methods = [])
        ["call", *methods].any? { |method| has?(value, method) }
      end

      # @return [Boolean] whether there is such a method; data and classes have none that count, nor has a value that
      #   cannot tell; modules have those of their own, as RubyLLM has
      def has?(value, name)
        ::Kernel === value && (module?(value) || !data?(value)) && value.respond_to?(name) # rubocop:disable Style/CaseEquality
      end

      def module?(value)
        ::Module === value && !(::Class === value) # rubocop:disable Style/CaseEquality
      end
      private_class_method :module?

      # @return [Boolean] whether messages have a word for it
      def data?(value)
        !Validation.foreign?(value)
      end
      private_class_method :data?

      # An object as part of a key: another one is another key, and who keeps the key keeps the object.
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
