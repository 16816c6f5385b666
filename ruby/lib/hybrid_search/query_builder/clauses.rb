# frozen_string_literal: true

module HybridSearch
  module QueryBuilders
    # Parts of a query that more than one path makes: escaping, terms, synonyms (QRY-6, QRY-7).
    module Clauses
      Tree = AdapterKit::Tree
      private_constant :Tree

      REMOVED = /['\\]/
      BLANKS_AT_ENDS = /\A +| +\z/
      SPECIAL = %r{[:{}/\[\]*?"()|+~^-]}
      private_constant :REMOVED, :BLANKS_AT_ENDS, :SPECIAL

      module_function

      # @param text [String]
      # @return [String] without apostrophes and backslashes, and without blanks at both ends (U+0020)
      def clean(text)
        text.gsub(REMOVED, "").gsub(BLANKS_AT_ENDS, "")
      end

      # @param text [String]
      # @return [String] cleaned, with a backslash before each character that Lucene reads as syntax (QRY-7)
      def escape(text)
        clean(text).gsub(SPECIAL) { |character| "\\#{character}" }
      end

      # Return the text itself as a query: its pieces between blanks, unescaped (QRY-5, QRY-6).
      # An empty piece, which a blank at an end creates, becomes an empty any-of: the text is rendered unchanged.
      #
      # @param text [String]
      # @return [AdapterKit::Tree::AnyOf]
      def any_of_pieces(text)
        pieces = text.empty? ? [""] : text.split(/ /, -1)
        nodes = pieces.map { |piece| piece.empty? ? Tree::AnyOf.new([]) : Tree::Term.new(piece, escape: false) }
        Tree::AnyOf.new(nodes)
      end

      # @param text [String]
      # @return [AdapterKit::Tree::Term, AdapterKit::Tree::Phrase, nil] a phrase if it contains a blank; nil if nothing
      #   is left of it
      def term_node(text)
        term_of(clean(text).split(/ /))
      end

      # Return each synonym by its fine-grained parts, except those of which nothing is left (QRY-6.2).
      #
      # @param tokenizer [Tokenizer]
      # @param synonyms [Array<String>]
      # @return [Array<AdapterKit::Tree::Term, AdapterKit::Tree::Phrase>]
      def synonym_nodes(tokenizer, synonyms)
        synonyms.filter_map do |synonym|
          next if clean(synonym).empty?

          term_of(tokenizer.fine_grained(synonym.delete("'")).map { |part| clean(part) })
        end
      end

      # @return [AdapterKit::Tree::Term, AdapterKit::Tree::Phrase, AdapterKit::Tree::Group] `node`, or with synonyms
      #   `(node OR (synonyms)^0.2)`
      def with_synonyms(node, synonyms)
        return node if synonyms.empty?

        group = Tree::Group.new(Tree::AnyOf.new(synonyms))
        Tree::Group.new(Tree::AnyOf.new([node, Tree::Boost.new(group, 0.2)], joiner: " OR "))
      end

      def term_of(parts)
        tokens = parts.reject(&:empty?)
        return nil if tokens.empty?

        tokens.size == 1 ? Tree::Term.new(tokens[0]) : Tree::Phrase.new(tokens)
      end
      private_class_method :term_of
    end
  end
end
