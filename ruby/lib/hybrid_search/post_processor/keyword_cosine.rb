# frozen_string_literal: true

module HybridSearch
  module PostProcessors
    # The keywords of a query and of documents, and their similarities (DFY-2).
    class KeywordScores
      include Base::ShortInspect

      # @return [Array<String>] words and parts (TXT-8), in order
      attr_reader :query_keywords
      # @return [Array<Array<String>>] the keywords of each document
      attr_reader :document_keywords
      # @return [Array<Float>] the cosine of each document, 0 to 1 except for rounding
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

      # Compare weighted terms. A term counts once in a text, ASCII case ignored. Its weight is idf = ln((1 + N) / (1 +
      # df)) + 1 over these documents; a term of the query that no document contains has the weight 0. The numerator is
      # summed over the query's terms and each sum of squares over the text's own terms, all in order; the cosine is 0.0
      # if a norm is 0.
      #
      # @param query_terms [Array<String>]
      # @param documents_terms [Array<Array<String>>]
      # @return [Array<Float>] the cosine of the query's vector with the vector of each document
      def self.cosines(query_terms, documents_terms)
        asked = distinct(query_terms)
        documents = documents_terms.map { |terms| distinct(terms) }
        idf = inverse_frequencies(documents)
        weights = asked.each_key.map { |term| idf.fetch(term, 0.0) }
        query_norm = Base::Numeric.norm(weights)
        documents.map { |terms| cosine(asked, weights, query_norm, terms, idf) }
      end

      # @param documents [Array<Hash{String=>Boolean}>] documents whose terms are distinct
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
      # @return [Hash{String=>Boolean}] the terms in ASCII lower case, each once, in order
      def self.distinct(terms)
        # A key that is not frozen would be looked up in the table of all frozen texts of the process.
        terms.each_with_object({}) { |term, found| found[term.downcase(:ascii).freeze] = true }
      end

      # @param keyword_extractor [KeywordExtractor, KeywordCache, nil] finds the keywords; default: a {KeywordExtractor}
      # @param keyword_limit [Integer, nil] maximum number of words of a document, at least 0; nil or 0 uses all words
      # @raise [InvalidInputError] an argument is not acceptable
      def initialize(keyword_extractor = nil, keyword_limit = nil)
        @extractor = Text::KeywordSource.accept("keyword_extractor", keyword_extractor)
        Base::Validation.integer("keyword_limit", keyword_limit, 0) unless keyword_limit.nil?
        @keyword_limit = keyword_limit
        freeze
      end

      # Return the similarity of the query with each of the texts, which form the whole collection.
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
