# frozen_string_literal: true

module HybridSearch
  module Records
    # The limits of a batch of records, which is stored at once (IDX-3): divides a sequence of records into batches.
    #
    # Large batches are stored faster, as each batch changes the places of all tokens that it contains.
    class BatchLimits
      include Base::ShortInspect

      MOST_RECORDS = 2048
      # The number of characters of contents and components of vectors that ends a batch.
      MOST_CHARACTERS = 1 << 21
      # The number of records whose vectors a model must compute; they are lost if the batch is.
      MOST_WITHOUT_VECTOR = 256

      # @param size [Object] the size of batches, or nil for the limits above
      # @param name [String] the name of the argument in messages
      # @return [Integer, nil] the checked size
      # @raise [InvalidInputError] it is neither nil nor an integer ≥ 1
      def self.checked(size, name = "batch_size")
        size.nil? ? nil : Base::Validation.integer(name, size, 1)
      end

      # @param size [Integer, nil] the number of records in a batch; nil: a batch ends with the record that reaches one
      #   of the limits above
      # @param model [Boolean] whether a model makes the vectors of records without one
      def initialize(size, model)
        @size = size
        @model = model
        start
      end

      # @param record [Object] the next record of the sequence; it need not be checked yet
      # @return [Boolean] whether a batch ends with it
      def whole_with?(record)
        @records += 1
        whole = @size.nil? ? limit?(record) : @records == @size
        start if whole
        whole
      end

      private

      def limit?(record)
        vector = length(record, "vector")
        @characters += length(record, "content") + vector
        @without_vector += 1 if @model && vector.zero?
        @records == MOST_RECORDS || @characters >= MOST_CHARACTERS || @without_vector == MOST_WITHOUT_VECTOR
      end

      def start
        @records = 0
        @characters = 0
        @without_vector = 0
      end

      # Return the length of the content or of the vector of a record; 0 for what is neither.
      def length(record, key)
        return 0 unless record.is_a?(::Hash)

        value = record[key] || record[key.to_sym]
        value.respond_to?(:length) ? value.length : 0
      end
    end
  end
end
