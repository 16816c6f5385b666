# frozen_string_literal: true

module HybridSearch
  class Generations
    # Reads from the active generation. A process checks at each call whether another generation is active: for a file
    # with one `stat`, in PostgreSQL with one row that is reused for `refresh` seconds.
    module Reading
      OTHER_GENERATION = "cursor is of a generation that was made otherwise and is not active any more; begin with " \
                         "the first page"
      # The number of records that are listed at once.
      AT_ONCE = 1000
      private_constant :OTHER_GENERATION, :AT_ONCE

      # Yield the index of the active generation, which stays open until the block ends; write only through
      # {Generations}.
      #
      # @yieldparam index [Index]
      # @return [Object] the value of the block
      # @raise [DocStoreError] a store failed
      def use
        state = seen
        @indexes.use(state.active, state) { |index, _| yield index }
      end

      # @param question [String]
      # @param options [Hash] as for {Index#search}
      # @return [Page]
      # @raise [InvalidCursorError] the cursor is not acceptable, or of a generation that was made in another way
      def search(question = "", **options)
        reading { |index| index.search(question, **options) }
      rescue InvalidCursorError => e
        raise e unless e.message == Search::CursorCodec::FORGED && of_another?(options[:cursor])

        raise InvalidCursorError, OTHER_GENERATION, cause: nil
      end

      # @param questions [Enumerable<String>]
      # @param options [Hash] as for {Index#search}
      # @return [Array<Page>] the first page of each question
      def search_many(questions, **options)
        reading { |index| index.search_many(questions, **options) }
      end

      # @param id [String, Symbol, Integer] the id of a record
      # @param options [Hash] as for {Index#similar}
      # @return [Page] the records that are most similar to a stored one
      def similar(id, **options)
        reading { |index| index.similar(id, **options) }
      end

      # Return all hits, from the generation that is active at the beginning.
      #
      # @param question [String]
      # @param options [Hash] as for {Index#each}
      # @yieldparam hit [Hit]
      # @return [Enumerator<Hit>, nil] an enumerator without a block
      def each(question = "", **options, &block)
        return enum_for(:each, question, **options) unless block

        use { |index| index.each(question, **options, &block) }
        nil
      end

      # @param options [Hash] as for {Index#count}
      # @return [Integer] the number of records
      def count(**options)
        reading { |index| index.count(**options) }
      end

      # @return [Hash{String=>Object}] see {DocStoreAdapter#stats}
      def stats
        reading(&:stats)
      end

      # Return the ids of all documents (`doc_id`), each once, in order, including hidden ones.
      #
      # @yieldparam id [String]
      # @return [Enumerator<String>, nil] an enumerator without a block
      def ids
        return enum_for(:ids) unless block_given?

        use do |index|
          last = nil
          each_doc_id(index.store) do |id|
            yield id unless id == last
            last = id
          end
        end
        nil
      end

      private

      # Return the state in the view of readers; a new collection gets an empty generation.
      def seen
        @place.seen || @place.exclusively { made_state }
      end

      def made_state
        @place.state || State.first(@recipe).tap do |state|
          @place.create(state.active)
          @place.state = state
        end
      end

      # Call the block with the active index; if its generation was removed meanwhile, call it with the new one.
      def reading(&block)
        state = seen
        begin
          @indexes.use(state.active, state) { |index| block.call(index) }
        rescue DocStoreError
          raise if seen.active == state.active

          @indexes.use(seen.active, seen) { |index| block.call(index) }
        end
      end

      # Yield each id. A page begins after the last id of the previous one, so documents that are added or removed
      # meanwhile do not shift it.
      def each_doc_id(store, &)
        last = nil
        loop do
          filters = last.nil? ? {} : { "doc_id" => { "gt" => last } }
          found = store.search(select_fields: %w[doc_id], filters:, order_by: [%w[doc_id asc]], limit: AT_ONCE)
          ids = found.ids.map { |id| found.fields.fetch(id).fetch("doc_id") }
          ids.each(&)
          break if ids.size < AT_ONCE

          last = ids.last
        end
      end

      # Return whether a cursor is of another generation that is still known.
      def of_another?(cursor)
        seen.generations.keys.any? do |name|
          Search::CursorCodec.new(seen.recipe(name).cursor_secret(@options[:cursor_secret])).decode(cursor)
        rescue InvalidInputError
          false
        end
      end
    end
  end
end
