# frozen_string_literal: true

module HybridSearch
  module QueryBuilders
    # Makes the query of a text that must be segmented: the Chinese path of a question (QRY-6).
    class ChineseQuery
      include Base::ShortInspect

      Tree = AdapterKit::Tree
      private_constant :Tree

      NO_PARTS = /\A[0-9a-z.+#_*-]+\z/
      REMOVED_FROM_KEYWORDS = /[ \\"']/
      PUNCTUATION = /#{Words.character_pattern("part_punctuation")}/

      MOST_PIECES = 256
      MOST_KEYWORDS = 32
      SHORTEST_WITH_PARTS = 3
      SHORTEST_PART = 2
      SLOP = 2
      private_constant :NO_PARTS, :REMOVED_FROM_KEYWORDS, :PUNCTUATION, :MOST_PIECES, :MOST_KEYWORDS,
                       :SHORTEST_WITH_PARTS, :SHORTEST_PART, :SLOP

      # @param tokenizer [Tokenizer] makes tokens and their parts
      # @param term_weight [TermWeight] splits and weighs
      # @param synonyms [Synonyms] returns the synonyms of a piece and of a term
      def initialize(tokenizer, term_weight, synonyms)
        @tokenizer = tokenizer
        @term_weight = term_weight
        @synonyms = synonyms
        freeze
      end

      # @param text [String] a text without question words
      # @param prepared [String] the query if no part of the text yields a clause
      # @return [Array(AdapterKit::Tree::AnyOf, Array<String>)] the query tree, or nil if the text has no piece; and the
      #   keywords
      def build(text, prepared)
        keywords = []
        pieces = @term_weight.split(text).first(MOST_PIECES)
        queries = pieces.map { |piece| piece(piece, keywords) }
        return [nil, keywords] if pieces.empty?

        groups = queries.compact.map { |query| Tree::Group.new(query) }
        tree = groups.empty? ? Clauses.any_of_pieces(prepared) : Tree::AnyOf.new(groups, joiner: " OR ")
        [tree, keywords]
      end

      # @param text [String] a text without question words
      # @return [Array<String>] the keywords that {build} returns, without making the query
      def keywords(text)
        @term_weight.split(text).first(MOST_PIECES).each_with_object([]) { |piece, keywords| read(piece, keywords) }
      end

      private

      # Return the number of terms of a piece, its synonyms, and the terms of its clauses; extend the keywords.
      def read(piece, keywords)
        keywords << piece
        weighted = @term_weight.weights([piece])
        synonyms = @synonyms.lookup(piece)
        keywords.concat(synonyms) if keywords.size < MOST_KEYWORDS
        [weighted.size, synonyms, read_terms(heaviest_first(weighted), keywords)]
      end

      # Return the terms of a piece with weights, parts and synonyms, until there are enough keywords (QRY-6.2).
      def read_terms(weighted, keywords)
        found = []
        weighted.each do |term, weight|
          parts = parts(term)
          keywords.push(term.gsub(REMOVED_FROM_KEYWORDS, "")).concat(parts) if keywords.size < MOST_KEYWORDS
          synonyms = @synonyms.lookup(term)
          if keywords.size < MOST_KEYWORDS
            keywords.concat(synonyms.map { |synonym| Clauses.escape(synonym) }.reject(&:empty?))
          end
          break if keywords.size >= MOST_KEYWORDS

          found << [term, weight, parts, synonyms]
        end
        found
      end

      def piece(piece, keywords)
        count, synonyms, terms = read(piece, keywords)
        children = clauses(terms)
        if count > 1
          phrase = Tree::Phrase.new(@tokenizer.tokenize(piece), slop: SLOP, escape: false)
          children << Tree::AnyOf.new([]) if children.empty?
          children << Tree::Boost.new(Tree::Group.new(phrase), 1.5)
        end
        return nil if children.empty?

        with_synonym_phrases(Tree::AnyOf.new(children), synonym_phrases(synonyms))
      end

      def heaviest_first(weighted)
        weighted.each_with_index.sort_by { |(_, weight), index| [-weight, index] }.map(&:first)
      end

      def with_synonym_phrases(query, phrases)
        return query if phrases.empty?

        alternatives = Tree::Group.new(Tree::AnyOf.new(phrases, joiner: " OR "))
        boosted = Tree::Boost.new(Tree::Group.new(query), 5.0, weight_format: :integer)
        Tree::AnyOf.new([boosted, Tree::Boost.new(alternatives, 0.7)], joiner: " OR ")
      end

      def clauses(terms)
        terms.filter_map do |term, weight, parts, synonyms|
          node = Clauses.term_node(term)
          node && Tree::Boost.new(Tree::Group.new(clause(node, synonyms, parts)), weight)
        end
      end

      # Return `term OR "part part" OR ("part part"~2)^0.5`, where the term includes its synonyms.
      def clause(node, synonyms, parts)
        term = Clauses.with_synonyms(node, Clauses.synonym_nodes(@tokenizer, synonyms))
        return term if parts.empty?

        near = Tree::Boost.new(Tree::Group.new(Tree::Phrase.new(parts, slop: SLOP)), 0.5)
        Tree::AnyOf.new([term, Tree::Phrase.new(parts), near], joiner: " OR ")
      end

      # Return the fine-grained parts of a term, without punctuation, of two characters or more.
      def parts(term)
        return [] if term.length < SHORTEST_WITH_PARTS || term.match?(NO_PARTS)

        @tokenizer.fine_grained(term)
                  .map { |part| part.gsub(PUNCTUATION, "") }
                  .select { |part| part.length >= SHORTEST_PART }
                  .map { |part| Clauses.escape(part) }
                  .select { |part| part.length >= SHORTEST_PART }
      end

      def synonym_phrases(synonyms)
        found = synonyms.map { |synonym| @tokenizer.tokenize(Clauses.escape(synonym)) }
        found.reject(&:empty?).map { |tokens| Tree::Phrase.new(tokens, escape: false) }
      end
    end
  end
end
