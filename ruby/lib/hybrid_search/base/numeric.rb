# frozen_string_literal: true

module HybridSearch
  module Base
    # All arithmetic that scores depend on (NUM-1 … NUM-5).
    #
    # Every sum starts at 0.0 and runs from left to right. No sum is re-associated, so that another language that takes
    # the same steps gets the same bits.
    module Numeric
      LONGEST_DECIMAL = 50
      # The number of digits before the point from which a decimal counts as infinite.
      INFINITE_MAGNITUDE = 309
      # The magnitude up to which a decimal counts as zero.
      ZERO_MAGNITUDE = -323
      DECIMAL = /\A([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?\z/
      private_constant :LONGEST_DECIMAL, :DECIMAL, :INFINITE_MAGNITUDE, :ZERO_MAGNITUDE

      # glibc's constants: log10(2) in two parts, and 1/ln(10).
      LOG10_2_LOW = 3.69423907715893078616e-13
      LOG10_2_HIGH = 3.01029995663611771306e-01
      INVERSE_LN_TEN = 4.34294481903251816668e-01
      private_constant :LOG10_2_LOW, :LOG10_2_HIGH, :INVERSE_LN_TEN

      # Python writes a double without exponent below 10^16, Ruby below 10^15.
      LARGEST_FIXED_EXPONENT = 15
      private_constant :LARGEST_FIXED_EXPONENT

      module_function

      # @param values [Enumerable<Float>]
      # @return [Float] the left-to-right sum, starting at 0.0 (NUM-2)
      def sum_left(values)
        total = 0.0
        values.each { |value| total += value }
        total
      end

      # @param left [Array<Float>]
      # @param right [Array<Float>] of the same length
      # @return [Float] the left-to-right dot product (NUM-2)
      # @raise [DimensionMismatchError] the vectors differ in length
      def dot(left, right)
        if left.size != right.size
          raise DimensionMismatchError, "vectors of #{left.size} and #{right.size} components cannot be compared"
        end

        size = left.size
        total = 0.0
        index = 0
        while index < size
          total += left[index] * right[index]
          index += 1
        end
        total
      end

      # @param value [Float] positive and finite
      # @return [Float] the common logarithm, in glibc's steps on every platform (NUM-3)
      def log10(value)
        fraction, exponent = Math.frexp(value)
        power = exponent - 1
        below_one = power.negative? ? 1 : 0
        steps = (power + below_one).to_f
        rest = Math.ldexp(fraction, 1 - below_one)
        ((steps * LOG10_2_LOW) + (INVERSE_LN_TEN * Math.log(rest))) + (steps * LOG10_2_HIGH)
      end

      # @return [Float] the Euclidean norm `sqrt(v·v)` (NUM-3)
      def norm(vector)
        Math.sqrt(dot(vector, vector))
      end

      # @return [Float] `dot / (sqrt(a·a) * sqrt(b·b))`, not clamped; 0.0 if either norm is 0 (NUM-3)
      def cosine(left, right)
        cosine_of(left, norm(left), right, norm(right))
      end

      # @return [Float] the cosine of two vectors whose norms are known (NUM-3)
      def cosine_of(left, left_norm, right, right_norm)
        return 0.0 if left_norm.zero? || right_norm.zero?

        dot(left, right) / (left_norm * right_norm)
      end

      # @return [Array<Float>] `v_i / sqrt(v·v)`; a vector of norm 0 is returned unchanged (NUM-3)
      def normalize(vector)
        length = norm(vector)
        return vector.dup if length.zero?

        vector.map { |value| value / length }
      end

      # @return [Float] the left-to-right sum divided by the count; 0.0 for no values
      def mean(values)
        values.empty? ? 0.0 : sum_left(values) / values.size
      end

      # Return the softmax at a temperature: x = s/T, e = exp(x - max x), e / left-to-right sum of e (NUM-3).
      #
      # @param scores [Array<Float>]
      # @param temperature [Float] above 0
      # @return [Array<Float>]
      # @raise [InvalidInputError] the temperature is not above 0
      def softmax(scores, temperature)
        unless temperature.positive?
          raise InvalidInputError, "temperature must be above 0, not #{shortest(temperature)}"
        end
        return [] if scores.empty?

        scaled = scores.map { |score| score / temperature }
        highest = scaled.max
        exponentials = scaled.map { |value| Math.exp(value - highest) }
        total = sum_left(exponentials)
        exponentials.map { |value| value / total }
      end

      # @return [String] the 16 hex digits of a double, most significant first
      def to_bits(value)
        [value].pack("G").unpack1("H*")
      end

      # @return [Float] the double of 16 hex digits (the inverse of {to_bits})
      def from_bits(bits)
        [bits].pack("H*").unpack1("G")
      end

      # @return [Integer] the distance of two finite doubles, counted in doubles; 0 if they are equal (also -0.0 and
      #   0.0)
      def ulp_distance(left, right)
        (position(left) - position(right)).abs
      end

      # Return the text of a double in a query string, as Python's `repr(float)` writes it (NUM-5).
      #
      # @return [String] `1e-05` and not `1.0e-05`
      def shortest(value)
        text = value.to_f.to_s
        return text.downcase.delete_suffix("inity") if text.end_with?("Infinity")
        return "nan" if text == "NaN"

        mantissa, exponent = text.split("e")
        return text unless exponent

        number = exponent.to_i
        return fixed_point(mantissa, number) if number == LARGEST_FIXED_EXPONENT

        sign = number.negative? ? "-" : "+"
        "#{mantissa.delete_suffix(".0")}e#{sign}#{number.abs.to_s.rjust(2, "0")}"
      end

      # @return [String] the text of a double with four decimals, as Python's `%.4f` writes it (NUM-5)
      def fixed4(value)
        fixed(value, 4)
      end

      # @return [String] the text of a double with one decimal, for seconds in messages, as Python's `%.1f` writes it
      #   (NUM-5)
      def fixed1(value)
        fixed(value, 1)
      end

      # Round once, from the exact value of the double: `format` rounds some values twice, and treats 0.65 as a half.
      def fixed(value, decimals)
        return shortest(value) unless value.to_f.finite?

        units = (value.to_r * (10**decimals)).round(half: :even)
        sign = value.to_f.to_s.start_with?("-") ? "-" : ""
        whole, fraction = units.abs.divmod(10**decimals)
        "#{sign}#{whole}.#{fraction.to_s.rjust(decimals, "0")}"
      end

      # @return [Integer] the nearest integer, halves to the even one
      def round_half_even(value)
        value.round(half: :even)
      end

      # Return the double of an ASCII decimal number of at most 50 characters (`0.05`, `.5`, `-1e-3`). Blanks around the
      # number are allowed. From 1e308 on a number counts as infinite, below 1e-323 as zero.
      #
      # @param text [String] valid UTF-8
      # @return [Float, nil] nil for any other text
      def parse_decimal(text)
        first = text.index(/[^ ]/)
        trimmed = first ? text[first..text.rindex(/[^ ]/)] : ""
        match = trimmed.length <= LONGEST_DECIMAL ? DECIMAL.match(trimmed) : nil
        return nil unless match

        sign, whole, fraction, exponent = match.captures.map(&:to_s)
        return nil if whole.empty? && fraction.empty?

        factor = sign == "-" ? -1.0 : 1.0
        magnitude = decimal_magnitude(whole.sub(/\A0+/, ""), fraction, exponent.to_i)
        return factor * 0.0 unless magnitude
        return factor * Float::INFINITY if magnitude >= INFINITE_MAGNITUDE

        "#{sign}0#{whole}.#{fraction}0e#{exponent.to_i}".to_f
      end

      # @return [Boolean] whether `value` is an integer or a float
      def number?(value)
        value.is_a?(::Integer) || value.is_a?(::Float)
      end

      # @return [Integer, nil] the m of 10^(m-1) <= value < 10^m; nil for a value that counts as zero
      def decimal_magnitude(whole, fraction, exponent)
        significant = fraction.sub(/\A0+/, "")
        return nil if whole.empty? && significant.empty?

        magnitude = exponent + (whole.empty? ? significant.length - fraction.length : whole.length)
        magnitude <= ZERO_MAGNITUDE ? nil : magnitude
      end
      private_class_method :decimal_magnitude

      # @return [String] a number of 10^15 and more without exponent, as Python writes it below 10^16
      def fixed_point(mantissa, exponent)
        sign = mantissa.start_with?("-") ? "-" : ""
        digits = mantissa.delete("-.").ljust(exponent + 1, "0")
        whole = digits[0, exponent + 1]
        fraction = digits[(exponent + 1)..]
        fraction = "0" if fraction.empty?
        "#{sign}#{whole}.#{fraction}"
      end
      private_class_method :fixed_point

      # @return [Integer] the position of a double in the sequence of all doubles
      def position(value)
        number = [value].pack("G").unpack1("q>")
        number.negative? ? -(number & 0x7FFF_FFFF_FFFF_FFFF) : number
      end
      private_class_method :position
    end
  end
end
