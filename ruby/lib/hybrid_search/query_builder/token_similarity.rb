# frozen_string_literal: true

module HybridSearch
  module QueryBuilders
    # The keys of a question with their weights (QRY-9).
    class QueryKeys
      include Base::ShortInspect

      # @return [Array<Array(String, Float)>] keys and weights, in order of first appearance
      attr_reader :keys
      # @return [Float] the sum of the weights
      attr_reader :total

      SMALLEST = 1e-9

      # @param tokens [Array<String>] the tokens of a document
      # @return [Hash{String=>true}] the keys of the document: each token, and each pair of neighbours joined
      def self.held_keys(tokens)
        held = {}
        tokens.each { |token| held[token] = true }
        tokens.each_cons(2) { |left, right| held[left + right] = true }
        held
      end

      # @param keys [Array<Array(String, Float)>]
      def initialize(keys)
        @keys = keys.freeze
        @total = SMALLEST
        keys.each { |_, weight| @total += weight }
        freeze
      end

      # @param tokens [Array<String>] the tokens of a document
      # @return [Float] the share of the weight whose keys the document has, from above 0 to 1
      def similarity(tokens)
        similarity_of(QueryKeys.held_keys(tokens))
      end

      # @param held [Hash{String=>true}] the {held_keys} of a document
      # @return [Float] the same as {similarity}
      def similarity_of(held)
        score = SMALLEST
        @keys.each { |key, weight| score += weight if held.key?(key) }
        score / @total
      end
    end

    # Compares a question's tokens with those of documents (QRY-9).
    #
    # The only thing that matters is whether a document has a key of the question, as a token or as two neighbouring
    # tokens joined. Documents are therefore never weighed.
    class TokenSimilarity
      include Base::ShortInspect

      WEIGHT_OF_TOKEN = 0.4
      WEIGHT_OF_PAIR = 0.6
      private_constant :WEIGHT_OF_TOKEN, :WEIGHT_OF_PAIR

      # @return [TermWeight] weighs the tokens of the question
      attr_reader :term_weight

      # @param term_weight [TermWeight]
      def initialize(term_weight)
        @term_weight = term_weight
        freeze
      end

      # Return the similarity of each document, above 0 and at most 1; 1.0 for all if there are no query tokens.
      #
      # @param query_tokens [Array<String>] the question's tokens, in order
      # @param docs_tokens [Array<Array<String>>] the tokens of each document, in order
      # @return [Array<Float>]
      # @raise [InvalidInputError] an argument has another type
      def token_similarity(query_tokens, docs_tokens)
        keys = query_keys(query_tokens)
        documents(docs_tokens).map { |tokens| keys.similarity(tokens) }
      end

      # Return the question's tokens and concatenated neighbours, with their weights.
      #
      # @param query_tokens [Array<String>]
      # @return [QueryKeys]
      # @raise [InvalidInputError] `query_tokens` is not a list of texts
      def query_keys(query_tokens)
        weighted = @term_weight.weights(Base::Validation.texts("query_tokens", query_tokens), preprocess: false)
        keys = {}
        weighted.each_with_index do |(token, weight), index|
          keys[token] = (keys[token] || 0.0) + (WEIGHT_OF_TOKEN * weight)
          following, following_weight = weighted[index + 1]
          next unless following

          pair = token + following
          keys[pair] = (keys[pair] || 0.0) + (WEIGHT_OF_PAIR * [weight, following_weight].max)
        end
        QueryKeys.new(keys.to_a)
      end

      private

      def documents(value)
        raise Base::Validation.failure("docs_tokens", value, "a list of lists of texts") unless value.is_a?(::Array)

        value.each_with_index do |tokens, index|
          unless tokens.is_a?(::Array)
            raise Base::Validation.failure("docs_tokens[#{index}]", tokens, "a list of texts")
          end
          next if tokens.all?(::String)

          raise InvalidInputError, "docs_tokens[#{index}] must be a list of texts"
        end
      end
    end
  end
end
