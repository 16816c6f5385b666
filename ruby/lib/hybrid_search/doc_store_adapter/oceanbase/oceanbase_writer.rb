# frozen_string_literal: true

module HybridSearch
  module Stores
    module OceanBase
      # Writes a batch into the tables of a collection in OceanBase (OB-1), in a transaction.
      class OceanBaseWriter
        include Base::ShortInspect

        # @param tables [OceanBaseTables] the tables as the transaction sees them
        def initialize(tables)
          @tables = tables
          @connection = tables.connection
          @fields = tables.fields.transform_values(&:field)
        end

        # Write a batch.
        #
        # @param batch [Array<Array(Documents::StoredDocument, Documents::StoredDocument)>] each document before and
        #   after the change; nil if there is none
        # @param numbers [Hash{String=>Integer}] the ids and numbers of the stored documents
        # @return [void]
        def write(batch, numbers)
          first = @tables.numbers
          changes = Tables::DocumentChanges.numbered(batch, numbers) { |count| (first...(first + count)).to_a }
          count_fields(changes)
          count_tokens(changes)
          write_documents(changes)
          write_vectors(changes)
          more = changes.count { |change| change.before.nil? } - changes.count { |change| change.after.nil? }
          highest = [first, 1 + changes[-1].number].max
          @connection.run("change_meta", documents: @tables.count + more, numbers: highest)
        end

        # Store the source of a field's vectors.
        #
        # @return [void]
        def keep_source(field, source)
          dimension = Documents::StoredDocument.vector_dimension("field", field)
          @connection.run("keep_model", row: OceanBaseStatements.row([dimension, source.model, source.origin]))
        end

        private

        # Yield each document before and after a batch, with -1 and 1.
        def each_document(changes)
          changes.each do |change|
            yield change.before, -1 if change.before
            yield change.after, 1 if change.after
          end
        end

        def count_fields(changes)
          counts = {}
          each_document(changes) do |document, sign|
            OceanBaseTables.held_fields(document).each do |name|
              is_searched = Documents::StoredDocument.searchable?(name)
              tokens = is_searched ? Documents::StoredDocument.tokens(name, document.fields[name]).size : 0
              told = (counts[name] ||= [0, 0, 0])
              told[0] += sign
              told[1] += sign * tokens
              told[2] += sign if tokens.positive?
            end
          end
          rows = counts.map do |name, told|
            @fields[name] ||= 1 + (@fields.values.max || -1)
            OceanBaseStatements.row([@fields[name], name, *told])
          end
          @connection.run_rows("change_fields", :rows, rows)
        end

        def count_tokens(changes)
          counts = Hash.new(0)
          each_document(changes) do |document, sign|
            held = OceanBaseTokens.holding(OceanBaseTables.token_fields(document, @fields))
            held.each { |key| counts[key] += sign }
          end
          changed = counts.reject { |_, count| count.zero? }.sort
          rows = changed.map { |key, count| OceanBaseStatements.row([*key, count]) }
          @connection.run_rows("change_tokens", :rows, rows)
          fewer = changed.select { |_, count| count.negative? }.map { |key, _| OceanBaseStatements.value(key[0]) }
          @connection.run_rows("remove_tokens", :tokens, fewer.uniq, in_brackets: true)
        end

        def write_documents(changes)
          stored = changes.select(&:before).map { |change| OceanBaseStatements.value(change.number) }
          @connection.run_rows("remove_documents", :numbers, stored, in_brackets: true)
          @connection.run_rows("remove_terms", :numbers, stored, in_brackets: true)
          terms = []
          rows = changes.select(&:after).map do |change|
            found = OceanBaseFilters.terms(change.after)
            terms.concat(found.keys.map { |term| OceanBaseStatements.row([term, change.number]) })
            row(change.number, change.after, found.value?(true))
          end
          @connection.run_rows("add_documents", :rows, rows)
          @connection.run_rows("add_terms", :rows, terms)
        end

        # Return a document's row. Its words are letters, digits and blanks; in hexadecimal the engine would take them
        # for binary.
        def row(number, document, is_cut)
          tokens = OceanBaseTables.token_fields(document, @fields)
          body = Documents::StoredJson.write({ "fields" => document.fields, "vectors" => document.vectors.keys })
          members = OceanBaseStatements.row([number, document.identifier, body, OceanBaseTokens.lengths(tokens)])
          words = OceanBaseStatements.words(OceanBaseTokens.words(tokens))
          "(#{members[1...-1]},#{words},#{is_cut ? 1 : 0})"
        end

        # Replace the vectors that change; unchanged ones are the same objects.
        def write_vectors(changes)
          removed = Hash.new { |known, name| known[name] = [] }
          added = Hash.new { |known, name| known[name] = [] }
          changes.each do |change|
            before = change.before&.vectors || {}
            after = change.after&.vectors || {}
            (before.keys | after.keys).each do |name|
              next if before[name].equal?(after[name])

              removed[name] << OceanBaseStatements.value(change.number) if before.key?(name)
              added[name] << vector(change.number, after[name]) if after.key?(name)
            end
          end
          removed.each { |name, numbers| run_vectors("remove_vectors", :numbers, numbers, name, true) }
          added.each { |name, rows| run_vectors("add_vectors", :rows, rows, name, false) }
        end

        def run_vectors(statement, place, members, name, in_brackets)
          dimension = Documents::StoredDocument.vector_dimension("field", name)
          @connection.run_rows(statement, place, members, in_brackets:, dimension:)
        end

        # Return a vector's row: 32-bit components for screening, and exact ones.
        def vector(number, components)
          is_screened = Tables::VectorScreen.can_screen?(components.size, Base::Numeric.norm(components))
          packed = components.pack(Tables::Blobs.fits_single?(components) ? "e*" : "E*")
          screen = is_screened ? components.pack("e*") : nil
          OceanBaseStatements.row([number, screen, packed, is_screened ? 0 : 1])
        end
      end
    end
  end
end
