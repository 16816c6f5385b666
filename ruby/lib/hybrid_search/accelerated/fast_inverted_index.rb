# frozen_string_literal: true

module HybridSearch
  module Accelerated
    # The inverted index of one field: the documents that contain a token, its places, and its scores (DOC-3).
    #
    # Documents are numbered by *slots* that only grow. Values that depend on the statistics of the whole field (idf,
    # scores) are computed when a term is first requested, so that adding a document costs only its own tokens.
    #
    # An index belongs to one state of a store; its results never change. All states share the lists of occurrences, to
    # which a change appends. Its occurrences are visible only in the state that {#changed} returns: the others end
    # before its slots. An abandoned change leaves occurrences in slots that never count. Safe to use from several
    # threads; only one change at a time may be made, each from the state of the last change that was not abandoned.
    class FastInvertedIndex
      include Base::ShortInspect

      POSITION_BITS = 32
      POSITION_MASK = (1 << POSITION_BITS) - 1
      MUCH_LONGER = 16

      # @return [Integer] the total number of tokens of all documents
      attr_reader :tokens
      # @return [Integer] the number of slots up to the last document that has the field
      attr_reader :slots

      # @param bm25 [Stores::Snapshot::Bm25] the formula
      # @param keywords [Boolean] whether a token is a whole keyword; a phrase then is the keyword of its tokens joined
      #   by a blank
      def initialize(bm25, keywords)
        @bm25 = bm25
        @keywords = keywords
        @name = ""
        @occurrences = {}
        # The number of documents that contain a token: the numbers known before the last change, and those it changed.
        @older_frequencies = {}
        @newer_frequencies = {}
        # A table: document frequency => the number of tokens that have it.
        @tokens_with = {}
        @documents = 0
        @slots = 0
        @tokens = 0
        @lengths = []
        @living = LivingSlots.new
        forget
      end

      # @param living [LivingSlots] the slots that contain a document after the change
      # @param removed [Enumerable<Array<String>>] the tokens of removed documents
      # @param added [Enumerable<Array(Integer, Array<String>)>] slot and tokens of new documents, in ascending slots
      #   that are higher than all before
      # @return [FastInvertedIndex] the index after a change
      def changed(living, removed, added)
        index = dup
        index.apply(living, removed, added)
        index
      end

      # @return [FastInvertedIndex] the same index with its own lists, for a field that shared them and now changes
      #   alone
      def separated
        index = dup
        index.separate
        index
      end

      # @return [Float] the idf of a token of some document; okapi raises a negative one to epsilon · average idf
      def idf(token)
        frequency = (@frequencies[token] ||= counts([token], 0)&.first.to_a.size)
        idf = @bm25.raw_idf(@documents, frequency)
        return idf if idf >= 0

        @average_idf ||= @bm25.average_idf(@documents, frequency_counts)
        @bm25.epsilon * @average_idf
      end

      # @return [Float] the mean length over the documents that have a token there; there must be one
      def average_filled_length
        @filled ||= filled
        @tokens.to_f / @filled
      end

      # @param tokens [Array<String>] a token, or several as a phrase
      # @param slop [Integer]
      # @return [Array(Array<Integer>, Array<Numeric>, Array<Integer>), nil] the slots of the documents that contain it,
      #   ascending; its frequencies there; and their numbers of tokens; nil if no document contains it
      def counts(tokens, slop)
        return nil unless tokens.all? { |token| holds?(token) }

        slots, frequencies = occurrences(tokens, slop)
        slots.empty? ? nil : [slots, frequencies, lengths_of(slots)]
      end

      # @param tokens [Array<String>] a token, or several as a phrase
      # @param slop [Integer]
      # @return [Posting, nil] the documents that contain it; nil if there is none
      def posting(tokens, slop)
        tokens = [tokens.join(" ")] if @keywords && tokens.size > 1
        key = [@name, tokens, tokens.size > 1 ? slop : 0]
        known, posting = @postings.find(key)
        return posting if known

        posting = make_posting(tokens, slop)
        @postings.keep(key, posting, @tokens)
        posting
      end

      protected

      def separate
        limit = @slots << POSITION_BITS
        @occurrences = @occurrences.filter_map do |token, places|
          [token, places.take(places.bsearch_index { |place| place >= limit } || places.size)] if places[0] < limit
        end.to_h
        @older_frequencies = @older_frequencies.dup
        @lengths = @lengths.take(@slots)
      end

      def apply(living, removed, added)
        # Repeating this after an abandoned change does no harm.
        @older_frequencies.update(@newer_frequencies)
        fewer = Hash.new(0)
        more = Hash.new(0)
        removed.each { |tokens| take_out(tokens, fewer) }
        added.each { |slot, tokens| append(slot, tokens, more) }
        count(fewer, more)
        @living = living
        forget
      end

      private

      def take_out(tokens, fewer)
        tokens.uniq.each { |token| fewer[token] += 1 }
        @documents -= 1
        @tokens -= tokens.size
      end

      def append(slot, tokens, more)
        occurrences = @occurrences
        first = slot << POSITION_BITS
        place = first
        tokens.each do |token|
          found = occurrences[token]
          if found.nil?
            occurrences[token] = [place]
            more[token] += 1
          else
            more[token] += 1 if found[-1] < first
            found << place
          end
          place += 1
        end
        @lengths[slot] = tokens.size
        @slots = slot + 1
        @documents += 1
        @tokens += tokens.size
      end

      def count(fewer, more)
        older = @older_frequencies
        newer = more.to_h { |token, count| [token, (older[token] || 0) + count] }
        fewer.each { |token, count| newer[token] = (newer[token] || older[token]) - count }
        tokens_with = @tokens_with.dup
        newer.each_value.tally.each do |frequency, count|
          tokens_with[frequency] = (tokens_with[frequency] || 0) + count
        end
        newer.each_key.map { |token| older[token] || 0 }.tally
             .each { |frequency, count| tokens_with[frequency] = (tokens_with[frequency] || 0) - count }
        @newer_frequencies = newer
        @tokens_with = tokens_with.delete_if { |frequency, count| frequency.zero? || count.zero? }
      end

      # Discard everything that depends on the statistics.
      def forget
        @postings = CachedPostings.new
        @frequencies = {}
        @average_idf = nil
        @filled = nil
      end

      # Return the number of documents that have a token in the field.
      def filled
        mask = @living.mask
        @lengths.first(@living.limit).each_with_index.count do |length, slot|
          length&.positive? && (mask.nil? || mask.getbyte(slot) == 1)
        end
      end

      def make_posting(tokens, slop)
        slots, frequencies, lengths = counts(tokens, slop)
        return nil if slots.nil?

        @frequencies[tokens[0]] = slots.size if tokens.size == 1
        idf = 0.0
        tokens.each { |token| idf += idf(token) }
        average_length = @tokens.to_f / @documents
        bm25 = @bm25
        scores = Array.new(slots.size, 0.0)
        index = 0
        while index < slots.size
          saturation_length = bm25.saturation_length(lengths[index], average_length)
          scores[index] = bm25.score(idf, frequencies[index], saturation_length)
          index += 1
        end
        Posting.new(slots, scores, @slots)
      end

      def occurrences(tokens, slop)
        return frequencies_of(places(tokens[0])) if tokens.size == 1

        slop.zero? ? exact_phrase(tokens) : sloppy_phrase(tokens, slop)
      end

      # Return the numbers of tokens of documents that have the field; the slots are ascending.
      def lengths_of(slots)
        slots.map { |slot| @lengths[slot] }
      end

      # Return whether a document contains, or once contained, a token.
      def holds?(token)
        @occurrences.key?(token)
      end

      # Return the number of tokens of each document frequency.
      def frequency_counts
        @tokens_with
      end

      # Return the places of a token, ascending.
      def places(token)
        list = @occurrences.fetch(token)
        size = list.size
        limit = @living.limit << POSITION_BITS
        size = list.bsearch_index { |place| place >= limit } if list[size - 1] >= limit
        # This is a copy, as a change may append to the list meanwhile.
        places = list.first(size)
        mask = @living.mask
        mask ? places.select { |place| mask.getbyte(place >> POSITION_BITS) == 1 } : places
      end

      def exact_phrase(tokens)
        lists = tokens.uniq.to_h { |token| [token, places(token)] }
        starts = lists.fetch(tokens[0])
        tokens.each_with_index do |token, offset|
          break if starts.empty?

          starts = shifted_intersection(starts, lists.fetch(token), offset) if offset.positive?
        end
        frequencies_of(starts)
      end

      # Return those of `starts` that are followed by one of `places` at a distance of `offset`.
      def shifted_intersection(starts, places, offset)
        return starts & places.map { |place| place - offset } if places.size < starts.size * MUCH_LONGER

        starts.select do |start|
          found = places.bsearch { |place| place >= start + offset }
          found == start + offset
        end
      end

      def sloppy_phrase(tokens, slop)
        counts = tokens.tally
        lists = counts.to_h { |token, _| [token, places(token)] }
        slots = []
        frequencies = []
        common_slots(lists.values).each do |slot|
          found = lists.transform_values { |list| positions(list, slot) }
          # In a match, no two tokens share a position.
          next unless found.all? { |token, list| list.size >= counts[token] }
          next unless room?(found.values, tokens.size, slop)

          positions = tokens.map { |token| found[token] }
          frequency = Stores::Snapshot::PhraseMatcher.sloppy_frequency(positions, slop, counts.size < tokens.size)
          next unless frequency.positive?

          slots << slot
          frequencies << frequency
        end
        [slots, frequencies]
      end

      # Return whether `count` positions are close enough to each other for a sloppy match: linear, unlike the match.
      #
      # In a match every token has its own position. With a distance of at most `slop`, the last position is less than
      # `count + slop` after the first.
      def room?(positions, count, slop)
        ordered = positions.flatten.sort
        (count - 1...ordered.size).any? { |last| ordered[last] - ordered[last - count + 1] < count + slop }
      end

      def common_slots(lists)
        shortest, *others = lists.sort_by.with_index { |list, index| [list.size, index] }
        others.inject(slots_of(shortest)) do |common, list|
          common.select do |slot|
            found = list.bsearch { |place| place >= slot << POSITION_BITS }
            found && found >> POSITION_BITS == slot
          end
        end
      end

      def positions(list, slot)
        index = list.bsearch_index { |place| place >= slot << POSITION_BITS }
        positions = []
        while index < list.size && list[index] >> POSITION_BITS == slot
          positions << (list[index] & POSITION_MASK)
          index += 1
        end
        positions
      end

      def slots_of(places)
        frequencies_of(places)[0]
      end

      # Return the slots of ascending places, and the number of places in each.
      def frequencies_of(places)
        slots = []
        frequencies = []
        last = -1
        places.each do |place|
          slot = place >> POSITION_BITS
          if slot == last
            frequencies[-1] += 1
          else
            slots << slot
            frequencies << 1
            last = slot
          end
        end
        [slots, frequencies]
      end
    end
  end
end
