# frozen_string_literal: true

module HybridSearch
  class Generations
    # The indexes of generations that this process has open. An index that is neither active nor building is closed as
    # soon as it is not in use.
    class OpenIndexes
      include Base::ShortInspect

      # An open index, and the number of its users.
      Opened = ::Struct.new(:store, :index, :documents, :users)
      private_constant :Opened

      # @param place [FilePlace, PostgresPlace, MemoryPlace] opens stores
      # @param make [#call] makes an index and its {Documents} from a store and a {Recipe}
      def initialize(place, make)
        @place = place
        @make = make
        @opened = {}
        @lock = Thread::Mutex.new
        @process = Process.pid
      end

      # @param name [String] the name of a generation
      # @param state [State]
      # @yieldparam index [Index] the index, which is open until the block ends
      # @yieldparam documents [Documents]
      # @return [Object] the value of the block
      def use(name, state)
        opened = take(name, state)
        begin
          yield opened.index, opened.documents
        ensure
          give(opened)
        end
      end

      # Close generations that are about to be removed, once they are not in use.
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

      # Start without the indexes of the parent, in a forked child: the threads that use them exist only in the parent.
      def leave_to_parent
        @process = Process.pid
        @opened.each_value { |opened| opened.users = 0 }
      end
    end
  end
end
