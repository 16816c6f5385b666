# frozen_string_literal: true

module HybridSearch
  module Stores
    module Queries
      # A query tree as the list of the clauses to look up (QRY-8, DOC-3): the different clauses in the order of their
      # first appearance, and the tree's alternatives.
      #
      # A term whose text contains blanks is a phrase of its pieces. A phrase of one token is a term, and one without
      # tokens is ignored. A repeated clause adds its boost to the first one (QRY-8). Boosts are multiplied from the
      # outside in.
      class QueryClauses
        include Base::ShortInspect

        Tree = AdapterKit::Tree
        private_constant :Tree

        DEEPEST_NESTING = 200

        # A token, or a phrase of tokens.
        class Clause
          include Base::ShortInspect

          # @return [Array<String>] one or more tokens
          attr_reader :tokens
          # @return [Integer] the number of moves by which the tokens may be apart; 0 for one token
          attr_reader :slop
          # @return [Float] the factor of the clause's score
          attr_reader :boost

          def initialize(tokens, slop, boost)
            @tokens = tokens
            @slop = slop
            @boost = boost
            freeze
          end
        end

        # @return [Array<Clause>]
        attr_reader :clauses
        # @return [Array<Array<Integer>>] for each alternative, the positions of its clauses in {#clauses}, ascending
        attr_reader :alternatives
        # @return [Integer] the number of alternatives that a document must match; at least 1
        attr_reader :required

        # @param tree [AdapterKit::Tree::Term, AdapterKit::Tree::Phrase, AdapterKit::Tree::AnyOf,
        #   AdapterKit::Tree::Boost, AdapterKit::Tree::Group]
        # @param minimum_should_match [Integer, Float, nil] an integer is a number of alternatives. A float is a
        #   fraction of them, rounded down, but to at least 1 if it is above 0. nil requires one. The alternatives are
        #   those of the outermost any-of; groups, boosts and any-ofs with one alternative are skipped, and alternatives
        #   without tokens do not count
        def initialize(tree, minimum_should_match = nil)
          boosts = {}
          keys = {}.compare_by_identity
          collect(tree, 1.0, 0, boosts, keys)
          @clauses = boosts.map { |(slop, *tokens), boost| Clause.new(tokens.freeze, slop, boost) }.freeze
          places = boosts.each_key.with_index.to_h
          @alternatives = alternatives_of(tree, keys).map do |found|
            found.map { |key| places.fetch(key) }.uniq.sort
          end.freeze
          @required = required_of(minimum_should_match)
          freeze
        end

        private

        def required_of(wanted)
          return 1 if wanted.nil?

          if wanted.is_a?(::Float)
            fraction = Base::Validation.number("minimum_should_match", wanted, 0, 1)
            return [1, (fraction * @alternatives.size).floor].max
          end
          [1, Base::Validation.integer("minimum_should_match", wanted, 0)].max
        end

        # Collect the clauses of a node and return their keys, which `keys` stores by the identity of the node.
        def collect(node, boost, depth, boosts, keys)
          raise InvalidInputError, "the query tree is nested too deeply" if depth > DEEPEST_NESTING

          keys[node] =
            case node
            when Tree::Term, Tree::Phrase
              key_of(node).each { |key| boosts[key] = boosts.key?(key) ? finite(boosts[key] + boost) : boost }
            when Tree::AnyOf
              node.children.flat_map { |child| collect(child, boost, depth + 1, boosts, keys) }
            when Tree::Boost
              factor = Base::Validation.number("a boost", node.factor, 0)
              collect(node.child, finite(boost * factor), depth + 1, boosts, keys)
            when Tree::Group
              collect(node.child, boost, depth + 1, boosts, keys)
            else
              raise Base::Validation.failure("a node of the query tree", node, "a term, phrase, any-of, boost or group")
            end
        end

        def finite(boost)
          return boost if boost.finite?

          raise InvalidInputError, "the boosts of the query tree multiply to more than a float can hold"
        end

        # Return a list with the key of a term or phrase, the slop and the tokens; an empty list without tokens.
        def key_of(node)
          if node.is_a?(Tree::Term)
            texts = [Base::Validation.text("a term", node.text)]
            slop = 0
          else
            texts = Base::Validation.texts("the tokens of a phrase", node.tokens)
            slop = Base::Validation.integer("the slop of a phrase", node.slop, 0)
          end
          tokens = texts.flat_map { |one| Documents::StoredDocument.split_blank(one) }
          return [] if tokens.empty?

          [[tokens.size > 1 ? slop : 0, *tokens]]
        end

        def alternatives_of(tree, keys)
          node = tree
          loop do
            case node
            when Tree::Boost, Tree::Group then node = node.child
            when Tree::AnyOf
              children = node.children.reject { |child| keys[child].empty? }
              return children.map { |child| keys[child] } if children.size != 1

              node = children[0]
            else return keys[node].empty? ? [] : [keys[node]]
            end
          end
        end
      end
    end
  end
end
