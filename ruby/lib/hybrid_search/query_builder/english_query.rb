# frozen_string_literal: true

module HybridSearch
  module QueryBuilders
    # Makes the query of a text whose words are separated: the English path of a question (QRY-5).
    class EnglishQuery
      include Base::ShortInspect

      Tree = AdapterKit::Tree
      private_constant :Tree

      REMOVED = /[ \\"'^]/
      LEADING_SIGN = /\A[+-]/
      NO_CLAUSE = /\A[.^+()-]/
      MOST_TERMS = 256
      private_constant :REMOVED, :LEADING_SIGN, :NO_CLAUSE, :MOST_TERMS

      # @param tokenizer [Tokenizer] makes the tokens
      # @param term_weight [TermWeight] weighs them
      # @param synonyms [Synonyms] returns the synonyms of a token
      def initialize(tokenizer, term_weight, synonyms)
        @tokenizer = tokenizer
        @term_weight = term_weight
        @synonyms = synonyms
        freeze
      end

      # @param text [String] a text without question words
      # @return [Array(AdapterKit::Tree::AnyOf, Array<String>)] the query tree and the keywords
      def build(text)
        tokens = @tokenizer.tokenize(text)
        keywords = tokens.dup
        weighted = cleaned(@term_weight.weights(tokens, preprocess: false))
        children = []
        weighted.first(MOST_TERMS).each do |token, weight|
          synonyms = synonym_texts(token)
          keywords.concat(synonyms)
          children << clause(token, weight, synonyms) unless token.match?(NO_CLAUSE)
        end
        children.concat(neighbours(weighted))
        [children.empty? ? Clauses.any_of_pieces(text) : Tree::AnyOf.new(children), keywords]
      end

      # @param text [String] a text without question words
      # @return [Array<String>] the keywords that {build} returns, without weighing, as a weight is never 0
      def keywords(text)
        tokens = @tokenizer.tokenize(text)
        cleaned = cleaned(tokens.map { |token| [token, 0.0] })
        tokens + cleaned.first(MOST_TERMS).flat_map { |token, _| synonym_texts(token) }
      end

      private

      def synonym_texts(token)
        found = @synonyms.lookup(token).map { |synonym| @tokenizer.tokenize(synonym).join(" ").delete("'") }
        found.reject(&:empty?)
      end

      def cleaned(weighted)
        kept = weighted.map { |token, weight| [token.gsub(REMOVED, ""), weight] }
                       .reject { |token, _| token.empty? }
                       .map { |token, weight| [token.sub(LEADING_SIGN, ""), weight] }
        kept.reject { |token, _| token.empty? }
      end

      # Return `(token^w "synonym"^w/4)`; without synonyms an empty any-of keeps the blank before the bracket.
      def clause(token, weight, synonyms)
        term = boost(Tree::Term.new(token, escape: false), weight)
        alternatives = synonyms.map { |text| boost(Tree::Phrase.new(text.split(/ /, -1), escape: false), weight / 4.0) }
        alternatives = [Tree::AnyOf.new([])] if alternatives.empty?
        Tree::Group.new(Tree::AnyOf.new([term, *alternatives]))
      end

      def neighbours(weighted)
        weighted.each_cons(2).map do |(left, left_weight), (right, right_weight)|
          boost(Tree::Phrase.new([left, right], escape: false), [left_weight, right_weight].max * 2.0)
        end
      end

      def boost(node, factor)
        Tree::Boost.new(node, factor, weight_format: :fixed4)
      end
    end
  end
end
