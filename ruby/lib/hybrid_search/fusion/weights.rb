# frozen_string_literal: true

module HybridSearch
  module Fusions
    # Parses the weights of a weighted sum, such as "0.05,0.95" (FUS-2).
    module Weights
      module_function

      # @param value [String, Array<Float>] a text of ASCII decimal numbers (`0.05`, `.5`, `1e-3`), separated by commas
      #   with optional blanks; or a list of numbers
      # @param count [Integer] the required number of weights
      # @param name [String] the argument's name, for the message
      # @return [Array<Float>]
      # @raise [InvalidInputError] another count, another type, a negative weight, or only zeros
      def parse(value, count, name = "weights")
        accepted = "#{count} finite numbers, none negative, not all zero"
        case value
        when ::String
          accepted += ", in decimals with commas between"
          numbers = pieces(Base::Validation.text(name, value)).map { |piece| Base::Numeric.parse_decimal(piece) }
        when ::Array
          numbers = value.map { |number| finite(number) }
        else
          raise Base::Validation.failure(name, value, "#{accepted}, in decimals with commas between or in a list")
        end
        weights = numbers.select { |number| number&.finite? && !number.negative? }
        if numbers.size != count || weights.size != count || weights.all?(&:zero?)
          raise Base::Validation.failure(name, value, accepted)
        end

        weights
      end

      # @return [Float, nil] nil if it is not a finite number
      def finite(value)
        Base::Validation.number("a weight", value)
      rescue InvalidInputError
        nil
      end
      private_class_method :finite

      # @return [Array<String>] the pieces between commas; the empty text is one empty piece
      def pieces(text)
        text.empty? ? [""] : text.split(",", -1)
      end
      private_class_method :pieces
    end
  end
end
