# frozen_string_literal: true

module HybridSearch
  # Exact nearest neighbours by cosine (DOC-3, NUM-3): the vectors of one field.
  class DenseIndex
    # @param dimension [Integer] how many components a vector has
    def initialize(dimension)
      @dimension = dimension
      @rows = []
      @slots = []
      @norms = []
      @row_of = {}
    end

    # Add the vector of a document, and its norm, at a slot that is higher than all before.
    #
    # @return [void]
    def add(slot, vector, norm)
      @row_of[slot] = @rows.size
      @rows << vector
      @slots << slot
      @norms << norm
    end

    # Take a document out.
    #
    # @return [void]
    def remove(slot)
      row = @row_of.delete(slot)
      @slots[row] = -1
      @rows[row] = nil
    end

    # @return [Array<Float>, nil] the vector of a document
    def vector(slot)
      row = @row_of[slot]
      row && @rows[row]
    end

    # @param vector [Array<Float>] the query
    # @param limit [Integer] how many documents will be wanted at the most; 0 or more
    # @param similarity [Float, nil] the lowest cosine that counts
    # @param allowed [String, nil] for each slot a byte, 1 when it counts; nil when all do
    # @return [Array(Array<Integer>, Array<Float>)] the slots and cosines of the best `limit` documents with all ties of
    #   the last, in no order
    def best(vector, limit, similarity, allowed)
      return [[], []] if limit.zero?

      found, scores = cosines(vector, similarity, allowed)
      return [found, scores] if found.size <= limit

      least = scores.max(limit)[-1]
      kept = found.each_index.select { |index| scores[index] >= least }
      [found.values_at(*kept), scores.values_at(*kept)]
    end

    private

    def cosines(vector, similarity, allowed)
      query_norm = Numeric.norm(vector)
      found = []
      scores = []
      @slots.each_with_index do |slot, row|
        next if slot.negative? || (allowed && allowed.getbyte(slot) != 1)

        score = cosine(vector, query_norm, @rows[row], @norms[row])
        next if similarity && score < similarity

        found << slot
        scores << score
      end
      [found, scores]
    end

    def cosine(query, query_norm, row, row_norm)
      return 0.0 if query_norm.zero? || row_norm.zero?

      Numeric.dot(row, query) / (query_norm * row_norm)
    end
  end
end
