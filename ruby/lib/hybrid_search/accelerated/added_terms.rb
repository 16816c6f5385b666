# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # The different tokens of the documents that a batch adds, and their places (SQL-1).
    class AddedTerms
      include Base::ShortInspect

      # The places of a term in documents that are added in the order of their numbers, packed except for the part that
      # depends on earlier documents.
      class Places
        include Base::ShortInspect

        # @return [Integer] the number of the first document
        attr_reader :first
        # @return [Integer] the number of the documents
        attr_reader :documents
        # @return [Integer] the number of the places
        attr_reader :count

        # @param number [Integer] the number of the first document
        # @param position [Integer] the first position there
        def initialize(number, position)
          @first = number
          @number = number
          @position = position
          @documents = 1
          @count = 1
          @bytes = []
          put(position)
        end

        # @param number [Integer] the number of a document, not below the last one
        # @param position [Integer] the position in it, after the last one if the document is the same
        # @return [void]
        def add(number, position)
          if number == @number
            step = position - @position
            @bytes << 0
            step < 128 ? @bytes << step : put(step)
          else
            step = number - @number
            step < 128 ? @bytes << step : put(step)
            position < 128 ? @bytes << position : put(position)
            @number = number
            @documents += 1
          end
          @position = position
          @count += 1
        end

        # @param last [Integer] the number of the last earlier document, or `SqlitePacking::NOWHERE`
        # @return [String] the places, packed so that they can follow the earlier ones
        def packed(last)
          [last.negative? ? @first : @first - last].pack("w") << @bytes.pack("C*")
        end

        private

        # Write a number in groups of seven bits.
        def put(value)
          if value < 128
            @bytes << value
          elsif value < 16_384
            @bytes << ((value >> 7) | 128) << (value & 127)
          else
            @bytes.concat([value].pack("w").bytes)
          end
        end
      end

      # @param added [Array<Array(Integer, Array<String>)>] the numbers of the documents, ascending, and their tokens in
      #   their order
      def initialize(added)
        @terms = {}
        added.each { |number, tokens| add(number, tokens) }
      end

      # @param size [Integer]
      # @param without [Hash{String=>true}] the tokens to omit
      # @yieldparam tokens [Array<String>] `size` tokens or fewer, in the order of their first places
      # @yieldparam places [Array<Places>] their places
      # @return [void]
      def each_part(size, without)
        terms = without.empty? ? @terms : @terms.reject { |token, _| without[token] }
        tokens = terms.keys
        places = terms.values
        0.step(tokens.size - 1, size) { |first| yield tokens[first, size], places[first, size] }
      end

      private

      def add(number, tokens)
        terms = @terms
        position = 0
        tokens.each do |token|
          places = terms[token]
          if places
            places.add(number, position)
          else
            terms[token] = Places.new(number, position)
          end
          position += 1
        end
      end
    end
  end
end
