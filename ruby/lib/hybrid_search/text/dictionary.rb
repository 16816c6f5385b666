# frozen_string_literal: true

module HybridSearch
  module Text
    # Word frequencies and parts of speech for a segmenter: jieba's, with the user's words on top (TXT-2, TXT-6).
    #
    # jieba's table is frozen and shared. User words belong to the one Dictionary they were added to.
    class Dictionary
      include Base::ShortInspect

      # The largest frequency a user word may have.
      MAXIMUM_FREQUENCY = 1_000_000_000_000

      # @return [DictionaryTable] jieba's words
      attr_reader :table
      # @return [UserWords, nil] the user's words; nil if there are none
      attr_reader :user_words
      # @return [Integer] the sum of the frequencies, as jieba counts it
      attr_reader :total
      # @return [Hash{String=>true}] the user's words of frequency 0, which the model may not join either
      attr_reader :force_split
      # @return [Integer] the number of words that were added; while it is unchanged, so are all results of the
      #   dictionary
      attr_reader :version
      # @return [Array<Array(String, Integer, String)>] the words that were added, in order, each with its frequency and
      #   its part of speech
      attr_reader :added

      def initialize
        @table = DictionaryTable.shared
        @total = @table.total
        @user_words = nil
        @user_tags = {}
        @force_split = {}
        @version = 0
        @added = []
        @lock = Mutex.new
      end

      # @param term [String]
      # @return [Integer] the number of times the term occurs in the dictionary's corpus; 0 if it is not a word (TXT-6)
      def frequency(term)
        entry(Base::Validation.text("term", term).codepoints) || 0
      end

      # @param term [String]
      # @return [String] its part of speech, such as `n` or `v`; "" if the dictionary has none (TXT-6)
      def tag(term)
        term = Base::Validation.text("term", term)
        @user_tags[term] || @table.tag(term)
      end

      # Add a user word, or change the frequency of a word; 0 removes the word.
      #
      # As in jieba, the total grows by `frequency` even if the word exists already, and an earlier part of speech stays
      # unless another is given.
      #
      # @param word [String] the word, not empty
      # @param frequency [Integer] from 0 to {MAXIMUM_FREQUENCY}
      # @param tag [String, nil] its part of speech; nil and "" set none
      # @return [void]
      # @raise [InvalidInputError] an argument is not acceptable
      def add(word, frequency, tag = nil)
        word = Dictionary.user_word(word)
        frequency = Base::Validation.integer("frequency", frequency, 0, MAXIMUM_FREQUENCY)
        tag = Base::Validation.text("tag", tag) unless tag.nil?
        @lock.synchronize do
          @user_words ||= UserWords.new
          @user_words.add(word.codepoints, frequency)
          @total += frequency
          @user_tags[word.dup.freeze] = tag.dup.freeze unless tag.nil? || tag.empty?
          @force_split[word.dup.freeze] = true if frequency.zero?
          @added << [word.dup.freeze, frequency, tag.dup.freeze]
          @version += 1
        end
        nil
      end

      # @param points [Array<Integer>] code points
      # @param from [Integer] the first position that counts
      # @param to [Integer] the position after the last one that counts
      # @return [Integer, nil] the frequency of a word, 0 for a mere prefix; nil if no word begins with these code
      #   points
      def entry(points, from = 0, to = points.size)
        return @table.entry(points, from, to) unless @user_words

        node = @user_words.node(points, from, to)
        return @table.entry(points, from, to) unless node

        @user_words.frequencies[node] || @table.entry(points, from, to) || 0
      end

      # @param word [Object]
      # @return [String] the word, if it is a text that is not empty
      def self.user_word(word)
        checked = Base::Validation.text("word", word)
        raise Base::Validation.failure("word", word, "a text that is not empty") if checked.empty?

        checked
      end

      # A trie of the user's words. Node 0 is the root.
      class UserWords
        include Base::ShortInspect

        # More than any code point: the key of a child is `node * POINTS + code point`.
        POINTS = 0x200000

        # @return [Hash{Integer=>Integer}] the children
        attr_reader :children
        # @return [Array<Integer, nil>] the frequency of a node; nil for a mere prefix
        attr_reader :frequencies

        def initialize
          @children = {}
          @frequencies = [nil]
        end

        def add(points, frequency)
          node = points.reduce(0) do |parent, point|
            @children[(parent * POINTS) + point] ||= (@frequencies << nil).size - 1
          end
          @frequencies[node] = frequency
        end

        # @return [Integer, nil] the node of a word or prefix
        def node(points, from, to)
          node = 0
          while from < to
            node = @children[(node * POINTS) + points[from]]
            return nil unless node

            from += 1
          end
          node
        end
      end
    end
  end
end
