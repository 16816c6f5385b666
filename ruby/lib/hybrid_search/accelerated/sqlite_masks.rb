# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # Finds the documents of an index file that pass filters, by the values that the file contains (SQL-5, DOC-2).
    class SqliteMasks < CachedMasks
      # Evaluates conditions once for each value, for all documents with this value together. Masks are Integers with a
      # byte for each number, the first the highest.
      class Evaluation
        include Base::ShortInspect

        AVAILABLE = Stores::Documents::FieldPath.of("available_int")
        private_constant :AVAILABLE

        # @param tables [Stores::Sqlite::SqliteTables]
        def initialize(tables)
          @tables = tables
          row = tables.field(Stores::Sqlite::SqliteSchema::DOCUMENTS, "")
          @every = integer { |bytes| mark(bytes, tables.places(row.field, "")) if row }
        end

        # @param condition [Stores::Filters::FilterConditions::Conjunction]
        # @return [String] for each number a byte, 1 if its document passes
        def bytes(condition)
          [of(condition).to_s(16).rjust(2 * @tables.numbers, "0")].pack("H*")
        end

        private

        def of(condition)
          case condition
          when Stores::Filters::FilterConditions::Conjunction then all(condition.conditions)
          when Stores::Filters::FilterConditions::AllConditions then all(condition.filters)
          when Stores::Filters::FilterConditions::AnyCondition then any(condition.filters)
          when Stores::Filters::FilterConditions::Negation then @every & ~of(condition.filters)
          when Stores::Filters::FilterConditions::Missing
            @every & ~any(condition.paths.map { |path| Stores::Filters::FilterConditions::Exists.new(path, true) })
          when Stores::Filters::FilterConditions::Identified then identified(condition)
          when Stores::Filters::FilterConditions::Available then of_path(AVAILABLE, condition)
          else of_path(condition.path, condition)
          end
        end

        def all(conditions)
          conditions.inject(@every) { |mask, condition| mask & of(condition) }
        end

        def any(conditions)
          conditions.inject(0) { |mask, condition| mask | of(condition) }
        end

        def identified(condition)
          integer do |bytes|
            condition.identifiers.each do |identifier|
              number = @tables.number(identifier)
              bytes.setbyte(number, 1) if number
            end
          end
        end

        def of_path(path, condition)
          return of_documents(condition) unless Stores::Filters::Attributes.attribute?(path.steps[0])

          passing = blank
          held = blank
          row = @tables.field(Stores::Sqlite::SqliteSchema::ATTRIBUTES, path.name)
          terms = row ? @tables.terms(row.field) : []
          terms.each do |written, places|
            mark(held, places)
            candidate = Stores::Filters::Attributes.candidate(path.name, Stores::Filters::Attributes.read(written))
            mark(passing, places) if condition.accepts?(candidate)
          end
          mask = integer_of(passing)
          without = condition.accepts?(Stores::Filters::Attributes.candidate(path.name, nil))
          without ? mask | (@every & ~integer_of(held)) : mask
        end

        # Return the mask, made from every document.
        def of_documents(condition)
          integer do |bytes|
            @tables.identifiers.each do |number, identifier|
              candidate = Stores::Filters::FilterConditions::Candidate.new(identifier, *@tables.fields(number))
              bytes.setbyte(number, 1) if condition.accepts?(candidate)
            end
          end
        end

        def mark(bytes, places)
          places.unpack("q<*").each { |place| bytes.setbyte(place >> FastInvertedIndex::POSITION_BITS, 1) }
        end

        def blank
          "\0".b * @tables.numbers
        end

        def integer
          bytes = blank
          yield bytes
          integer_of(bytes)
        end

        def integer_of(bytes)
          bytes.unpack1("H*").to_i(16)
        end
      end
      private_constant :Evaluation

      private

      def made(filters, tables)
        mask = Evaluation.new(tables).bytes(filters.conditions)
        mask.count("\x01") == tables.count ? nil : mask
      end
    end
  end
end
