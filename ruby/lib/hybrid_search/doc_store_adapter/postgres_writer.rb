# frozen_string_literal: true

module HybridSearch
  module Storing
    # Writes a batch into the tables of a collection in PostgreSQL (PG-1), in a transaction.
    class PostgresWriter
      include ShortInspect

      DOCUMENT_TYPES = %w[int4 bytea bytea text bytea].freeze
      VECTOR_TYPES = %w[int4 int4 bytea bytea float8].freeze
      # What comes before the text of a value of jsonb that is sent.
      JSONB_HEADER = "\1".b.freeze
      private_constant :DOCUMENT_TYPES, :VECTOR_TYPES, :JSONB_HEADER

      # @param tables [PostgresTables] what the transaction sees
      def initialize(tables)
        @tables = tables
        @connection = tables.connection
        @fields = tables.fields.transform_values(&:field)
      end

      # Write a batch.
      #
      # @param batch [Array<Array(StoredDocument, StoredDocument)>] what each document was and will be, or nil
      # @param numbers [Hash{String=>Integer}] the ids and numbers of those that are stored
      # @return [void]
      def write(batch, numbers)
        numbered = DocumentChanges.numbered(batch, numbers) { |count| free_numbers(count) }
        write_documents(numbered)
        terms = write_terms(numbered)
        write_vectors(numbered)
        more = numbered.count { |change| change.before.nil? } - numbered.count { |change| change.after.nil? }
        highest = [@tables.numbers, 1 + numbered[-1].number].max
        @connection.run("change_meta", @tables.count + more, highest, terms)
      end

      # Keep the name of the model that makes the vectors of a field.
      #
      # @return [void]
      def keep_vector_model(field, model)
        @connection.run("keep_vector_model", field.b, Validation.text("model", model).b)
        @connection.run("change_state")
      end

      private

      def free_numbers(count)
        found = count.zero? ? [] : @connection.rows("free_numbers", count).flatten
        @connection.run("take_numbers", found) unless found.empty?
        found + Array.new(count - found.size) { |more| @tables.numbers + more }
      end

      def write_documents(changes)
        stored = changes.select(&:before).map(&:number)
        @connection.run("remove_documents", stored) unless stored.empty?
        free = changes.reject(&:after).map(&:number)
        @connection.run("give_numbers", free) unless free.empty?
        rows = changes.select(&:after).map { |change| row(change.number, change.after) }
        @connection.copy("copy_documents", DOCUMENT_TYPES, rows) unless rows.empty?
      end

      # Write terms and lengths; gives the key below which all keys of terms then are.
      def write_terms(changes)
        postings = PostgresPostings.new(@connection, @tables.terms)
        by_name = DocumentChanges.by_field(changes) { |document| terms(document) }
        fields = by_name.transform_keys { |name| field(name) }
        return postings.terms if fields.empty?

        rows = fields.map { |field, change| [field, change.documents, change.tokens] }
        @connection.run("change_fields", *rows.transpose)
        own = fields.flat_map { |field, change| change.terms.map { |token, one| [[field, token], one] } }
        postings.change(own.to_h) unless own.empty?
        write_lengths(fields)
        postings.terms
      end

      def write_lengths(fields)
        size = Blobs::LENGTHS_IN_BLOCK
        wanted = fields.flat_map do |field, change|
          change.lengths.keys.map { |number| [field, number / size] }
        end.uniq.sort
        rows = @connection.rows("length_blocks", *wanted.transpose)
        known = rows.to_h { |field, block, packed| [[field, block], Blobs.unpack_lengths(packed)] }
        lengths = wanted.to_h { |key| [key, known[key] || Array.new(size, Blobs::NO_LENGTH)] }
        fields.each do |field, change|
          change.lengths.each do |number, length|
            lengths[[field, number / size]][number % size] = length || Blobs::NO_LENGTH
          end
        end
        packed = lengths.values.map { |one| Blobs.pack_lengths(one) }
        @connection.run("change_lengths", *wanted.transpose, packed)
      end

      def write_vectors(changes)
        removed = []
        rows = []
        counts = Hash.new(0)
        each_vector(changes) do |field, number, before, after|
          counts[field] += (after ? 1 : 0) - (before ? 1 : 0)
          removed << [field, number] if before
          rows << [field, number, *vector(after)] if after
        end
        @connection.run("remove_vectors", *removed.transpose) unless removed.empty?
        @connection.copy("copy_vectors", VECTOR_TYPES, rows) unless rows.empty?
        @connection.run("change_fields", counts.keys, counts.values, counts.map { 0 }) unless counts.empty?
      end

      # Each vector that changes: the key of its field, the number of its document, what it was and will be, or nil.
      def each_vector(changes)
        changes.each do |change|
          before = change.before ? change.before.vectors : {}
          after = change.after ? change.after.vectors : {}
          (before.keys | after.keys).each do |name|
            # What an update leaves alone is the same object.
            next if before[name].equal?(after[name])

            yield field(name), change.number, before[name], after[name]
          end
        end
      end

      def field(name)
        @fields[name] ||= @connection.row("new_field", name.b)[0]
      end

      # Field → the tokens of a document, in their order.
      def terms(document)
        return {} if document.nil?

        own = document.fields.select { |name, _| StoredDocument.searchable?(name) }
        own.to_h { |name, value| [name, StoredDocument.tokens(name, value).map(&:b)] }
      end

      def row(number, document)
        identifier = document.identifier.b
        key = PostgresKeys.key_of(identifier)
        body = StoredJson.write({ "fields" => document.fields, "vectors" => document.vectors.keys })
        attributes = PostgresAttributes.of(document.fields, document.vectors.keys)
        [number, key, key == identifier ? nil : identifier, body, attributes && (JSONB_HEADER + attributes.b)]
      end

      # What is stored of a vector: the components to screen by, and exactly where these are not, and the norm.
      def vector(components)
        norm = Numeric.norm(components)
        screen = PostgresScreen.pack(components, norm)
        exact = screen && Blobs.fits_single?(components)
        [screen, exact ? nil : components.pack("E*"), norm]
      end
    end
  end
end
