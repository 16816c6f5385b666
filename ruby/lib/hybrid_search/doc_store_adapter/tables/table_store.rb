# frozen_string_literal: true

module HybridSearch
  module Stores
    module Tables
      # The base class of stores whose documents are in the tables of a database (SQL-1 … SQL-5, PG-1 … PG-5): each
      # batch and each read is one transaction.
      #
      # Subclasses have `reading` and `writing`, which yield the tables in one state to read or to change, and
      # `writer(tables)`, which returns the writer of the tables.
      #
      # @abstract
      class TableStore < Snapshot::SnapshotStore
        # @param documents [DocumentStates] returns the documents in each state of the tables; the fast form is accepted
        #   too
        def initialize(documents)
          super()
          @documents = documents
        end

        # @see DocStoreAdapter#insert
        def insert(documents)
          change(documents) do |accepted, stored|
            Documents::Batch.check_new(accepted) { |identifier| stored[identifier] }
            accepted
          end
        end

        # @see DocStoreAdapter#update
        def update(documents)
          change(documents) do |accepted, stored|
            Documents::Batch.changes(accepted) { |identifier| stored[identifier] }
          end
        end

        # @see DocStoreAdapter#upsert
        def upsert(documents)
          change(documents) do |accepted, stored|
            Documents::Batch.replacements(accepted) { |identifier| stored[identifier] }
          end
        end

        # @see DocStoreAdapter#delete
        def delete(identifiers)
          checked = Base::Validation.texts("identifiers", identifiers)
          write(checked.uniq) { |stored| stored.values.map { |document| [document, nil] } }
        end

        # Add or replace documents and remove others, in one batch, for {Generations}.
        #
        # @api private
        # @param documents [Array<Hash{String=>Object}>]
        # @param identifiers [Array<String>] the ids of the documents to remove
        # @return [Integer] the number of documents that were added, changed or removed
        def exchange(documents, identifiers)
          accepted = Documents::Batch.accept(documents)
          write(accepted.map(&:identifier) | identifiers) do |stored|
            replaced = Documents::Batch.replacements(accepted) { |identifier| stored[identifier] }
            pairs = replaced.map { |document| [stored[document.identifier], document] }
            pairs + identifiers.filter_map { |identifier| stored[identifier] && [stored[identifier], nil] }
          end
        end

        # @see DocStoreAdapter#get
        def get(identifier)
          Base::Validation.text("identifier", identifier)
          reading do |tables|
            document = tables.stored_at(tables.numbers_of([identifier]).values)[0]
            document ? document.fields.merge(document.vectors) : nil
          end
        end

        # @see DocStoreAdapter#count
        def count
          reading(&:count)
        end

        # @return [Integer] the number of batches that have changed something since the tables were created
        def generation
          reading(&:generation)
        end

        # @see DocStoreAdapter#health
        def health
          reading do |tables|
            { "status" => "green", "documents" => tables.count, "generation" => tables.generation }
          end
        end

        # Read all documents and count their content.
        #
        # @see DocStoreAdapter#stats
        def stats
          reading do |tables|
            Snapshot::StoreSnapshot.new(@documents.state(tables), tables.generation, tables.sources).stats
          end
        end

        # @see DocStoreAdapter#vector_fields
        def vector_fields
          reading { |tables| VectorModels.described(tables.vector_counts, tables.sources, tables.count) }
        end

        # @see DocStoreAdapter#keep_vector_model
        def keep_vector_model(field, model, origin = "index")
          return if reading { |tables| kept_of(tables, field, model, origin) }.nil?

          writing do |tables|
            kept = kept_of(tables, field, model, origin)
            writer(tables).keep_source(field, kept) if kept
          end
          nil
        end

        private

        def in_one_state
          reading do |tables|
            yield Snapshot::StoreSnapshot.new(@documents.state(tables), tables.generation,
                                              counted: -> { counted_vectors(tables) }, facts: vector_facts(tables))
          end
        end

        # Return vector field → the number of documents that have it, if a search may rely on it (FUS-5).
        def counted_vectors(_tables)
          {}
        end

        # Return what returns the facts about each vector field, if they are read once for each state anyway.
        def vector_facts(_tables)
          nil
        end

        def kept_of(tables, field, model, origin)
          VectorModels.keep(tables.sources, field, model, origin) { |name| tables.holds_vectors?(name) }
        end

        # Return the ids and numbers of those documents that are stored, before a batch is written.
        def numbers_in_batch(tables, identifiers)
          tables.numbers_of(identifiers)
        end

        # Write the changes of given documents. The block returns their new form, considering the stored ones.
        def change(documents)
          accepted = Documents::Batch.accept(documents)
          write(accepted.map(&:identifier)) do |stored|
            yield(accepted, stored).map { |document| [stored[document.identifier], document] }
          end
        end

        # Make and write a batch from the stored documents with these ids; return its number of documents.
        def write(identifiers)
          writing do |tables|
            numbers = numbers_in_batch(tables, identifiers)
            found = yield tables.stored_at(numbers.values).to_h { |document| [document.identifier, document] }
            writer(tables).write(found, numbers) unless found.empty?
            found.size
          end
        end
      end
    end
  end
end
