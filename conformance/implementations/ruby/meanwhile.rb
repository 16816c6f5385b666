# frozen_string_literal: true

module Conformance
  # Changes of a store between its reads: what one call reads in parts may be of a store that others change meanwhile.
  # It must be made after what uses the store, which looks at the store's class to learn what its searches take.
  class Meanwhile
    # The methods that count as reads.
    READS = %i[search get_many].freeze

    # @param store [HybridSearch::DocStoreAdapter]
    def initialize(store)
      @changes = {}
      @reads = 0
      counted = method(:read)
      store.singleton_class.prepend(Module.new do
        READS.each do |name|
          define_method(name) do |*arguments, **options|
            counted.call
            super(*arguments, **options)
          end
        end
      end)
    end

    # Make these changes, each before the read of its number, counted from now on, the first is 1.
    #
    # @param changes [Hash{Integer => #call}]
    def arm(changes)
      @changes = changes.dup
      @reads = 0
    end

    private

    def read
      @reads += 1
      @changes.delete(@reads)&.call
    end
  end
end
