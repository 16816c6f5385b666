# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # Functions of GMP for numbers that are plain bytes, the lowest first. GMP is the library of Ruby's own large
    # Integers, with which most Rubies for Linux and macOS are built. `fiddle` of the standard library calls it.
    #
    # This needs neither a compiler nor another gem, and saves the new Integer of each step. Bytes are passed by their
    # address, which costs less than a pointer of `fiddle`; the caller keeps the pointer, so that the bytes do not move.
    # A call costs about half a microsecond in addition to the work itself.
    module Gmp
      BYTES_IN_LIMB = 8
      LOCK = Thread::Mutex.new
      private_constant :LOCK

      class << self
        # @return [Boolean] whether Ruby was built with GMP, `fiddle` is available, and the functions return correct
        #   numbers
        def usable?
          return @usable if defined?(@usable)

          LOCK.synchronize do # of two threads that load a library at once Ruby warns
            unless defined?(@usable)
              @usable = Integer.const_defined?(:GMP_VERSION) && little_endian? && listed? && found? && right?
            end
            @usable
          end
        end

        # @param bytes [String]
        # @return [Fiddle::Pointer] a pointer to the bytes, which must not change
        def pointer(bytes)
          Fiddle::Pointer[bytes]
        end

        # Add the products of numbers and factors to numbers in place; bits beyond the last limb are dropped.
        #
        # @param total [Integer] an address; the bytes are changed
        # @param limbs [Integer] the number of limbs of {BYTES_IN_LIMB} bytes of each number
        # @param numbers [Array<Integer>] addresses
        # @param factors [Array<Integer>] one factor for each number, with fewer than 64 bits
        # @return [void]
        def add_products(total, limbs, numbers, factors)
          add = @add
          subtract = @subtract
          numbers.each_with_index do |number, index|
            factor = factors[index]
            if factor.positive?
              add.call(total, number, limbs, factor)
            elsif factor.negative?
              subtract.call(total, number, limbs, -factor)
            end
          end
        end

        # Write the bits that are set in both of two numbers.
        #
        # @param target [Integer] an address; the bytes are changed
        # @param limbs [Integer] the number of limbs of each
        # @param number [Integer] an address
        # @param other [Integer] an address
        # @return [void]
        def and(target, limbs, number, other)
          @and.call(target, number, other, limbs)
        end

        private

        def little_endian?
          [1].pack("L") == [1].pack("V")
        end

        # Return whether Bundler permits `fiddle`. From Ruby 3.5 on, it lets a program load it only if its Gemfile lists
        # it, and Ruby 3.4 warns.
        def listed?
          Gem::Version.new(RUBY_VERSION) < Gem::Version.new("3.4") ||
            !defined?(::Bundler) || Gem.loaded_specs.key?("fiddle")
        end

        def found?
          require "fiddle"
          functions?(Fiddle.dlopen(nil))
        rescue LoadError # also where there is no such class of errors yet
          false
        end

        def functions?(library)
          bits = Fiddle::Pointer.new(library["__gmp_bits_per_limb"])[0, Fiddle::SIZEOF_INT].unpack1("i")
          return false if bits != 8 * BYTES_IN_LIMB

          bytes = Fiddle::TYPE_INTPTR_T
          size = Fiddle::TYPE_LONG
          limb = Fiddle::TYPE_LONG_LONG
          @add = function(library["__gmpn_addmul_1"], [bytes, bytes, size, limb], limb)
          @subtract = function(library["__gmpn_submul_1"], [bytes, bytes, size, limb], limb)
          @and = function(library["__gmpn_and_n"], [bytes, bytes, bytes, size], Fiddle::TYPE_VOID)
          true
        rescue Fiddle::DLError
          false
        end

        # Return a function. A call that released the interpreter's lock would wait for it again each time.
        def function(address, arguments, result)
          Fiddle::Function.new(address, arguments, result, need_gvl: true)
        end

        # Return whether the results equal those of Ruby's Integers, also from an odd byte on.
        def right?
          bytes = [*1..40].pack("C*")
          total = bytes.byteslice(0, 32)
          both = "\0".b * 32
          pointers = [bytes, total, both].map { |one| pointer(one) }
          first, sums, ands = pointers.map(&:to_i)
          add_products(sums, 4, [first, first + 3], [12_345, -32_768])
          self.and(ands, 4, first + 1, sums)
          known = number(bytes.byteslice(0, 32))
          sum = (known + (known * 12_345) - (number(bytes.byteslice(3, 32)) * 32_768)) % (1 << 256)
          [number(total), number(both)] == [sum, number(bytes.byteslice(1, 32)) & sum]
        end

        def number(bytes)
          bytes.reverse.unpack1("H*").to_i(16)
        end
      end
    end
  end
end
