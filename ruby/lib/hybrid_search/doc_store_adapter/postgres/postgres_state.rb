# frozen_string_literal: true

module HybridSearch
  module Stores
    module Postgres
      # Reads everything that transactions need after a change of a collection in PostgreSQL at once (PG-5); later
      # transactions in the same state reuse it.
      class PostgresState
        include Base::ShortInspect

        # The data that was read in one state: the fields by name, the stored sources of vector fields, and the changes
        # recorded since the generation of the previous state.
        ReadState = Struct.new(:state, :generation, :fields, :sources, :since, :changes)
        # The parts of a row of `state_since`: a field, whether it has a source, the source, and a change.
        FIELD = 5
        SOURCE = 6
        CHANGE = 8
        private_constant :ReadState, :FIELD, :SOURCE, :CHANGE

        # @param rows [Array<Array>] the columns of a field, which others may follow
        # @return [Hash{String=>Tables::FieldRow}] name → field
        def self.fields_of(rows)
          rows.to_h do |field, name, documents, tokens, filled|
            name = text(name)
            [name, Tables::FieldRow.new(field, name, documents, tokens, filled)]
          end
        end

        # @param rows [Array<Array>]
        # @return [Hash{String=>VectorSource}] vector field → its stored source
        def self.sources_of(rows)
          rows.to_h { |field, model, origin| [text(field), VectorSource.new(model && text(model), origin)] }
        end

        # @param written [String]
        # @return [String] the text of bytes that the server sends
        def self.text(written)
          written.force_encoding(::Encoding::UTF_8).freeze
        end

        def initialize
          @last = nil
        end

        # @param seen [PostgresTables] the state that a transaction sees
        # @return [Hash{String=>Tables::FieldRow}] its fields
        def fields(seen)
          at(seen).fields
        end

        # @param seen [PostgresTables] the state that a transaction sees
        # @return [Hash{String=>VectorSource}] its sources of vector fields
        def sources(seen)
          at(seen).sources
        end

        # @param seen [PostgresTables] the state that a transaction sees
        # @param generation [Integer] the generation of an earlier state
        # @return [Array<Array>, nil] the changes recorded since then; nil if others were read
        def changes(seen, generation)
          read = at(seen)
          read.changes if read.since == generation
        end

        private

        def at(seen)
          last = @last
          return last if last && last.state == seen.state

          since = last ? last.generation : seen.generation
          rows = seen.connection.rows("state_since", since)
          sources = rows.select { |row| row[FIELD] }.map { |row| [row[1].dup, *row[SOURCE...CHANGE]] }
          changes = rows.select { |row| row[CHANGE] }.map { |row| row[CHANGE..] }.sort_by(&:first)
          fields = PostgresState.fields_of(rows.select(&:first))
          @last = ReadState.new(seen.state, seen.generation, fields, PostgresState.sources_of(sources), since, changes)
        end
      end
    end
  end
end
