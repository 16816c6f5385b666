# frozen_string_literal: true

module HybridSearch
  class Generations
    # The indexes of generations that this process has open. One that is neither active nor building is closed as soon
    # as nobody uses it.
    class OpenIndexes
      include Base::ShortInspect

      # An open index, and the number of those who use it.
      Opened = ::Struct.new(:store, :index, :documents, :users)
      private_constant :Opened

      # @param place [FilePlace, PostgresPlace, MemoryPlace] opens stores
      # @param make [#call] makes an index and its {Documents} of a store and a {Recipe}
      def initialize(place, make)
        @place = place
        @make = make
        @opened = {}
        @lock = Thread::Mutex.new
        @process = Process.pid
      end

      # @param name [String] of a generation
      # @param state [State]
      # @yieldparam index [Index] open until the block ends
      # @yieldparam documents [Documents]
      # @return [Object] what the block gives
      def use(name, state)
        opened = take(name, state)
        begin
          yield opened.index, opened.documents
        ensure
          give(opened)
        end
      end

      # Close generations that are about to be removed, once nobody uses them.
      #
      # @param names [Array<String>]
      # @return [void]
      def forget(names)
        close_unused { |name| names.include?(name) }
      end

      # Close all of them.
      #
      # @return [void]
      def close
        all = @lock.synchronize { @opened.values.tap { @opened = {} } }
        all.each { |opened| opened.store.close if opened.store.respond_to?(:close) }
      end

      private

      def take(name, state)
        close_unused { |other| ![state.active, state.building].include?(other) }
        @lock.synchronize do
          opened = @opened[name] ||= opened(name, state)
          opened.users += 1
          opened
        end
      end

      def give(opened)
        @lock.synchronize { opened.users -= 1 }
      end

      def opened(name, state)
        store = @place.open(name)
        done = false
        index, documents = @make.call(store, state.recipe(name))
        done = true
        Opened.new(store, index, documents, 0)
      ensure
        store.close if store && !done && store.respond_to?(:close)
      end

      def close_unused
        gone = @lock.synchronize do
          leave_to_parent unless @process == Process.pid
          names = @opened.keys.select { |name| @opened[name].users.zero? && yield(name) }
          names.map { |name| @opened.delete(name) }
        end
        gone.each { |opened| opened.store.close if opened.store.respond_to?(:close) && !@place.shared? }
      end

      # In a forked child: the threads of the parent that use an index are not here.
      def leave_to_parent
        @process = Process.pid
        @opened.each_value { |opened| opened.users = 0 }
      end
    end
  end
end
