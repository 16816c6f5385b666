# frozen_string_literal: true

module HybridSearch
  # The keys of a question with their weights (QRY-9).
  class QueryKeys
    # @return [Array<Array(String, Float)>] keys and weights, in order of first appearance
    attr_reader :keys

    SMALLEST = 1e-9
    ONE = "1".ord
    private_constant :SMALLEST, :ONE

    # @param keys [Array<Array(String, Float)>]
    def initialize(keys)
      @keys = keys.freeze
      @weights = keys.map(&:last).freeze
      @total = SMALLEST + 0.0
      @weights.each { |weight| @total += weight }
      freeze
    end

    # @param tokens [Array<String>] a document's
    # @return [Float] the share of the weight whose keys the document has, from above 0 to 1
    def similarity(tokens)
      similarities([tokens])[0]
    end

    # @param documents [Array<Array<String>>]
    # @return [Array<Float>] {similarity} of each
    def similarities(documents)
      shares(found(documents))
    end

    # @param documents [Array<Array<String>>]
    # @return [Array<Integer>] which keys each document has: a bit for each key, the first key's the lowest
    def found(documents)
      table = KeyTable.new(@keys.map(&:first))
      documents.map { |tokens| table.found(tokens) }
    end

    # @param found [Array<Integer>] as {found} gives them
    # @return [Array<Float>] the share of the weight of these keys; equal integers share one sum
    def shares(found)
      shares = {}
      found.map { |bits| shares[bits] ||= share(bits) }
    end

    private

    def share(bits)
      score = SMALLEST
      digits = bits.to_s(2)
      last = digits.size - 1
      index = 0
      weights = @weights
      while index <= last
        score += weights[index] if digits.getbyte(last - index) == ONE
        index += 1
      end
      score / @total
    end
  end

  # Finds keys, of which each may be cut in two at any place, in lists of tokens.
  class KeyTable
    # Longer keys are not cut in two at every place; neighbours of their length are concatenated instead.
    LONGEST_CUT = 64
    private_constant :LONGEST_CUT

    # @param keys [Array<String>]
    def initialize(keys)
      # token => [number of the key it is, or nil; what may follow it => number of the key that makes, or nil]
      @table = {}
      @long = {}
      keys.each_with_index { |key, number| add(key, number) }
      freeze
    end

    # @param tokens [Array<String>] a document's
    # @return [Integer] the bits of the keys that the document has
    def found(tokens)
      table = @table
      found = 0
      following = nil
      index = 0
      size = tokens.size
      while index < size
        token = tokens[index]
        number = following && following[token]
        found |= 1 << number if number
        entry = table[token]
        if entry
          found |= 1 << entry[0] if entry[0]
          following = entry[1]
        else
          following = nil
        end
        index += 1
      end
      @long.empty? ? found : found | found_long(tokens)
    end

    private

    def add(key, number)
      entry(key)[0] = number
      if key.length > LONGEST_CUT
        @long[key] = number
      else
        (1...key.length).each { |cut| (entry(key[0, cut])[1] ||= {})[key[cut..]] = number }
      end
    end

    def entry(token)
      @table[token] ||= [nil, nil]
    end

    def found_long(tokens)
      lengths = @long.keys.to_h { |key| [key.length, true] }
      tokens.each_cons(2).reduce(0) do |found, (left, right)|
        number = lengths.key?(left.length + right.length) ? @long[left + right] : nil
        number ? found | (1 << number) : found
      end
    end
  end

  # Compares a question's tokens with those of documents (QRY-9).
  #
  # Only whether a document has a key of the question matters. A key is there when the document has it as a token, or
  # has two neighbouring tokens whose concatenation it is, wherever the key is cut in two. So the documents are never
  # weighed: one look-up for each token tells whether it is a key or may begin one.
  class TokenSimilarity
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

    # The similarity of each document, above 0 and at most 1; 1.0 for all when there are no query tokens.
    #
    # @param query_tokens [Array<String>] the question's tokens, in order
    # @param docs_tokens [Array<Array<String>>] for each document its tokens, in order
    # @return [Array<Float>]
    # @raise [InvalidInputError] an argument is of another kind
    def token_similarity(query_tokens, docs_tokens)
      keys = query_keys(query_tokens)
      keys.similarities(documents(docs_tokens))
    end

    # The question's tokens and concatenated neighbours, with what each counts.
    #
    # @param query_tokens [Array<String>]
    # @return [QueryKeys]
    # @raise [InvalidInputError] `query_tokens` is no list of texts
    def query_keys(query_tokens)
      weighted = @term_weight.weights(Validation.texts("query_tokens", query_tokens), preprocess: false)
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
      raise Validation.failure("docs_tokens", value, "a list of lists of texts") unless value.is_a?(::Array)

      value.each_with_index do |tokens, index|
        raise Validation.failure("docs_tokens[#{index}]", tokens, "a list of texts") unless tokens.is_a?(::Array)
        next if tokens.all?(::String)

        raise InvalidInputError, "docs_tokens[#{index}] must be a list of texts"
      end
    end
  end
end
