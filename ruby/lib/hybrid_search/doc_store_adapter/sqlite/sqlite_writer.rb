# frozen_string_literal: true

module HybridSearch
  module Stores
    module Sqlite
      # Writes a batch into the tables of an index file (SQL-1), in a transaction.
      class SqliteWriter
        include Base::ShortInspect

        # The token of the field that all documents have.
        EVERY = "".b.freeze

        # @param tables [SqliteTables] the tables in the view of the transaction
        # @param kernels [String, nil] see {Base::Kernels.choice}
        def initialize(tables, kernels = nil)
          @tables = tables
          @connection = tables.connection
          @postings = Base::Kernels.kernel("sqlite_postings", kernels).new(tables)
          @blocks = SqliteBlocks.new(tables)
          @fields = tables.whole.fields
        end

        # Write a batch.
        #
        # @param batch [Array<Array(Documents::StoredDocument, Documents::StoredDocument)>] each document before and
        #   after the change; nil if there is none
        # @param numbers [Hash{String=>Integer}] the ids and numbers of those that are stored
        # @return [void]
        def write(batch, numbers)
          numbered = Tables::DocumentChanges.numbered(batch, numbers) { |count| free_numbers(count) }
          write_documents(numbered)
          write_terms(numbered)
          write_vectors(numbered)
          more = numbered.count { |change| change.before.nil? } - numbered.count { |change| change.after.nil? }
          @tables.change_state(
            generation: @tables.generation + 1,
            documents: @tables.count + more,
            numbers: [@tables.numbers, 1 + numbered[-1].number].max,
            fields: @fields
          )
          SqliteChanges.new(@tables).add(numbered.map(&:number))
        end

        # Store the source of the vectors of a field.
        #
        # @return [void]
        def keep_source(field, source)
          values = [field, source.model.to_s, source.origin.to_s].map { |text| Base::Validation.text("source", text).b }
          @connection.run("REPLACE INTO vector_models VALUES (?, ?, ?, ?)", *values,
                          Tables::RowChecksum.of([], *values))
          @tables.change_state
        end

        private

        def free_numbers(count)
          rows = @connection.rows("SELECT number FROM free_numbers ORDER BY number LIMIT ?", count)
          @connection.run_many("DELETE FROM free_numbers WHERE number = ?", rows)
          found = rows.flatten
          numbers = @tables.numbers
          raise @tables.damaged unless found.all? { |number| number >= 0 && number < numbers }

          found + Array.new(count - found.size) { |more| numbers + more }
        end

        def write_documents(changes)
          changes.each do |change|
            if change.after.nil?
              @connection.run("DELETE FROM documents WHERE number = ?", change.number)
              @connection.run("DELETE FROM texts WHERE number = ?", change.number)
              @connection.run("INSERT INTO free_numbers VALUES (?)", change.number)
            elsif change.before.nil?
              add_document(change.number, change.after)
            else
              change_document(change.number, change.after)
            end
          end
        end

        # Add a document. If another document has the number, SQLite raises an error.
        def add_document(number, document)
          identifier = document.identifier.b
          key = [number, identifier, Tables::RowChecksum.of([number], identifier)]
          own, texts = contents(number, document)
          @connection.run("INSERT INTO documents VALUES (?, ?, ?, ?, ?)", *key, *own)
          @connection.run("INSERT INTO texts VALUES (?, ?, ?)", number, *texts)
        end

        def change_document(number, document)
          own, texts = contents(number, document)
          @connection.run("UPDATE documents SET attributes = ?, checksum = ? WHERE number = ?", *own, number)
          @connection.run("UPDATE texts SET content = ?, checksum = ? WHERE number = ?", *texts, number)
        end

        # Return the attributes of a document, and its texts, each with a checksum.
        def contents(number, document)
          own = document.fields.select { |name, _| Filters::Attributes.attribute?(name) }
          texts = document.fields.to_h { |name, value| [name, own.key?(name) || name == "id" ? nil : value] }
          content = Documents::StoredJson.write({ "fields" => texts, "vectors" => document.vectors.keys })
          [Documents::StoredJson.write(own), SqlitePacking.pack_text(content)].map do |written|
            [written, Tables::RowChecksum.of([number], written)]
          end
        end

        def write_terms(changes)
          fields = Tables::DocumentChanges.by_field(changes) { |document| terms(document) }
          fields.each { |(kind, name), change| write_field(kind, field(kind, name), change) }
        end

        def write_field(kind, row, change)
          terms = @postings.change(row.field, change)
          blocks = kind == SqliteSchema::TOKENS ? @blocks.change_lengths(row.field, change.lengths) : 0
          changed = row.changed(change.documents, change.tokens, terms, blocks)
          @connection.run(
            "UPDATE fields SET documents = ?, tokens = ?, terms = ?, blocks = ?, checksum = ? WHERE field = ?",
            *changed.counts, changed.checksum, changed.field
          )
        end

        def write_vectors(changes)
          fields = Hash.new { |known, name| known[name] = {} }
          changes.each do |change|
            before = change.before ? change.before.vectors : {}
            after = change.after ? change.after.vectors : {}
            (before.keys | after.keys).each do |name|
              # Vectors that an update does not change are the same objects.
              fields[name][change.number] = after[name] unless before[name].equal?(after[name])
            end
          end
          fields.each do |name, vectors|
            @blocks.change_vectors(field(SqliteSchema::ATTRIBUTES, name).field, name, vectors, @tables.generation + 1)
          end
        end

        # Return the row of a field, which is added if it is missing.
        def field(kind, name)
          row = @tables.field_row(kind, name)
          return row if row

          @fields += 1
          row = SqliteField.new(@fields, kind, name.b, 0, 0, 0, 0)
          @connection.run(
            "INSERT INTO fields VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row.field, kind, row.name, *row.counts, row.checksum
          )
          row
        end

        # Return [kind, field] → the tokens of a document, in their order.
        def terms(document)
          return {} if document.nil?

          found = { [SqliteSchema::DOCUMENTS, ""] => [EVERY] }
          texts = {}
          document.fields.each do |name, value|
            next unless Documents::StoredDocument.searchable?(name)

            found[[SqliteSchema::TOKENS, name]] = encoded(name, value, texts)
          end
          Filters::Attributes.of(document.fields, document.vectors.keys).each do |name, written|
            found[[SqliteSchema::ATTRIBUTES, name]] = [written]
          end
          found
        end

        # Return the tokens of a field; fields with the same text share one object.
        def encoded(name, value, texts)
          return Documents::StoredDocument.encoded_tokens(name, value) if Documents::StoredDocument.keyword_field?(name)

          texts[value] ||= Documents::StoredDocument.encoded_tokens(name, value)
        end
      end
    end
  end
end
