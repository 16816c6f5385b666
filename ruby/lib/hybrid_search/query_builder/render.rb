# frozen_string_literal: true

module HybridSearch
  module AdapterKit
    # Writes a query tree in the syntax of an engine: Lucene, PostgreSQL, SQLite (QRY-8).
    module Render
      # The largest slop that is written as the distances it allows.
      MOST_DISTANCES = 256

      module_function

      # @param tree [Tree::Term, Tree::Phrase, Tree::AnyOf, Tree::Boost, Tree::Group]
      # @return [String] Lucene `query_string` text
      # @raise [InvalidInputError] `tree` is not a query tree
      def lucene(tree)
        case tree
        when Tree::Term then tree.escape ? QueryBuilders::Clauses.escape(tree.text) : tree.text
        when Tree::Phrase then lucene_phrase(tree)
        when Tree::AnyOf then tree.children.map { |child| lucene(child) }.join(tree.joiner)
        when Tree::Boost then "#{lucene(tree.child)}^#{factor(tree)}"
        when Tree::Group then "(#{lucene(tree.child)})"
        else raise Base::Validation.failure("tree", tree, "a query tree")
        end
      end

      # Return PostgreSQL `tsquery` text; the empty text for a tree that matches nothing.
      #
      # Such text has no boosts, so they are omitted. A phrase of two tokens with slop becomes the distances that it
      # allows. With more tokens, or a slop above 256, the text requires all tokens at any positions. That finds more
      # documents and never fewer.
      #
      # @param tree [Tree::Term, Tree::Phrase, Tree::AnyOf, Tree::Boost, Tree::Group]
      # @return [String]
      # @raise [InvalidInputError] `tree` is not a query tree
      def tsquery(tree)
        case tree
        when Tree::Term then lexeme(tree.text)
        when Tree::Phrase
          tsquery_phrase(tree.tokens.map { |token| lexeme(token) }.reject(&:empty?), tree.slop)
        when Tree::AnyOf then alternatives(tree.children.map { |child| tsquery(child) }, " | ")
        when Tree::Boost, Tree::Group then tsquery(tree.child)
        else raise Base::Validation.failure("tree", tree, "a query tree")
        end
      end

      # Return SQLite FTS5 `MATCH` text; the empty text for a tree that matches nothing.
      #
      # Such text has no boosts, so they are omitted. `NEAR` accepts the tokens of a phrase with slop in any order.
      #
      # @param tree [Tree::Term, Tree::Phrase, Tree::AnyOf, Tree::Boost, Tree::Group]
      # @return [String]
      # @raise [InvalidInputError] `tree` is not a query tree
      def fts5(tree)
        case tree
        when Tree::Term then string([tree.text])
        when Tree::Phrase then fts5_phrase(tree.tokens.reject { |token| string([token]).empty? }, tree.slop)
        when Tree::AnyOf then alternatives(tree.children.map { |child| fts5(child) }, " OR ")
        when Tree::Boost, Tree::Group then fts5(tree.child)
        else raise Base::Validation.failure("tree", tree, "a query tree")
        end
      end

      def lucene_phrase(phrase)
        tokens = phrase.escape ? phrase.tokens.map { |token| QueryBuilders::Clauses.escape(token) } : phrase.tokens
        quoted = "\"#{tokens.join(" ")}\""
        phrase.slop.zero? ? quoted : "#{quoted}~#{phrase.slop}"
      end
      private_class_method :lucene_phrase

      def factor(boost)
        case boost.weight_format
        when :fixed4 then Base::Numeric.fixed4(boost.factor)
        when :integer then boost.factor.to_i.to_s
        else Base::Numeric.shortest(boost.factor)
        end
      end
      private_class_method :factor

      # Return the texts that are not empty, joined; in brackets if there is more than one.
      def alternatives(texts, joiner)
        found = texts.reject(&:empty?)
        found.size > 1 ? "(#{found.join(joiner)})" : found.join
      end
      private_class_method :alternatives

      # Return a quoted lexeme; empty for the empty text. PostgreSQL text cannot contain U+0000.
      def lexeme(text)
        plain = text.delete("\0")
        plain.empty? ? "" : "'#{plain.gsub("\\") { "\\\\" }.gsub("'", "''")}'"
      end
      private_class_method :lexeme

      def tsquery_phrase(lexemes, slop)
        return lexemes.join if lexemes.size < 2
        return "(#{lexemes.join(" <-> ")})" if slop.zero?
        return "(#{lexemes.join(" & ")})" if lexemes.size > 2 || slop > MOST_DISTANCES

        first, second = lexemes
        forward = (1..slop + 1).map { |distance| "#{first} <#{distance}> #{second}" }
        backward = (1...slop).map { |distance| "#{second} <#{distance}> #{first}" }
        "(#{(forward + backward).join(" | ")})"
      end
      private_class_method :tsquery_phrase

      def fts5_phrase(tokens, slop)
        return string(tokens) if slop.zero? || tokens.size < 2

        "NEAR(#{tokens.map { |token| string([token]) }.join(" ")}, #{slop + tokens.size - 2})"
      end
      private_class_method :fts5_phrase

      # Return a quoted FTS5 string, or the empty text without tokens.
      def string(tokens)
        plain = tokens.map { |token| token.delete("\0") }.join(" ")
        plain.empty? ? "" : "\"#{plain.gsub("\"", "\"\"")}\""
      end
      private_class_method :string
    end
  end
end
