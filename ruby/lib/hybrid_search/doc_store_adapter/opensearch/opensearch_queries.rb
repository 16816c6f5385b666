# frozen_string_literal: true

module HybridSearch
  module Stores
    module OpenSearch
      # A query, and the factor of its scores.
      class ScaledQuery
        include Base::ShortInspect

        # @return [Hash] the query for the engine
        attr_reader :query

        # @return [Float] the factor, at least 1
        attr_reader :scale

        # @param query [Hash] the query for the engine
        # @param scale [Float] the factor, at least 1
        def initialize(query, scale)
          @query = query
          @scale = scale
          freeze
        end
      end

      # Writes text queries, from the query tree and never from text (QRY-8, DOC-3).
      class TextQueries
        include Base::ShortInspect

        LARGEST_SLOP = 1_000_000
        # The engine's scores are 32-bit floats. Larger boosts are divided first, and the scores are multiplied
        # afterwards.
        LARGEST_BOOST = 1e6
        # The token field of an index that contains the tokens of `BM25F_FIELDS`, each as often as its weight requires
        # (OS-8).
        BAG = "bag"
        # The share of a token's scores in other fields than the best one, if there is no such field.
        OF_OTHER_FIELDS = 0.1

        # @param fields [OwnLayout, RagflowLayout] writes the queries for tokens
        # @param most_clauses [Integer] the maximum number of clauses that the engine accepts in one query
        def initialize(fields, most_clauses)
          @fields = fields
          @most_clauses = most_clauses
        end

        # Make the query of a text leg. The score of a clause is that of the best field (`dis_max`); the scores of
        # clauses add up. The required number of alternatives must match. A clause in several alternatives scores in the
        # first of them.
        #
        # @param wanted [Queries::MatchExprs::TextQuery]
        # @return [ScaledQuery, nil] the query, or nil if it matches nothing
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

        # Make the query of a bag. The score of a token is that of the field `bag`, if the index has one. Without it, or
        # for fields other than those of `BM25F_FIELDS`, the score is that of the best field and a tenth of the others.
        #
        # @param wanted [Queries::MatchExprs::Bm25fQuery] the tokens and the fields
        # @param has_bag [Boolean] whether the index has the field `bag`
        # @return [Hash, nil] the query of a bag of tokens, or nil if it matches nothing (DOC-9)
        def bag(wanted, has_bag)
          fields = has_bag && wanted.fields == QueryBuilder::BM25F_FIELDS ? [[BAG, 1.0]] : factors(wanted)
          counts = counted(wanted, fields.size)
          return nil if counts.empty? || fields.empty?

          { "bool" => { "should" => counts.map { |token, count| of_token(token, count, fields) },
                        "minimum_should_match" => 1 } }
        end

        private

        # Return the fields with the score of a token that occurs in one of them once, as a multiple of an unweighted
        # one.
        def factors(wanted)
          weighed = wanted.fields.select { |_, weight| weight.positive? }
          saturation = Snapshot::Bm25f::K1
          weighed.map { |field, weight| [field, weight * (1.0 + saturation) / (weight + saturation)] }
        end

        def of_token(token, count, fields)
          clause = Queries::QueryClauses::Clause.new([token], 0, 1.0)
          queries = fields.map { |field, factor| boosted(@fields.matching(field, clause), count * factor) }
          queries.size == 1 ? queries[0] : { "dis_max" => { "queries" => queries, "tie_breaker" => OF_OTHER_FIELDS } }
        end

        # Return the tokens with their counts; if they exceed the engine's limit, the least frequent are omitted.
        def counted(wanted, fields)
          most = @most_clauses / [1, fields].max
          return wanted.counts if wanted.counts.size <= most

          places = wanted.counts.keys.each_with_index.to_h
          ordered = wanted.counts.keys.sort_by { |token| [-wanted.counts[token], places[token]] }
          omitted(ordered.size, fields, ordered.size - most)
          Base::Slices.head(ordered, most).to_h { |token| [token, wanted.counts[token]] }
        end

        def omitted(clauses, fields, count)
          Base::Log.warning("a text query has #{clauses} clauses in #{fields} fields, more than the engine takes: " \
                            "#{count} with the lowest boosts are left out")
        end

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
          boost += 0.0 # the engine refuses -0.0
          { kind => { field => { **parts, "boost" => boost } } }
        end

        def scale(wanted)
          largest = wanted.clauses.clauses.map(&:boost).max * wanted.fields.map { |_, boost| boost }.max
          [1.0, largest / LARGEST_BOOST].max
        end

        # Return the alternatives; if they exceed the engine's limit, clauses with the lowest boosts are omitted.
        def kept(wanted)
          alternatives = wanted.clauses.alternatives
          most = @most_clauses / [1, wanted.fields.size].max
          places = alternatives.flatten
          return alternatives if places.size <= most

          kept = best(wanted, places.tally, most)
          omitted(places.uniq.size, wanted.fields.size, places.uniq.size - kept.size)
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

        # A component in this range has a square that 32-bit floats can represent well.
        SMALLEST = 1e-15
        LARGEST = 1e15
        # The maximum error of the engine's cosines; documents within it of the minimum similarity remain candidates.
        CLOSE = 1e-6

        # @param score [Float]
        # @return [Float] the cosine of a score
        def self.cosine(score)
          (2.0 * score) - 1.0
        end

        # Return a vector of the same direction that 32-bit floats can represent; nil for a zero vector.
        #
        # The vector is returned unchanged if its largest component is neither very large nor very small.
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

        # @param exact [Boolean] whether all vectors are compared, instead of those that the graph reaches
        # @param engine [OpenSearchEngine] the engine of the cluster
        def initialize(exact, engine)
          @exact = exact
          @engine = engine
        end

        # Return the query, whose scores are (1 + cosine) / 2.
        #
        # @param wanted [Queries::MatchExprs::DenseQuery] the dense query
        # @param field [String] the engine's name of the vector field
        # @param filters [Hash] the query of the filters
        # @param zero [Hash, nil] a query for the documents whose vector is zero, which the engine cannot store; nil if
        #   there are no such documents
        # @param all_of [Hash] a query for the documents that have a vector in the field
        # @param count [Integer] the number of documents to find; 0 finds all, which requires comparing all vectors
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
          return @engine.near(field, vector, filters, count) unless @exact || count.zero?

          having = { "bool" => { "filter" => [{ "exists" => { "field" => field } }, filters] } }
          { "script_score" => { "query" => having, "script" => @engine.compared(field, vector) } }
        end

        def half(filters)
          { "constant_score" => { "filter" => { "bool" => { "filter" => filters } }, "boost" => 0.5 } }
        end
      end
    end
  end
end
