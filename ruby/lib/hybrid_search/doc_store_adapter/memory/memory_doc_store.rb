# frozen_string_literal: true

module HybridSearch
  # Documents in memory (DOC-1 … DOC-4), with an inverted index for each token and keyword field and an index for each
  # vector field.
  #
  # The store is safe to use from several threads: every method sees a whole batch or nothing of it. Readers take no
  # lock and never wait. A writer builds a new snapshot while others read the current one, and publishes it by one
  # assignment. A batch that is interrupted at any point therefore changes nothing. A child process that is forked while
  # another thread writes has the store as it was before that batch, and may read and write its own copy.
  #
  # The BM25 statistics of a field cover all documents that have the field, even if it is empty; they do not depend on
  # filters, on the order of insertion, or on deleted documents. Returned values are frozen.
  class MemoryDocStore < Stores::Snapshot::SnapshotStore
    # @param bm25 [String] "okapi" (as `rank_bm25.BM25Okapi`) or "lucene"
    # @param kernels [String, nil] "plain" or "fast", see {Base::Kernels.choice}
    # @raise [InvalidInputError] another value of `bm25` or `kernels`, or an unknown option
    def initialize(bm25: "okapi", kernels: nil, **unknown)
      super()
      Base::Validation.known("option", unknown.keys, %w[bm25 kernels])
      @writing = Thread::Mutex.new
      @snapshot = Stores::Snapshot::StoreSnapshot.new(
        Base::Kernels.kernel("document_index", kernels).new(Stores::Snapshot::Bm25.of(bm25))
      )
    end

    # @see DocStoreAdapter#insert
    def insert(documents)
      accepted = Stores::Documents::Batch.accept(documents)
      @writing.synchronize do
        Stores::Documents::Batch.check_new(accepted) { |identifier| @snapshot.holds?(identifier) }
        publish([], accepted)
      end
      accepted.size
    end

    # @see DocStoreAdapter#update
    def update(documents)
      accepted = Stores::Documents::Batch.accept(documents)
      @writing.synchronize do
        changes = Stores::Documents::Batch.changes(accepted) { |identifier| @snapshot.stored(identifier) }
        publish(changes.map(&:identifier), changes)
        changes.size
      end
    end

    # @see DocStoreAdapter#upsert
    def upsert(documents)
      accepted = Stores::Documents::Batch.accept(documents)
      @writing.synchronize do
        changes = Stores::Documents::Batch.replacements(accepted) { |identifier| @snapshot.stored(identifier) }
        replaced = changes.map(&:identifier).select { |identifier| @snapshot.holds?(identifier) }
        publish(replaced, changes)
        changes.size
      end
    end

    # @see DocStoreAdapter#delete
    def delete(identifiers)
      checked = Base::Validation.texts("identifiers", identifiers)
      @writing.synchronize do
        removed = checked.uniq.select { |identifier| @snapshot.holds?(identifier) }
        publish(removed, [])
        removed.size
      end
    end

    # Add or replace documents and remove others, in one batch, for {Generations}.
    #
    # @api private
    # @see Stores::Tables::TableStore#exchange
    def exchange(documents, identifiers)
      accepted = Stores::Documents::Batch.accept(documents)
      @writing.synchronize do
        changes = Stores::Documents::Batch.replacements(accepted) { |identifier| @snapshot.stored(identifier) }
        gone = identifiers.select { |identifier| @snapshot.holds?(identifier) }
        replaced = changes.map(&:identifier).select { |identifier| @snapshot.holds?(identifier) }
        publish(replaced + gone, changes)
        changes.size + gone.size
      end
    end

    # @see DocStoreAdapter#get
    def get(identifier)
      @snapshot.get(Base::Validation.text("identifier", identifier))
    end

    # @see DocStoreAdapter#count
    def count
      @snapshot.count
    end

    # @return [Integer] the number of batches that have changed the content
    def generation
      @snapshot.generation
    end

    # @see DocStoreAdapter#health
    def health
      snapshot = @snapshot
      { "status" => "green", "documents" => snapshot.count, "generation" => snapshot.generation }
    end

    # Read all documents and count their content.
    #
    # @see DocStoreAdapter#stats
    def stats
      @snapshot.stats
    end

    # @see DocStoreAdapter#vector_fields
    def vector_fields
      @snapshot.vector_fields
    end

    # @see DocStoreAdapter#keep_vector_model
    def keep_vector_model(field, model, origin = "index")
      @writing.synchronize do
        snapshot = @snapshot
        kept = Stores::VectorModels.keep(snapshot.sources, field, model, origin) do |name|
          snapshot.holds_vectors?(name)
        end
        @snapshot = snapshot.with_source(field, kept) if kept
      end
      nil
    end

    private

    def inspected
      { documents: count, generation: }
    end

    def in_one_state
      yield @snapshot
    end

    def publish(removed, added)
      @snapshot = @snapshot.changed(removed, added) unless removed.empty? && added.empty?
    end
  end
end
