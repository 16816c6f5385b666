# frozen_string_literal: true

module HybridSearch
  module Stores
    module OceanBase
      # The nearest vectors of a collection in OceanBase (OB-2), for one search in one field: the server screens, the
      # library decides.
      class OceanBaseVectors
        include Base::ShortInspect

        # The number of documents that are requested in addition to the wanted ones.
        MORE = 32
        private_constant :MORE

        # @return [Hash{String=>Array<Float>}] id → the vector of a document that was read
        attr_reader :read

        # @param tables [OceanBaseTables] the tables in one state
        # @param query [Queries::MatchExprs::DenseQuery] the query; the field has vectors, and `topn` is above 0
        # @param filters [AdapterKit::Filters]
        # @param approximate [Boolean] whether an index of approximate neighbours is used, if there is one
        def initialize(tables, query, filters, approximate)
          @connection = tables.connection
          @tables = tables
          @query = query
          @dimension = Documents::StoredDocument.vector_dimension("field", query.field)
          @filter = tables.condition(filters)
          @approximate = approximate && @filter == OceanBaseTables::EVERYTHING
          @norm = Base::Numeric.norm(query.vector)
          @read = {}
        end

        # @return [Array<Array(String, Float)>] the leg, at most `topn` documents
        def leg
          Base::Slices.head(Base::Ordering.rank(best), @query.topn)
        end

        private

        # Return documents, among them the best `topn` with all ties of the last.
        def best
          return unscreened(0) unless Tables::VectorScreen.can_screen?(@dimension, @norm)

          always = unscreened(1)
          wanted = [@query.topn, @tables.count].min
          if @approximate && @connection.rows("indexed", dimension: @dimension)[0][0].positive?
            return always + scored(asked("approximate", limit: wanted))
          end

          limit = wanted + MORE
          rows = asked("nearest", limit:)
          found = always + scored(rows)
          return found if rows.size < limit

          margin = Tables::VectorScreen.margin(@dimension)
          least = least(found.map(&:last))
          return found if rows[-1][1] + margin < least

          always + scored(asked("within", least: OceanBaseStatements.value(least - margin)))
        end

        # Return the documents that the server cannot compare (1), or all (0).
        def unscreened(least)
          scored(asked("always", least:))
        end

        # Return the rows of a statement: numbers of documents, most of them with their approximate cosines.
        def asked(name, **values)
          values[:vector] = OceanBaseStatements.value(@query.vector.pack("e*")) unless name == "always"
          @connection.rows(name, dimension: @dimension, filter: @filter, **values)
        end

        # Return the exact cosines of documents with sufficient similarity.
        def scored(rows)
          found = rows.map(&:first).each_slice(OceanBaseTables::PART).flat_map do |part|
            numbers = OceanBaseStatements.row(part)
            @connection.rows("scored", dimension: @dimension, numbers:).map do |_, identifier, packed|
              name = identifier.dup.force_encoding(Encoding::UTF_8)
              vector = @read[name] = OceanBaseTables.components(packed, @dimension)
              [name, Base::Numeric.cosine_of(@query.vector, @norm, vector, Base::Numeric.norm(vector))]
            end
          end
          @query.similarity ? found.select { |_, cosine| cosine >= @query.similarity } : found
        end

        # Return the lowest score of a document that can be among the best.
        def least(scores)
          least = @query.similarity || -Float::INFINITY
          return least if scores.size < @query.topn

          [least, scores.max(@query.topn)[-1]].max
        end
      end
    end
  end
end
