# frozen_string_literal: true

module HybridSearch
  # The inverted index of one field: which documents hold a token, where, and what it scores there (DOC-3).
  #
  # Documents are numbered by *slots* that only grow. What follows from the statistics of the whole field (idf, scores)
  # is made when a term is first asked for and dropped when a document comes or goes, so that adding costs the tokens of
  # the document and nothing else.
  class InvertedIndex
    POSITION_BITS = 32
    POSITION_MASK = (1 << POSITION_BITS) - 1
    SMALLEST_CACHE = 4_000_000
    CACHE_PER_TOKEN = 2
    MUCH_LONGER = 16

    # @return [Integer] how many tokens all documents have together
    attr_reader :tokens

    # @param bm25 [Bm25] the formula
    # @param keywords [Boolean] whether a token is a whole keyword; a phrase then is the keyword of its tokens joined by
    #   a blank
    def initialize(bm25, keywords)
      @bm25 = bm25
      @keywords = keywords
      @occurrences = {}
      @document_frequencies = {}
      @documents = 0
      @tokens = 0
      @lengths = []
      @removed = false
      @cache = {}
      @cached = 0
      @average_idf = nil
    end

    # Add a document at a slot that is higher than all before.
    #
    # @return [void]
    def add(slot, tokens)
      occurrences = @occurrences
      frequencies = @document_frequencies
      first = slot << POSITION_BITS
      place = first
      tokens.each do |token|
        found = occurrences[token]
        if found.nil?
          occurrences[token] = [place]
          frequencies[token] = 1
        else
          frequencies[token] += 1 if found[-1] < first
          found << place
        end
        place += 1
      end
      @lengths[slot] = tokens.size
      @documents += 1
      @tokens += tokens.size
      forget
    end

    # Take a document out; its occurrences stay behind and are passed over.
    #
    # @return [void]
    def remove(slot, tokens)
      tokens.uniq.each do |token|
        left = @document_frequencies[token] - 1
        @document_frequencies[token] = left
        next unless left.zero?

        @document_frequencies.delete(token)
        @occurrences.delete(token)
      end
      @lengths[slot] = nil
      @removed = true
      @documents -= 1
      @tokens -= tokens.size
      forget
    end

    # @return [Float] the idf of a token that is in some document; okapi raises a negative one to epsilon · average idf
    def idf(token)
      idf = @bm25.raw_idf(@documents, @document_frequencies.fetch(token))
      return idf if idf >= 0 || @bm25.variant == "lucene"

      @average_idf ||= @bm25.average_idf(@documents, @document_frequencies.values)
      @bm25.epsilon * @average_idf
    end

    # @param tokens [Array<String>] a token, or several as a phrase
    # @param slop [Integer]
    # @return [Posting, nil] the documents that hold it; nil when there are none
    def posting(tokens, slop)
      tokens = [tokens.join(" ")] if @keywords && tokens.size > 1
      key = tokens.size > 1 ? [tokens, slop] : tokens[0]
      known = @cache[key]
      return known if known || @cache.key?(key)

      posting = make_posting(tokens, slop)
      @cached += posting ? posting.size : 1
      most = SMALLEST_CACHE + (CACHE_PER_TOKEN * @tokens)
      @cached -= @cache.shift[1]&.size || 1 while @cached > most && !@cache.empty?
      @cache[key] = posting
    end

    private

    def forget
      unless @cache.empty?
        @cache = {}
        @cached = 0
      end
      @average_idf = nil
    end

    def make_posting(tokens, slop)
      return nil unless tokens.all? { |token| @occurrences.key?(token) }

      slots, frequencies = occurrences(tokens, slop)
      return nil if slots.empty?

      idf = 0.0
      tokens.each { |token| idf += idf(token) }
      average_length = @tokens.to_f / @documents
      lengths = @lengths
      bm25 = @bm25
      scores = Array.new(slots.size, 0.0)
      index = 0
      while index < slots.size
        scores[index] = bm25.score(idf, frequencies[index], lengths[slots[index]], average_length)
        index += 1
      end
      Posting.new(slots, scores, @lengths.size)
    end

    def occurrences(tokens, slop)
      return frequencies_of(places(tokens[0])) if tokens.size == 1

      slop.zero? ? exact_phrase(tokens) : sloppy_phrase(tokens, slop)
    end

    def places(token)
      places = @occurrences.fetch(token)
      @removed ? places.select { |place| @lengths[place >> POSITION_BITS] } : places
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

    # The places of `starts` that are in `places` too, `offset` later.
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
        # In a match no two tokens share a position.
        next unless found.all? { |token, list| list.size >= counts[token] }
        next unless PhraseMatcher.room?(found.values, tokens.size, slop)

        frequency = PhraseMatcher.sloppy_frequency(found.values_at(*tokens), slop, counts.size < tokens.size)
        next unless frequency.positive?

        slots << slot
        frequencies << frequency
      end
      [slots, frequencies]
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

    # The slots in ascending places, and how many places each has.
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
