# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # A cache of the slots and scores of tokens in many documents, reused from state to state as long as these differ
    # little (SQL-5, PG-5).
    class KnownPostings < KeptEntries
      # The fewest documents of a posting that is cached; the scores of fewer are computed as fast as they are moved.
      MANY = 256
      # Below this score, parts of a score are not exact.
      SMALLEST = 1e-20
      # The part by which a score may have changed; beyond it near scores decide too little.
      MOST_MOVED = 0.02
      private_constant :SMALLEST, :MOST_MOVED

      # Cache a posting of this state if it is large and none of its scores is tiny.
      #
      # @param key [Object]
      # @param posting [Posting] with exact scores
      # @param parts [Array<FieldPart>] the fields of the token
      # @param idf [Float] the weight of the token
      # @return [void]
      def keep(key, posting, parts, idf)
        return if posting.slots.size < MANY || posting.lowest < SMALLEST

        set(key, NearPosting.of(posting, parts, idf))
      end

      # Return the posting of this state, made of the last one.
      #
      # @param key [Object] the key of the posting
      # @param parts [Array<FieldPart>] the fields of the token in this state; at least one
      # @param documents [Integer] the number of documents
      # @param all_slots [Integer] the number of slots of the store
      # @return [MovedPosting, nil] nil if there is none, or if too much has changed since
      def moved(key, parts, documents, all_slots)
        generation, near = get(key)
        near &&= current(near, generation, parts, documents)
        return nil if near.nil?

        set(key, near) unless generation == @touched.generation
        posting = MovedPosting.new(near, parts, documents, all_slots)
        posting.doubt > MOST_MOVED ? nil : posting
      end

      private

      # Return the posting of this state, given that of a generation; nil if too much has changed since.
      def current(near, generation, parts, documents)
        return near if near.of?(parts)

        touched = @touched.since(generation)
        touched && near.after(touched, parts, documents)
      end

      def size_of(near)
        near.size
      end
    end
  end
end
