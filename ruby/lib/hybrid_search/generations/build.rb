# frozen_string_literal: true

module HybridSearch
  class Generations
    # Builds a generation next to the active one: all documents are copied from the caller's data. Then the changes that
    # writers have noted since the beginning are repeated, the last of them under the lock of the writers.
    #
    # After each step a checkpoint records the progress, so that another process can continue a build that was killed.
    # Each step may be repeated.
    class Build
      include Base::ShortInspect

      # The maximum number of changes that may be repeated while writers wait.
      FEW = 8
      # The maximum number of times that changes are repeated before writers wait, even if there are more each time.
      MOST_ROUNDS = 100
      # Calls a block if the lock of the writers is held already.
      HELD = ->(&change) { change.call }
      private_constant :FEW, :MOST_ROUNDS, :HELD

      class << self
        # @param find [#call] the caller's function
        # @param keys [Array<String>] ids of documents
        # @return [Array<Hash{String=>Object}>] their current records
        # @raise [InvalidInputError] a record is not acceptable, or belongs to another document
        def found(find, keys)
          given, = Records::RecordSources.read(find.call(keys))
          wanted = keys.to_h { |key| [key, true] }
          Documents.checked(given.to_a).each_with_index do |record, place|
            next if wanted.key?(Documents.key(record))

            shown = Base::Validation.describe(Documents.key(record))
            raise InvalidInputError, "find returned records[#{place}] of the document #{shown}, which was not asked for"
          end
        end

        # Begin a build, or continue an earlier one that would have the same result.
        #
        # @return [Build]
        def begun(generations, place, recipe, find, batch_size, reuse_vectors)
          state = place.exclusively do
            known = place.state || State.first(recipe)
            place.create(known.active) if place.state.nil?
            next known if known.building && recipe.differences(known.recipe(known.building)).empty?

            fresh = known.without([known.building].compact).begun(recipe)
            place.create(fresh.building)
            place.state = fresh
            place.remove(known.building) if known.building
            fresh
          end
          new(generations, place, state, find, batch_size, reuse_vectors)
        end

        # @return [Build, nil] the build that waits for its promotion
        def complete(generations, place, find)
          state = place.state
          new(generations, place, state, find, 256, true) if state&.building && place.progress["complete"]
        end

        # @return [Boolean] whether there was a build to remove
        def abandon(place)
          place.exclusively do
            state = place.state
            next false if state.nil? || state.building.nil?

            place.state = state.without([state.building])
            place.remove(state.building)
            true
          end
        end
      end

      def initialize(generations, place, state, find, batch_size, reuse_vectors)
        @generations = generations
        @place = place
        @state = state
        @name = state.building
        @find = find
        @batch_size = batch_size
        @reuse_vectors = reuse_vectors
        @progress = { "after" => nil, "copied" => 0, "complete" => false, "repeated" => 0, **place.progress }
      end

      # Copy all documents, or those that were not copied before.
      #
      # @param source [Enumerable<Hash>, #call] see {Generations#reindex}
      # @param total [Integer, nil]
      # @param progress [#call, nil]
      # @return [void]
      def copy(source, total, progress)
        return if @progress["complete"]

        total ||= source.is_a?(::Array) ? source.size : -1
        first = 0
        each_batch(remaining(source)) do |records|
          checked = Documents.checked(records, first)
          first += records.size
          mark(checked, @place.method(:exclusively))
          write { |documents, former| documents.copy(documents.prepare(checked, former)) }
          note(after: Documents.key(checked.last),
               copied: @progress["copied"] + checked.map { |record| Documents.key(record) }.uniq.size)
          progress&.call(@progress["copied"], total)
        end
        note(complete: true)
      end

      # Repeat the changes that were written meanwhile, and activate the generation.
      #
      # @return [void]
      def promote
        MOST_ROUNDS.times { break if repeat(@place.method(:exclusively)) < FEW }
        @place.exclusively do
          nil until repeat(HELD).zero?
          state = @place.state
          raise DocStoreError, "#{@place} has another build than this one: it was begun meanwhile" unless ours?(state)

          dimension = @generations.with(@name, state) { |index, _| Recipe.dimension_of(index.store) }
          @place.state = state.promoted(dimension)
          @place.forget_changes(@name)
        end
      end

      private

      def ours?(state)
        state.building == @name
      end

      # Return the documents that follow the one that was copied last.
      def remaining(source)
        after = @progress["after"]
        return source.call(after) if source.respond_to?(:call)
        raise Base::Validation.failure("source", source, "a list or a stream of records, or a callable") unless
          source.is_a?(::Enumerable)
        return source if after.nil?

        key = ->(record) { key_of(record) }
        return source unless source.any? { |record| key.call(record) == after } # it is another one: all of it again

        source.lazy.drop_while { |record| key.call(record) != after }.drop_while { |record| key.call(record) == after }
      end

      # Return the id of the document of a record that has not been checked yet.
      def key_of(record)
        given = Base::Validation.mapping("record", record)
        (given["doc_id"] || given["id"]).to_s
      end

      # Yield the records of several documents; those of one document are in one batch.
      def each_batch(source)
        batch = []
        keys = 0
        last = nil
        source.each_entry do |record|
          key = key_of(record)
          keys += 1 unless key == last
          if keys > @batch_size
            yield batch
            batch = []
            keys = 1
          end
          batch << record
          last = key
        end
        yield batch unless batch.empty?
      end

      # Repeat the remaining changes; those of one document are repeated once.
      #
      # @param lock [#call] calls a block under the lock of the writers
      # @return [Integer] the number of changes
      def repeat(lock)
        changes, position = @place.changes(@name, @progress["repeated"], @batch_size)
        return 0 if changes.empty?

        latest = changes.to_h
        records = @find ? Build.found(@find, latest.keys) : latest.values.flatten(1)
        mark(records, lock)
        parts = @place.state.parts?(@name)
        write { |documents, former| documents.replace(latest.keys, documents.prepare(records, former), parts) }
        note(repeated: position)
        changes.size
      end

      # Note in the pointer that some documents have several records, before they are written.
      def mark(records, lock)
        state = @place.state
        return if state.with_parts([@name], records).equal?(state)

        lock.call { @place.state = @place.state.with_parts([@name], records) }
      end

      # Yield the object that writes to the generation, and the one whose vectors may be reused.
      def write
        @generations.with(@name, @state) do |_, documents|
          @generations.with(@state.active, @state) do |_, active|
            lends = @reuse_vectors && active.recipe.same_vectors?(documents.recipe)
            yield documents, (active if lends)
          end
        end
      end

      def note(**changes)
        @progress = @progress.merge(changes.transform_keys(&:to_s))
        @place.progress = @progress
      end
    end
  end
end
