# frozen_string_literal: true

module HybridSearch
  module Stores
    module OpenSearch
      # Chooses the address of each request: each address in turn, except those that did not respond (OS-3). It is safe
      # to use from several threads.
      class OpenSearchAddresses
        include Base::ShortInspect

        # The number of seconds for which an address is skipped.
        PAUSE = 30.0

        # @param url [String, Array<String>] one address, or a list of them
        # @return [Array<String>] the addresses
        # @raise [InvalidInputError] the list is empty, or one of the addresses is not that of a server
        def self.accepted(url)
          urls = url.is_a?(::String) ? [url] : Base::Validation.texts("url", url)
          raise Base::Validation.failure("url", urls, "the address of a node, or a list of them") if urls.empty?

          urls.each_with_index { |one, place| Client::Endpoint.new(url.is_a?(::String) ? "url" : "url[#{place}]", one) }
          urls
        end

        # @param count [Integer] the number of addresses
        # @param clock [#call] returns seconds that only go forward
        def initialize(count, clock = -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) })
          @skipped_until = ::Array.new(count, 0.0)
          @clock = clock
          @turn = 0
          @lock = Mutex.new
        end

        # @return [Integer] the place of the next address that is not skipped; if all are, the first one that will be
        #   used again
        def choose
          @lock.synchronize do
            @turn += 1
            count = @skipped_until.size
            now = @clock.call
            places = ::Array.new(count) { |step| (@turn + step) % count }
            places.min_by.with_index { |place, step| [[@skipped_until[place] - now, 0.0].max, step] }
          end
        end

        # Skip an address for a while.
        #
        # @param place [Integer]
        # @return [void]
        def fail(place)
          @lock.synchronize { @skipped_until[place] = @clock.call + PAUSE }
        end

        # Use an address again.
        #
        # @param place [Integer]
        # @return [void]
        def succeed(place)
          @lock.synchronize { @skipped_until[place] = 0.0 }
        end
      end
    end
  end
end
