# frozen_string_literal: true

module HybridSearch
  module PostProcessors
    # The keywords of a query and of documents, and how alike they are (DFY-2).
    class KeywordScores
      include Base::ShortInspect

      # @return [Array<String>] words and parts (TXT-8), in order
      attr_reader :query_keywords
      # @return [Array<Array<String>>] those of each document
      attr_reader :document_keywords
      # @return [Array<Float>] the cosine of each document, 0 to 1 but for rounding
      attr_reader :scores

      def initialize(query_keywords, document_keywords, scores)
        @query_keywords = query_keywords.freeze
        @document_keywords = document_keywords.freeze
        @scores = scores.freeze
        freeze
      end
    end

    # Compares a query and documents by their keywords: the cosine of TF-IDF vectors (DFY-2).
    class KeywordCosine
      include Base::ShortInspect

      QUERY_KEYWORDS = 10

      # A term counts once in a text, ASCII case ignored; it weighs idf = ln((1 + N) / (1 + df)) + 1 over these
      # documents, and nothing in the query where no document has it. The numerator runs over the query's terms, each
      # square sum over the text's own, all in order; 0.0 where a norm is 0.
      #
      # @param query_terms [Array<String>]
      # @param documents_terms [Array<Array<String>>]
      # @return [Array<Float>] the cosine of the query's vector with that of each document
      def self.cosines(query_terms, documents_terms)
        asked = distinct(query_terms)
        documents = documents_terms.map { |terms| distinct(terms) }
        idf = inverse_frequencies(documents)
        weights = asked.each_key.map { |term| idf.fetch(term, 0.0) }
        query_norm = Base::Numeric.norm(weights)
        documents.map { |terms| cosine(asked, weights, query_norm, terms, idf) }
      end

      # @param documents [Array<Hash{String=>Boolean}>] whose terms are distinct
      # @return [Hash{String=>Float}] the idf of every term of these documents
      def self.inverse_frequencies(documents)
        count = documents.size
        frequencies = Hash.new(0)
        documents.each { |terms| terms.each_key { |term| frequencies[term] += 1 } }
        frequencies.transform_values { |found| Math.log((1 + count).fdiv(1 + found)) + 1.0 }
      end

      def self.cosine(asked, weights, query_norm, terms, idf)
        document_norm = Base::Numeric.norm(terms.each_key.map { |term| idf.fetch(term) })
        return 0.0 if query_norm.zero? || document_norm.zero?

        matched = asked.each_key.zip(weights).map { |term, weight| terms.key?(term) ? weight : 0.0 }
        Base::Numeric.dot(weights, matched) / (query_norm * document_norm)
      end
      private_class_method :cosine

      # @param terms [Array<String>]
      # @return [Hash{String=>Boolean}] the terms in small ASCII letters, each once, in order
      def self.distinct(terms)
        # A key that is not frozen would be looked up among all of the process.
        terms.each_with_object({}) { |term, found| found[term.downcase(:ascii).freeze] = true }
      end

      # @param keyword_extractor [KeywordExtractor, KeywordCache, nil] finds the keywords; the default one when not
      #   given
      # @param keyword_limit [Integer, nil] how many words of a document count at the most, at least 0; nil or 0:
      #   all
      # @raise [InvalidInputError] an argument is not acceptable
      def initialize(keyword_extractor = nil, keyword_limit = nil)
        @extractor = Text::KeywordSource.accept("keyword_extractor", keyword_extractor)
        Base::Validation.integer("keyword_limit", keyword_limit, 0) unless keyword_limit.nil?
        @keyword_limit = keyword_limit
        freeze
      end

      # How alike the query and each of the texts are; the texts are all documents there are.
      #
      # @param query [String]
      # @param texts [Array<String>]
      # @return [KeywordScores]
      # @raise [InvalidInputError] a text is not valid UTF-8
      def scores(query, texts)
        asked = @extractor.extract(query, limit: QUERY_KEYWORDS).terms
        found = texts.map { |text| @extractor.extract(text, limit: @keyword_limit).terms }
        KeywordScores.new(asked, found, KeywordCosine.cosines(asked, found))
      end
    end
  end
end
