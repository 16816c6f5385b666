# frozen_string_literal: true

require "zlib"

module HybridSearch
  module Storing
    # Writes a batch into the tables of an index file (SQL-1), in a transaction.
    class SqliteWriter
      include ShortInspect

      # The token of the field that all documents have.
      EVERY = "".b.freeze

      # @param tables [SqliteTables] what the transaction sees
      def initialize(tables)
        @tables = tables
        @connection = tables.connection
        @postings = SqlitePostings.new(tables)
        @blocks = SqliteBlocks.new(tables)
      end

      # Write a batch.
      #
      # @param batch [Array<Array(StoredDocument, StoredDocument)>] what each document was and will be, or nil
      # @param numbers [Hash{String=>Integer}] the ids and numbers of those that are stored
      # @return [void]
      def write(batch, numbers)
        numbered = DocumentChanges.numbered(batch, numbers) { |count| free_numbers(count) }
        write_documents(numbered)
        write_terms(numbered)
        write_vectors(numbered)
        more = numbered.count { |change| change.before.nil? } - numbered.count { |change| change.after.nil? }
        @connection.run(
          "UPDATE state SET generation = generation + 1, documents = documents + ?, numbers = max(numbers, ?)",
          more, 1 + numbered[-1].number
        )
      end

      # Keep the name of the model that makes the vectors of a field.
      #
      # @return [void]
      def keep_vector_model(field, model)
        @connection.run("REPLACE INTO vector_models VALUES (?, ?)", field.b, Validation.text("model", model))
      end

      private

      def free_numbers(count)
        rows = @connection.rows("SELECT number FROM free_numbers ORDER BY number LIMIT ?", count)
        @connection.run_many("DELETE FROM free_numbers WHERE number = ?", rows)
        rows.flatten + Array.new(count - rows.size) { |more| @tables.numbers + more }
      end

      def write_documents(changes)
        changes.each do |change|
          if change.after
            write_document(change.number, change.after)
          else
            @connection.run("DELETE FROM documents WHERE number = ?", change.number)
            @connection.run("DELETE FROM texts WHERE number = ?", change.number)
            @connection.run("INSERT INTO free_numbers VALUES (?)", change.number)
          end
        end
      end

      def write_document(number, document)
        identifier = document.identifier.b
        own = document.fields.select { |name, _| Attributes.attribute?(name) }
        texts = document.fields.to_h { |name, value| [name, own.key?(name) || name == "id" ? nil : value] }
        written = StoredJson.write(own)
        content = StoredJson.write({ "fields" => texts, "vectors" => document.vectors.keys })
        @connection.run(
          "REPLACE INTO documents VALUES (?, ?, ?, ?, ?)",
          number, identifier, Zlib.crc32(identifier), written, Zlib.crc32(written)
        )
        @connection.run("REPLACE INTO texts VALUES (?, ?, ?)", number, content, Zlib.crc32(content))
      end

      def write_terms(changes)
        fields = DocumentChanges.by_field(changes) { |document| terms(document) }
        fields.each { |(kind, name), change| write_field(kind, field(kind, name), change) }
      end

      def write_field(kind, field, change)
        @connection.run(
          "UPDATE fields SET documents = documents + ?, tokens = tokens + ? WHERE field = ?",
          change.documents, change.tokens, field
        )
        @postings.change(field, change.terms)
        @blocks.change_lengths(field, change.lengths) if kind == SqliteSchema::TOKENS
      end

      def write_vectors(changes)
        fields = Hash.new { |known, name| known[name] = {} }
        changes.each do |change|
          before = change.before ? change.before.vectors : {}
          after = change.after ? change.after.vectors : {}
          (before.keys | after.keys).each do |name|
            # What an update leaves alone is the same object.
            fields[name][change.number] = after[name] unless before[name].equal?(after[name])
          end
        end
        fields.each do |name, vectors|
          @blocks.change_vectors(field(SqliteSchema::ATTRIBUTES, name), name, vectors, @tables.generation + 1)
        end
      end

      def field(kind, name)
        row = @tables.field(kind, name)
        return row.field if row

        @connection.insert("INSERT INTO fields (kind, name, documents, tokens) VALUES (?, ?, 0, 0)", kind, name.b)
      end

      # [kind, field] → the tokens of a document, in their order.
      def terms(document)
        return {} if document.nil?

        found = { [SqliteSchema::DOCUMENTS, ""] => [EVERY] }
        document.fields.each do |name, value|
          next unless StoredDocument.searchable?(name)

          found[[SqliteSchema::TOKENS, name]] = StoredDocument.tokens(name, value).map(&:b)
        end
        Attributes.of(document.fields, document.vectors.keys).each do |name, written|
          found[[SqliteSchema::ATTRIBUTES, name]] = [written]
        end
        found
      end
    end
  end
end
