# frozen_string_literal: true

module HybridSearch
  module Text
    # Frequencies and parts of speech (TXT-2, TXT-6): jieba's, and the user's on top.
    #
    # jieba's table is frozen and shared; the words a user adds belong to the one Dictionary they were added to.
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
      # @return [Integer] how many words were added; as long as it stays the same, so does what the dictionary tells
      attr_reader :version

      def initialize
        @table = DictionaryTable.shared
        @total = @table.total
        @user_words = nil
        @user_tags = {}
        @force_split = {}
        @version = 0
        @lock = Mutex.new
      end

      # @param term [String]
      # @return [Integer] how often the term occurs in the dictionary's corpus; 0 if it is not a word (TXT-6)
      def frequency(term)
        entry(Base::Validation.text("term", term).codepoints) || 0
      end

      # @param term [String]
      # @return [String] its part of speech, such as `n` or `v`; "" if the dictionary has none (TXT-6)
      def tag(term)
        term = Base::Validation.text("term", term)
        @user_tags[term] || @table.tag(term)
      end

      # Add a user word, or give a word another frequency; 0 takes the word away.
      #
      # As in jieba, the total grows by `frequency` even if the word was there before, and an earlier part of speech
      # stays if no other is given.
      #
      # @param word [String] the word, not empty
      # @param frequency [Integer] from 0 to {MAXIMUM_FREQUENCY}
      # @param tag [String, nil] its part of speech; nil and "" give none
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
          @version += 1
        end
        nil
      end

      # @param points [Array<Integer>] code points
      # @param from [Integer] the first that counts
      # @param to [Integer] the first that does not
      # @return [Integer, nil] the frequency of a word, 0 for a mere prefix; nil if no word begins so
      def entry(points, from = 0, to = points.size)
        return @table.entry(points, from, to) unless @user_words

        node = @user_words.node(points, from, to)
        return @table.entry(points, from, to) unless node

        @user_words.frequencies[node] || @table.entry(points, from, to) || 0
      end

      # @param word [Object]
      # @return [String] the word a user adds: a text that is not empty
      def self.user_word(word)
        checked = Base::Validation.text("word", word)
        raise Base::Validation.failure("word", word, "a text that is not empty") if checked.empty?

        checked
      end

      # A trie of the words a user added. Node 0 is the root.
      class UserWords
        include Base::ShortInspect

        # More than any code point: a child is found by `node * POINTS + code point`.
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
