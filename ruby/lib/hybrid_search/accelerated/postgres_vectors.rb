# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # Finds the nearest documents of one field of a collection in PostgreSQL, for one search (PG-5, PG-6): the server
    # screens, the library decides.
    class PostgresVectors
      include Base::ShortInspect

      # The nearest documents of a question in one state: their numbers, in no order, among them the best with all ties
      # of the last; their cosines; the vectors that were read on the way (number → vector); a score such that all
      # documents with this score or a higher one are among them; and the number of changes before the state.
      Nearest = Struct.new(:numbers, :scores, :read, :least, :generation)

      BYTES_AT_ONCE = 16 << 20
      # The maximum number of components of a vector in an index of approximate neighbours.
      MOST_INDEXED = 2000
      # The maximum number of candidates that such an index explores at first.
      MOST_EXPLORED = 1000
      MORE = Stores::Postgres::PostgresScreen::MORE
      private_constant :BYTES_AT_ONCE, :MOST_INDEXED, :MOST_EXPLORED, :MORE

      # @return [Hash{Integer=>Array<Float>}] number → vector, of the vectors that were read on the way
      attr_reader :read

      # @param field [Integer] the key of the field
      # @param query [Stores::Queries::MatchExprs::DenseQuery] the query
      # @param limit [Integer] the maximum number of wanted documents, above 0
      # @param tables [Stores::Postgres::PostgresTables] the state
      # @param allowed [String, nil] for each number a byte, 1 if its document may match; nil if all may
      def initialize(field, query, limit, tables, allowed)
        @field = field
        @query = query
        @limit = limit
        @dimension = Stores::Documents::StoredDocument.vector_dimension("field", query.field)
        @tables = tables
        @allowed = allowed
        @among, @values = PostgresMasks.among(allowed, tables)
        @read = {}
      end

      # @param approximate [Boolean] whether they may come from an index of approximate neighbours
      # @param generation [Integer] the generation of the state
      # @return [Nearest] the nearest documents
      def nearest(approximate, generation)
        found, least = approximate ? approximate_neighbours : best
        Nearest.new(*found, @read, least, generation).freeze
      end

      # @param before [Nearest] the nearest documents of the same query in an earlier state
      # @param touched [TouchedDocuments] the documents that have changed
      # @return [Nearest, nil] the nearest documents after the change; nil if the earlier ones do not suffice to find
      #   them
      def nearest_after(before, touched)
        changed = touched.since(before.generation)
        return nil if changed.nil?

        fresh = scored(touched.vectors(@field, changed).map { |number, row| [number, nil, *row] })
        pairs = left(before, changed).concat(fresh.transpose)
        return nil if least(pairs.map(&:last), @limit) < before.least # others may be among the best now

        best = pairs.select { |_, score| score >= before.least }
        gone = changed.to_h { |number| [number, true] }
        read = before.read.reject { |number, _| gone.key?(number) }.merge(@read)
        Nearest.new(best.map(&:first), best.map(&:last), read, before.least, touched.generation).freeze
      end

      private

      # Return the numbers and scores of the nearest documents of an earlier state, without changed ones.
      def left(before, changed)
        gone = changed.to_h { |number| [number, true] }
        before.numbers.zip(before.scores).reject { |number, _| gone.key?(number) }
      end

      # Return the numbers and cosines of documents, among them the best `limit` with all ties of the last, in no order;
      # and the lowest score down to which no document is missing.
      def best
        return complete(joined(all("next_vectors"))) unless can_screen?

        always = joined(all("unscreened_vectors"))
        rows = rows("nearest", @limit + MORE)
        best = joined([always, scored(rows)])
        return complete(best) if rows.size < @limit + MORE

        margin = Stores::Tables::VectorScreen.margin(@dimension)
        farthest = 1.0 - rows.map { |row| row[1] }.max + margin
        least = least(best[1], @limit)
        return complete(best, farthest) if farthest < least

        [joined([always, scored(rows("within", 1.0 - least + margin))]), least]
      end

      # Return the same as {#best}, but with candidates from an index of approximate neighbours: nothing is complete.
      def approximate_neighbours
        return best if !can_screen? || @dimension > MOST_INDEXED || @allowed

        always = joined(all("unscreened_vectors"))
        connection = @tables.connection
        connection.run("explore", [MOST_EXPLORED, @limit + MORE].min.to_s)
        text = connection.statements.text("approximate", dimension: @dimension, field: @field)
        rows = connection.rows_of(text, [vector_text, @limit])
        [joined([always, scored(rows.select { |row| row[1] })]), ::Float::INFINITY]
      end

      # Return the found documents, among them the best of all documents above `farthest`, and the lowest score down to
      # which no document is missing.
      def complete(found, farthest = -::Float::INFINITY)
        least = least(found[1], @limit + MORE)
        [found, farthest > least ? found[1].select { |score| score > farthest }.min || least : least]
      end

      def can_screen?
        Stores::Tables::VectorScreen.can_screen?(@dimension, Base::Numeric.norm(@query.vector))
      end

      def vector_text
        Stores::Postgres::PostgresScreen.text(@query.vector)
      end

      # Return the rows of a statement for the documents that count.
      def rows(name, value)
        statements = @tables.connection.statements
        text = statements.text(name, among: @among && statements.text(@among, place: 4))
        @tables.connection.rows_of(text, [@field, vector_text, value, *@values])
      end

      # Return all vectors of a statement, part by part.
      def all(name)
        at_once = [1, BYTES_AT_ONCE / (8 * @dimension)].max
        found = []
        last = -1
        until (rows = @tables.connection.rows(name, @field, last, at_once)).empty?
          found << scored(rows.map { |number, *row| [number, nil, *row] })
          last = rows[-1][0]
        end
        found
      end

      def scored(rows)
        return [[], []] if rows.empty?

        vectors = rows.map { |_, _, _, exact, screen| Stores::Postgres::PostgresTables.components(exact, screen) }
        numbers = rows.map(&:first)
        numbers.zip(vectors) { |number, vector| @read[number] = vector }
        index = FastDenseIndex.of(@dimension, vectors, numbers, rows.map { |row| row[2] })
        index.best(@query.vector, @limit + MORE, @query.similarity, @allowed)
      end

      # Return the best of several parts.
      def joined(found)
        [found.flat_map(&:first), found.flat_map(&:last)]
      end

      # Return the lowest score of a document that can be among the best `count`.
      def least(scores, count)
        known = [@query.similarity]
        known << scores.max(count)[-1] if scores.size >= count
        known.compact.max || -::Float::INFINITY
      end
    end
  end
end
