# frozen_string_literal: true

module HybridSearch
  class Generations
    # Writes to the active generation. The changes also reach a generation that is being built: each is noted in its log
    # first.
    #
    # The embedding is called before the lock of the writers is taken. If another generation is active by then, or the
    # records have changed, the documents are made again.
    module Writing
      # The number of attempts after which documents are made under the lock.
      MOST_ATTEMPTS = 5
      # The number of documents that are written at once.
      AT_ONCE = 256
      private_constant :MOST_ATTEMPTS, :AT_ONCE

      # Add or replace documents. A document is all records of one `doc_id`, by default a record's own id: pass them in
      # one call. Earlier records of the document that are not passed are removed.
      #
      # @param records [Enumerable<Hash>, Hash] records, or one record, as for {Index#add}
      # @return [Integer] the number of records that were added, changed or removed
      # @raise [InvalidInputError] a record is not acceptable, or an id is given twice
      # @raise [DimensionMismatchError] a vector of another dimension than the embedding's
      # @raise [EmbeddingError] the embedding failed
      # @raise [DocStoreError] a store failed, or another writer held the lock for `timeout` seconds; nothing of the
      #   batch is stored, and the call may be repeated
      def upsert(records)
        source, = Records::RecordSources.read(records)
        by_key = Documents.checked(source.to_a).group_by { |record| Documents.key(record) }
        sums_of(by_key.keys) { |keys| written(keys) { keys.flat_map { |key| by_key[key] } } }
      end

      # Remove documents; ids that are not stored are skipped.
      #
      # @param ids [Array<String, Symbol, Integer>, String, Symbol, Integer] ids of documents (`doc_id`), or one id
      # @return [Integer] the number of removed records
      # @raise [InvalidInputError] an id is not acceptable
      # @raise [DocStoreError] as for {#upsert}
      def delete(ids)
        sums_of(keys_of(ids)) { |keys| written(keys) { [] } }
      end

      # Update documents to the result of `find`: one with records is replaced, one without is removed.
      #
      # `find` is called again under the lock of the writers. Of several calls for one document, in any processes, the
      # last one therefore writes the current state of the caller's data.
      #
      # @param ids [Array<String, Symbol, Integer>, String, Symbol, Integer] ids of documents (`doc_id`), or one id
      # @return [Integer] the number of records that were added, changed or removed
      # @raise [InvalidInputError] there is no `find`, or a record is not acceptable
      # @raise [EmbeddingError, DocStoreError] as for {#upsert}
      def sync(ids)
        raise InvalidInputError, "sync needs the option find" if @find.nil?

        sums_of(keys_of(ids)) { |keys| written(keys) { Build.found(@find, keys) } }
      end

      private

      # Write documents; the block returns their records, and is called again under the lock.
      def written(keys, &current)
        records = current.call
        (1..).each do |attempt|
          state = @place.state || seen
          prepared = attempt > MOST_ATTEMPTS ? nil : prepared(state, records)
          done = @place.exclusively do
            now = @place.state
            latest = current.call
            unless prepared && now.active == state.active && latest == records
              records = latest
              next if prepared

              prepared = prepared(now, records)
            end
            now = noted(now, keys, records)
            with(now.active, now) { |_, documents| documents.replace(keys, prepared, now.parts?(now.active)) }
          end
          return done if done
        end
      end

      def prepared(state, records)
        with(state.active, state) { |_, documents| documents.prepare(records) }
      end

      # Note a change before it is made: in the log, if a generation is building, and in the state, if documents of
      # several records are new to it.
      def noted(state, keys, records)
        after = state.with_parts([state.active, state.building].compact, records)
        @place.state = after unless after.equal?(state)
        return after if state.building.nil?

        by_key = records.group_by { |record| Documents.key(record) }
        @place.note(state.building, keys.map { |key| [key, by_key.fetch(key, [])] })
        after
      end

      def keys_of(ids)
        several = [::String, ::Symbol, ::Integer].any? { |type| ids.is_a?(type) } ? [ids] : ids
        Base::InputValues.identifiers("ids", several).uniq
      end

      # Return the sum of the block's values for batches of keys.
      def sums_of(keys)
        keys.each_slice(AT_ONCE).inject(0) { |written, batch| written + yield(batch) }
      end
    end
  end
end
