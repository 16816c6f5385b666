# frozen_string_literal: true

module HybridSearch
  class Generations
    # Generations in the memory of one process. A forked child has those of its parent, and changes only its own.
    class MemoryPlace
      include Base::ShortInspect

      # @return [State, nil] the generations and the active one; nil before the first call
      attr_reader :state
      # @return [Hash{String=>Object}] the checkpoint of the build
      attr_reader :progress

      # @param timeout [Float] the number of seconds to wait for another writer
      # @param options [Hash{Symbol=>Object}] the options of each store
      def initialize(timeout, options)
        Base::Validation.known("store option", options.keys, %w[bm25 kernels])
        @timeout = timeout
        @options = options
        @writing = Thread::Mutex.new
        @building = Thread::Mutex.new
        @state = nil
        @stores = {}
        @changes = {}
        @progress = {}
      end

      # @return [String] its name in messages
      def to_s
        "the collection in memory"
      end

      # @return [Boolean] whether all users of a store open the same object
      def shared?
        true
      end

      # @see FilePlace#seen
      def seen
        @state
      end

      # @see FilePlace#state=
      def state=(state) # rubocop:disable Style/TrivialAccessors -- as in the other places
        @state = state
      end

      # @see FilePlace#exclusively
      def exclusively
        Waiting.until_taken(self, @timeout) { @writing.try_lock }
        begin
          yield
        ensure
          @writing.unlock
        end
      end

      # @see FilePlace#building
      def building
        raise Waiting.built(self) unless @building.try_lock

        begin
          yield
        ensure
          @building.unlock
        end
      end

      # @see FilePlace#create
      def create(name)
        @stores[name] = MemoryDocStore.new(**@options)
        @changes[name] = []
        @progress = {}
      end

      # @see FilePlace#open
      def open(name)
        @stores.fetch(name) { raise DocStoreError, "#{self} has no generation #{name} any more" }
      end

      # @see FilePlace#remove
      def remove(name)
        @stores.delete(name)
        @changes.delete(name)
      end

      # @see FilePlace#note
      def note(name, changes)
        @changes.fetch(name).concat(changes)
      end

      # @see FilePlace#changes
      def changes(name, position, most)
        found = @changes.fetch(name)[position, most] || []
        [found, position + found.size]
      end

      # @see FilePlace#forget_changes
      def forget_changes(name)
        @changes[name] = []
      end

      # @see FilePlace#progress=
      def progress=(progress) # rubocop:disable Style/TrivialAccessors -- as in the other places
        @progress = progress
      end

      # @see FilePlace#close
      def close; end
    end
  end
end
