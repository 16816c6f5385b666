# frozen_string_literal: true

module HybridSearch
  module Stores
    module OpenSearch
      # A query, and what its scores are multiplied with.
      class ScaledQuery
        include Base::ShortInspect

        # @return [Hash] what the engine is asked
        attr_reader :query

        # @return [Float] at least 1
        attr_reader :scale

        # @param query [Hash] what the engine is asked
        # @param scale [Float] at least 1
        def initialize(query, scale)
          @query = query
          @scale = scale
          freeze
        end
      end

      # Writes text queries, from the query tree and never from a text (QRY-8, DOC-3).
      class TextQueries
        include Base::ShortInspect

        LARGEST_SLOP = 1_000_000
        # Scores of the engine are floats of 32 bits: larger boosts are divided before, and the scores multiplied after.
        LARGEST_BOOST = 1e6

        # @param fields [OwnLayout, RagflowLayout] how the index is asked for tokens
        # @param most_clauses [Integer] how many the engine takes in one query
        def initialize(fields, most_clauses)
          @fields = fields
          @most_clauses = most_clauses
        end

        # A clause scores what it does in the field that suits it best (`dis_max`); the scores of clauses add up. Of the
        # alternatives so many must match as are required. A clause that is in several of them scores in the first.
        #
        # @param wanted [Queries::MatchExprs::TextQuery]
        # @return [ScaledQuery, nil] the query, nil where it matches nothing
        def query(wanted)
          alternatives = kept(wanted)
          return nil if alternatives.empty? || wanted.fields.empty?
          return nil if wanted.clauses.required > wanted.clauses.alternatives.size

          scale = scale(wanted)
          seen = {}
          written = alternatives.map { |places| alternative(wanted, places, seen, scale) }
          required = [wanted.clauses.required, written.size].min
          ScaledQuery.new({ "bool" => { "should" => written, "minimum_should_match" => required } }, scale)
        end

        private

        def alternative(wanted, places, seen, scale)
          written = places.map do |place|
            query = clause(wanted, place, scale)
            query = { "constant_score" => { "filter" => query, "boost" => 0.0 } } if seen.key?(place)
            seen[place] = true
            query
          end
          written.size == 1 ? written[0] : { "bool" => { "should" => written, "minimum_should_match" => 1 } }
        end

        def clause(wanted, place, scale)
          clause = wanted.clauses.clauses[place]
          queries = wanted.fields.map do |field, boost|
            boosted(@fields.matching(field, clause), clause.boost * boost / scale)
          end
          queries.size == 1 ? queries[0] : { "dis_max" => { "queries" => queries } }
        end

        def boosted(query, boost)
          kind, fields = query.first
          field, parts = fields.first
          { kind => { field => { **parts, "boost" => boost } } }
        end

        def scale(wanted)
          largest = wanted.clauses.clauses.map(&:boost).max * wanted.fields.map { |_, boost| boost }.max
          [1.0, largest / LARGEST_BOOST].max
        end

        # The alternatives, without the clauses of the lowest boosts where there are more than the engine takes.
        def kept(wanted)
          alternatives = wanted.clauses.alternatives
          most = @most_clauses / [1, wanted.fields.size].max
          places = alternatives.flatten
          return alternatives if places.size <= most

          kept = best(wanted, places.tally, most)
          left_out = places.uniq.size - kept.size
          Base::Log.warning("a text query has #{places.uniq.size} clauses in #{wanted.fields.size} fields, more than " \
                            "the engine takes: #{left_out} with the lowest boosts are left out")
          alternatives.map { |own| own.select { |place| kept.key?(place) } }.reject(&:empty?)
        end

        def best(wanted, counts, most)
          used = 0
          ordered = counts.keys.sort_by { |place| [-wanted.clauses.clauses[place].boost, place] }
          ordered.take_while { |place| (used += counts[place]) <= most }.to_h { |place| [place, true] }
        end
      end

      # Writes dense queries (DOC-3).
      class DenseQueries
        include Base::ShortInspect

        # Between these a component's square is no problem for floats of 32 bits.
        SMALLEST = 1e-15
        LARGEST = 1e15
        # How far the engine's cosines may be from the exact ones; those within it of a lowest similarity are
        # candidates.
        CLOSE = 1e-6

        # @param score [Float]
        # @return [Float] the cosine of a score
        def self.cosine(score)
          (2.0 * score) - 1.0
        end

        # A vector of the same direction that floats of 32 bits can hold; nil for zero. It is the same vector where its
        # largest component is neither very large nor very small.
        #
        # @param vector [Array<Float>]
        # @return [Array<Float>, nil]
        def self.scaled(vector)
          largest = vector.map(&:abs).max
          return nil if largest.zero?
          return vector if largest.between?(SMALLEST, LARGEST)

          exponent = Math.frexp(largest)[1]
          vector.map { |component| Math.ldexp(component, -exponent) }
        end

        # @param exact [Boolean] whether all vectors are compared, instead of those that the graph leads to
        def initialize(exact)
          @exact = exact
        end

        # The query; its scores are (1 + cosine) / 2.
        #
        # @param wanted [Queries::MatchExprs::DenseQuery] what is asked
        # @param field [String] the engine's name of the vector field
        # @param filters [Hash] which documents count
        # @param zero [Hash, nil] those whose vector is zero, which the engine cannot hold; nil where there are none
        # @param all_of [Hash] those that have a vector in the field
        # @param count [Integer] how many are wanted; 0: as many as there are, which needs comparing all
        # @return [Hash]
        def query(wanted, field, filters, zero, all_of, count)
          vector = DenseQueries.scaled(wanted.vector)
          return half([all_of, filters]) unless vector

          near = near(vector, field, filters, count)
          return near if zero.nil? || (wanted.similarity && wanted.similarity > CLOSE)

          { "bool" => { "should" => [near, half([zero, filters])], "minimum_should_match" => 1 } }
        end

        private

        def near(vector, field, filters, count)
          unless @exact || count.zero?
            return { "knn" => { field => { "vector" => vector, "k" => count, "filter" => filters } } }
          end

          params = { "field" => field, "query_value" => vector, "space_type" => "cosinesimil" }
          having = { "bool" => { "filter" => [{ "exists" => { "field" => field } }, filters] } }
          script = { "lang" => "knn", "source" => "knn_score", "params" => params }
          { "script_score" => { "query" => having, "script" => script } }
        end

        def half(filters)
          { "constant_score" => { "filter" => { "bool" => { "filter" => filters } }, "boost" => 0.5 } }
        end
      end
    end
  end
end
