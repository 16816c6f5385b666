# frozen_string_literal: true

module HybridSearch
  module Stores
    module Queries
      # The checked legs of a search (DOC-1): empty, a text query, a dense query, or both; and their fusion.
      class MatchExprs
        include Base::ShortInspect

        COMBINATIONS = [
          [], %w[text], %w[dense], %w[text fusion], %w[dense fusion], %w[text dense fusion], %w[dense text fusion]
        ].freeze
        private_constant :COMBINATIONS
        LARGEST_BOOST = 1e300
        LARGEST_WEIGHT = 1e100

        # A checked {AdapterKit::MatchTextExpr}.
        class TextQuery
          include Base::ShortInspect

          # @return [Array<Array(String, Float)>] field names and boosts
          attr_reader :fields
          # @return [QueryClauses]
          attr_reader :clauses
          # @return [Integer]
          attr_reader :topn

          def initialize(fields, clauses, topn)
            @fields = fields.freeze
            @clauses = clauses
            @topn = topn
            freeze
          end

          # @param topn [Integer]
          # @return [TextQuery] the same query with another limit
          def with_topn(topn)
            TextQuery.new(@fields, @clauses, topn)
          end

          # @return [Array<String>] the texts to look up in the fields: tokens, and phrases as whole keywords
          def tokens
            clauses.clauses.flat_map { |clause| [*clause.tokens, clause.tokens.join(" ")] }.uniq
          end
        end

        # A checked {AdapterKit::MatchBm25fExpr}.
        class Bm25fQuery
          include Base::ShortInspect

          # @return [Array<Array(String, Float)>] field names and weights
          attr_reader :fields
          # @return [Hash{String=>Integer}] each token with its count
          attr_reader :counts
          # @return [Integer]
          attr_reader :topn

          def initialize(fields, counts, topn)
            @fields = fields.freeze
            @counts = counts.freeze
            @topn = topn
            freeze
          end

          # @param topn [Integer]
          # @return [Bm25fQuery] the same query with another limit
          def with_topn(topn)
            Bm25fQuery.new(@fields, @counts, topn)
          end

          # @return [Array<String>] the tokens to look up in the fields
          def tokens
            counts.keys
          end
        end

        # A checked {AdapterKit::MatchDenseExpr}.
        class DenseQuery
          include Base::ShortInspect

          # @return [String]
          attr_reader :field
          # @return [Array<Float>]
          attr_reader :vector
          # @return [Integer]
          attr_reader :topn
          # @return [Float, nil] the minimum cosine
          attr_reader :similarity

          def initialize(field, vector, topn, similarity)
            @field = field
            @vector = vector.freeze
            @topn = topn
            @similarity = similarity
            freeze
          end

          # @param topn [Integer]
          # @return [DenseQuery] the same query with another limit
          def with_topn(topn)
            DenseQuery.new(@field, @vector, topn, @similarity)
          end
        end

        # @return [TextQuery, Bm25fQuery, nil]
        attr_reader :text
        # @return [DenseQuery, nil]
        attr_reader :dense
        # @return [AdapterKit::FusionExpr, nil]
        attr_reader :fusion

        # @param match_exprs [Array<AdapterKit::MatchTextExpr, AdapterKit::MatchBm25fExpr, AdapterKit::MatchDenseExpr,
        #   AdapterKit::FusionExpr>] the fusion comes last
        # @raise [InvalidInputError] another combination, or an expression with unacceptable content
        # @raise [DimensionMismatchError] the length of a vector is not the one in the name of its field
        def initialize(match_exprs)
          unless match_exprs.is_a?(::Array)
            raise Base::Validation.failure("match_exprs", match_exprs, "a list of match expressions")
          end

          kinds = match_exprs.each_with_index.map { |expr, index| kind("match_exprs[#{index}]", expr) }
          unless COMBINATIONS.include?(kinds)
            raise InvalidInputError, "match_exprs must hold nothing, a text query, a dense query, " \
                                     "or both and a fusion, not #{kinds.join(", ")}"
          end
          by_kind = kinds.zip(match_exprs).to_h
          @text = by_kind.key?("text") ? any_text_query(by_kind["text"]) : nil
          @dense = by_kind.key?("dense") ? dense_query(by_kind["dense"]) : nil
          @fusion = by_kind["fusion"]
          if @fusion&.method == "auto" && @text.is_a?(TextQuery)
            raise InvalidInputError, 'fusion "auto" takes a MatchBm25fExpr, not a MatchTextExpr'
          end

          freeze
        end

        # @return [Boolean] whether there is no leg
        def empty?
          @text.nil? && @dense.nil?
        end

        private

        def kind(name, expr)
          case expr
          when AdapterKit::MatchTextExpr, AdapterKit::MatchBm25fExpr then "text"
          when AdapterKit::MatchDenseExpr then "dense"
          when AdapterKit::FusionExpr then "fusion"
          else
            raise Base::Validation.failure(name, expr,
                                           "a MatchTextExpr, a MatchBm25fExpr, a MatchDenseExpr or a FusionExpr")
          end
        end

        def any_text_query(expr)
          expr.is_a?(AdapterKit::MatchTextExpr) ? text_query(expr) : bm25f_query(expr)
        end

        def text_query(expr)
          fields = checked_fields(expr.fields, "boost")
          clauses = QueryClauses.new(expr.tree, expr.extra_options["minimum_should_match"])
          all_clauses = Base::Numeric.sum_left(clauses.clauses.map(&:boost))
          unless all_clauses * fields.map(&:last).push(1.0).max <= LARGEST_BOOST
            raise InvalidInputError, "the boosts of a text query must not multiply to more than 1e+300"
          end

          TextQuery.new(fields, clauses, Base::Validation.integer("topn", expr.topn, 0))
        end

        def bm25f_query(expr)
          fields = checked_fields(expr.fields, "weight", LARGEST_WEIGHT)
          counts = Base::Validation.texts("tokens", expr.tokens).tally
          Bm25fQuery.new(fields, counts, Base::Validation.integer("topn", expr.topn, 0))
        end

        # Return the names of searchable fields with a factor for each, at least 0.
        def checked_fields(given, factor, most = nil)
          given.each_with_index.map { |pair, index| checked_field("fields[#{index}]", pair, factor, most) }
        end

        def checked_field(name, pair, factor, most)
          unless pair.is_a?(::Array) && pair.size == 2
            raise Base::Validation.failure(name, pair, "a (field, #{factor}) pair")
          end

          field = Base::Validation.text("#{name}[0]", pair[0])
          unless Documents::StoredDocument.searchable?(field)
            raise InvalidInputError, "#{name}[0] must be a token or keyword field (_tks, _ltks, _kwd), " \
                                     "not #{Base::Validation.describe(field)}"
          end
          [field, Base::Validation.number("#{name}[1]", pair[1], 0, most)].freeze
        end

        def dense_query(expr)
          field = Base::Validation.text("field", expr.field)
          vector = Base::Validation.vector("vector", expr.vector,
                                           dimension: Documents::StoredDocument.vector_dimension("field", field))
          similarity = expr.extra_options["similarity"]
          similarity = Base::Validation.number("similarity", similarity) unless similarity.nil?
          similarity = nil if similarity && similarity <= -1.0 # no cosine is lower, even with rounding errors
          DenseQuery.new(field, vector, Base::Validation.integer("topn", expr.topn, 0), similarity)
        end
      end
    end
  end
end
