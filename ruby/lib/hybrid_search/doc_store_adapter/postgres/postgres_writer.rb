# frozen_string_literal: true

module HybridSearch
  module Stores
    module Postgres
      # Writes a batch into the tables of a collection in PostgreSQL (PG-1), in a transaction.
      class PostgresWriter
        include Base::ShortInspect

        VECTOR_TYPES = %w[int4 int4 bytea bytea float8].freeze
        private_constant :VECTOR_TYPES

        # @param tables [PostgresTables] the tables as the transaction sees them
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
          numbered = Tables::DocumentChanges.numbered(batch, numbers) { |count| free_numbers(count) }
          write_documents(numbered)
          terms = write_terms(numbered)
          vectors = write_vectors(numbered)
          more = numbered.count { |change| change.before.nil? } - numbered.count { |change| change.after.nil? }
          highest = [@tables.numbers, 1 + numbered[-1].number].max
          @connection.later("change_meta", @tables.count + more, highest, terms)
          touched = numbered.map(&:number)
          packed = touched.size <= Tables::DocumentChanges::MOST_NOTED ? Tables::Blobs.pack_lengths(touched) : nil
          @connection.later("keep_change", @tables.generation - Tables::DocumentChanges::MOST_BATCHES, packed)
          return if vectors.empty?

          @connection.copy("copy_vectors", VECTOR_TYPES, vectors) # last, since copying waits for the server
        end

        # Store the source of a field's vectors.
        #
        # @return [void]
        def keep_source(field, source)
          @connection.run("keep_source", field.b, source.model && Base::Validation.text("model", source.model).b,
                          source.origin)
          @connection.run("change_state")
        end

        private

        def free_numbers(count)
          found = @tables.free_numbers.take(count)
          @connection.later("take_numbers", found) unless found.empty?
          found + Array.new(count - found.size) { |more| @tables.numbers + more }
        end

        def write_documents(changes)
          stored = changes.select(&:before).map(&:number)
          @connection.later("remove_documents", stored) unless stored.empty?
          free = changes.reject(&:after).map(&:number)
          @connection.later("give_numbers", free) unless free.empty?
          rows = changes.select(&:after).map { |change| row(change.number, change.after) }
          @connection.later_rows("add_documents", rows)
        end

        # Write terms and lengths; return a number above all keys of terms.
        def write_terms(changes)
          postings = PostgresPostings.new(@connection, @tables.terms)
          by_name = Tables::DocumentChanges.by_field(changes) { |document| terms(document) }
          fields = by_name.transform_keys { |name| field(name) }
          return postings.terms if fields.empty?

          rows = fields.map { |field, change| [field, change.documents, change.tokens, change.filled] }
          @connection.later_rows("change_fields", rows)
          own = fields.flat_map { |field, change| change.terms.map { |token, one| [[field, token], one] } }.to_h
          blocks = blocks(fields)
          known, lengths = @connection.together(postings.question(own), ["length_blocks", *blocks.transpose])
          postings.change(own, known)
          write_lengths(fields, blocks, lengths)
          postings.terms
        end

        # Return the fields and numbers of the blocks of lengths that change.
        def blocks(fields)
          found = fields.flat_map do |field, change|
            change.lengths.keys.map { |number| [field, number / Tables::Blobs::LENGTHS_IN_BLOCK] }
          end
          found.uniq.sort
        end

        def write_lengths(fields, wanted, rows)
          size = Tables::Blobs::LENGTHS_IN_BLOCK
          known = rows.to_h { |field, block, packed| [[field, block], Tables::Blobs.unpack_lengths(packed)] }
          lengths = wanted.to_h { |key| [key, known[key] || Array.new(size, Tables::Blobs::NO_LENGTH)] }
          fields.each do |field, change|
            change.lengths.each do |number, length|
              lengths[[field, number / size]][number % size] = length || Tables::Blobs::NO_LENGTH
            end
          end
          @connection.later_rows("change_lengths", lengths.map { |key, one| [*key, Tables::Blobs.pack_lengths(one)] })
        end

        # Remove vectors, and return the rows of new ones.
        def write_vectors(changes)
          removed = []
          rows = []
          counts = Hash.new(0)
          each_vector(changes) do |field, number, before, after|
            counts[field] += (after ? 1 : 0) - (before ? 1 : 0)
            removed << [field, number] if before
            rows << [field, number, *vector(after)] if after
          end
          @connection.later_rows("remove_vectors", removed)
          @connection.later_rows("change_fields", counts.map { |field, count| [field, count, 0, 0] })
          rows
        end

        # Yield each vector that changes: the key of its field, the number of its document, and the vector before and
        # after the change, or nil.
        def each_vector(changes)
          changes.each do |change|
            before = change.before ? change.before.vectors : {}
            after = change.after ? change.after.vectors : {}
            (before.keys | after.keys).each do |name|
              # An update leaves unchanged vectors as the same object.
              next if before[name].equal?(after[name])

              yield field(name), change.number, before[name], after[name]
            end
          end
        end

        def field(name)
          @fields[name] ||= begin
            field = 1 + (@fields.values.max || -1)
            @connection.later("add_field", field, name.b)
            field
          end
        end

        # Return field → the tokens of a document in their order.
        def terms(document)
          return {} if document.nil?

          own = document.fields.select { |name, _| Documents::StoredDocument.searchable?(name) }
          own.to_h { |name, value| [name, Documents::StoredDocument.tokens(name, value).map(&:b)] }
        end

        def row(number, document)
          identifier = document.identifier.b
          key = PostgresKeys.key_of(identifier)
          body = Documents::StoredJson.write({ "fields" => document.fields, "vectors" => document.vectors.keys })
          attributes = PostgresAttributes.of(document.fields, document.vectors.keys)
          [number, key, key == identifier ? "".b : identifier, body, attributes || ""]
        end

        # Return a vector's row: 32-bit components for screening, exact ones if those differ, and the norm.
        def vector(components)
          norm = Base::Numeric.norm(components)
          screen = PostgresScreen.pack(components, norm)
          exact = screen && Tables::Blobs.fits_single?(components)
          [screen, exact ? nil : components.pack("E*"), norm]
        end
      end
    end
  end
end
