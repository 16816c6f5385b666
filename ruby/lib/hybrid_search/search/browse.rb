# frozen_string_literal: true

module HybridSearch
  module Search
    # Lists all documents that pass the filters, one part after another: never more than a page is read (RET-9, CUR-2).
    # The order is that of `order_by`, then ascending ids.
    #
    # If the index has not changed, the next page begins where the previous one ended, and one search finds it.
    # Otherwise its place is searched for from there, in steps that double. Each search sees the index in its current
    # state, so a page is the result of a single search that has documents on both sides of the key. If they are missing
    # because the index has changed again, the place is searched for once again, and more is read around it.
    class Browse
      include Base::ShortInspect

      # @return [RankingOrder] the order
      attr_reader :order
      # @return [String] the fingerprint of the request
      attr_reader :fingerprint
      # @return [Retrievers::RankedBlock, nil] the block that was read last
      attr_reader :latest

      # @param request [SearchRequest] the request
      # @param fetch [#call] returns the given number of documents of the store from a place on, in its order, as a
      #   {Retrievers::RankedBlock}
      def initialize(request, fetch)
        @request = request
        @fetch = fetch
        @order = RankingOrder.new(request.retrieval.order_by)
        @fingerprint = request.fingerprint
        @latest = nil
      end

      # Return the next documents, at most `size`.
      #
      # @param key [RankingKey, nil] the place of the last document that was shown; it may have been removed. nil:
      #   `position` counts
      # @param position [Integer] the number of documents that were shown before, where the search begins
      # @param size [Integer] the maximum number of documents
      # @return [Stretch]
      def after(key, position, size)
        return stretch(hits(position, size + 1), size) if key.nil?

        place = position
        margin = 0
        loop do
          found = around(place, margin, key, size)
          return stretch(found, size) if found

          place = place_after(key, place)
          margin = (2 * margin) + 1
        end
      end

      # @return [Integer] the number of documents, as the store last reported it
      def total
        latest.recalled.result.total
      end

      private

      # Return the documents after a key, from the result of one search around a place; nil unless they are the next
      # ones.
      def around(place, margin, key, size)
        first = [0, place - 1 - margin].max
        wanted = place + margin + size + 1 - first
        found = hits(first, wanted)
        following = found.select { |hit| after?(hit, key) }
        begins = first.zero? || !(found.empty? || after?(found[0], key))
        following if begins && (following.size > size || found.size < wanted)
      end

      # Return the place of the first document after a key.
      def place_after(key, guess)
        low = 0
        high = total
        step = 1
        place = [guess, high].min
        while low < high && stands_after?(place, key, high)
          high = place
          place = [low, place - step].max
          step *= 2
        end
        while low < high && !stands_after?(place, key, high)
          low = place + 1
          place = [high, place + step].min
          step *= 2
        end
        halved(low, high, key)
      end

      def halved(low, high, key)
        end_of_all = high
        while low < high
          place = (low + high) / 2
          if stands_after?(place, key, end_of_all)
            high = place
          else
            low = place + 1
          end
        end
        low
      end

      def stands_after?(place, key, end_of_all)
        return true if place >= end_of_all

        found = hits(place, 1)
        found.empty? || after?(found[0], key)
      end

      def after?(hit, key)
        order.compare(hit, key).positive?
      end

      def hits(first, size)
        @latest = @fetch.call(first, size)
        Ranking.ranked_keys(@request, order, @latest, nil)
      end

      def stretch(hits, size)
        Stretch.new(hits.take(size), hits.size > size)
      end
    end
  end
end
