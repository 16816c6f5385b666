# frozen_string_literal: true

module HybridSearch
  module AdapterKit
    # The query tree (QRY-8): the meaning of a text query, independent of the syntax of an engine.
    #
    # {MatchTextExpr} contains a tree; {Render} writes it as Lucene, PostgreSQL or SQLite text, and the embedded store
    # evaluates the tree itself, so nothing parses a query text again.
    module Tree
      # One token to match. `text` is never escaped; `escape` says whether the Lucene text escapes it (QRY-7).
      class Term
        include Base::Value

        # @return [String]
        attr_reader :text
        # @return [Boolean]
        attr_reader :escape

        def initialize(text, escape: true)
          @text = text
          @escape = escape
          freeze
        end
      end

      # Tokens that follow one another, at most `slop` moves apart; in the Lucene text they are in quotes.
      class Phrase
        include Base::Value

        # @return [Array<String>] the tokens, never escaped
        attr_reader :tokens
        # @return [Integer] the total number of position moves that are allowed; 0 is the exact phrase
        attr_reader :slop
        # @return [Boolean] whether the Lucene text escapes the tokens
        attr_reader :escape

        def initialize(tokens, slop: 0, escape: true)
          @tokens = tokens.dup.freeze
          @slop = slop
          @escape = escape
          freeze
        end
      end

      # Alternatives; a document matches if one of them does, and its score is their sum.
      # An empty list matches nothing and renders as the empty text.
      class AnyOf
        include Base::Value

        # @return [Array<Term, Phrase, AnyOf, Boost, Group>]
        attr_reader :children
        # @return [String] a blank or " OR "
        attr_reader :joiner

        def initialize(children, joiner: " ")
          @children = children.dup.freeze
          @joiner = joiner
          freeze
        end
      end

      # A child whose score counts `factor` times, written `child^factor`.
      class Boost
        include Base::Value

        # @return [Term, Phrase, AnyOf, Boost, Group]
        attr_reader :child
        # @return [Float]
        attr_reader :factor
        # @return [Symbol] :shortest, :fixed4 or :integer (NUM-5)
        attr_reader :weight_format

        def initialize(child, factor, weight_format: :shortest)
          @child = child
          @factor = factor
          @weight_format = weight_format
          freeze
        end
      end

      # A child in brackets; the same meaning as the child.
      class Group
        include Base::Value

        # @return [Term, Phrase, AnyOf, Boost, Group]
        attr_reader :child

        def initialize(child)
          @child = child
          freeze
        end
      end
    end
  end
end
