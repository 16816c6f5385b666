# frozen_string_literal: true

module HybridSearch
  # A source of a sentence (CIT-3).
  class CitedSource
    include Base::Value
    include Base::KnownNames

    # @return [Integer] its place among the hits, from 1
    attr_reader :number
    # @return [String] its id
    attr_reader :id
    # @return [Float] its similarity with the sentence
    attr_reader :similarity

    def initialize(number:, id:, similarity:)
      @number = number
      @id = id
      @similarity = similarity
      freeze
    end
  end

  # A sentence of an answer that has sources (CIT-3).
  class CitedSpan
    include Base::Value
    include Base::KnownNames

    # @return [Integer] the number of code points before it in the answer
    attr_reader :start
    # @return [Integer] the number of code points before its end in the answer
    attr_reader :end
    # @return [String] the sentence
    attr_reader :text
    # @return [Array<CitedSource>] its sources, the most similar first, at most four
    attr_reader :sources

    def initialize(start:, end:, text:, sources:)
      @start = start
      @end = binding.local_variable_get(:end)
      @text = text
      @sources = sources.freeze
      freeze
    end
  end

  # An answer with its sources (CIT-3).
  class CitedAnswer
    include Base::Value
    include Base::KnownNames

    # @return [String] the answer with a mark after the first sentence of each source
    attr_reader :text
    # @return [Array<CitedSpan>] the sentences that have sources, in their order
    attr_reader :spans
    # @return [Float, nil] the lowest similarity of a source; nil without sources
    attr_reader :threshold

    def initialize(text:, spans: [], threshold: nil)
      @text = text
      @spans = spans.freeze
      @threshold = threshold
      freeze
    end

    # @return [Hash{String=>Object}] the answer as plain data
    def to_h
      { "text" => text, "spans" => spans.map(&:to_h), "threshold" => threshold }
    end

    alias to_s text

    # @return [String] one short line
    def inspect
      sources = spans.flat_map { |span| span.sources.map(&:id) }.uniq
      "#<#{self.class}: #{spans.size} spans, #{sources.size} sources>"
    end
  end
end
