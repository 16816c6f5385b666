# frozen_string_literal: true

module HybridSearch
  module Text
    # Finds the most probable route through the graph of dictionary words (TXT-2): jieba's `get_DAG` and `calc` in one
    # pass.
    #
    # From right to left, each position takes the word with the greatest sum of log(frequency / total) up to the end of
    # the text, and of equal sums the longest word. Where no word begins, the character counts as a word with frequency
    # 1.
    class RouteFinder
      include Base::ShortInspect

      # @param dictionary [Dictionary]
      def initialize(dictionary)
        @dictionary = dictionary
        @table = dictionary.table
        freeze
      end

      # @param points [Array<Integer>] the code points of a text that is one block
      # @param whole [Boolean] whether a word may be the whole text; in a text of one character it always may
      # @return [Array<Integer>] for each position, the exclusive end of the word that begins there
      def ends(points, whole: true)
        user_words = @dictionary.user_words
        user_words ? ends_with_user_words(points, whole, user_words) : ends_by_table(points, whole)
      end

      # @param points [Array<Integer>] the code points of a text
      # @return [Array<Integer, nil>] for each position, the exclusive end of the word that begins there. Words are
      #   within blocks, which are runs of the characters that have {DictionaryTable#block_weights}; all other
      #   characters have nil
      def block_ends(points)
        user_words = @dictionary.user_words
        return block_ends_by_table(points) unless user_words

        block_weights = @table.block_weights
        found = Array.new(points.size)
        start = 0
        points.chunk_while { |left, right| block_weights[left].nil? == block_weights[right].nil? }.each do |run|
          unless block_weights[run[0]].nil?
            ends_with_user_words(run, true, user_words).each_with_index { |stop, at| found[start + at] = start + stop }
          end
          start += run.size
        end
        found
      end

      private

      # Find the words with the table alone, in the innermost loop of segmentation. A character U+0000 after the text,
      # which continues no word, stops the walk. The root's children are the slots of their code points.
      def block_ends_by_table(points)
        base = @table.base
        check = @table.check
        numbers = @table.numbers
        weights = @table.weights
        block_weights = @table.block_weights
        unknown = @table.unknown_weight
        start = points.size
        points += [0]
        ends = Array.new(start)
        sums = Array.new(start + 1, 0.0)
        right = 0.0
        following = 0
        while start > 0 # rubocop:disable Style/NumericPredicate -- hot: predicates are calls
          position = start
          start -= 1
          point = points[start]
          if (weight = block_weights[point])
            best = weight + right
            stop = position
          elsif weight.nil?
            following = 0
            right = 0.0
            next
          else
            stop = nil
          end
          child = base[point] + following
          if check[child] == point
            node = child
            while node
              position += 1
              if (weight = weights[numbers[node]])
                sum = weight + sums[position]
                unless stop && sum < best
                  best = sum
                  stop = position
                end
              end
              child = base[node] + points[position]
              break if check[child] != node

              node = child
            end
          end
          if stop
            ends[start] = stop
            sums[start] = right = best
          else
            ends[start] = start + 1
            sums[start] = right += unknown
          end
          following = point
        end
        ends
      end

      # Find the words of any sequence of characters with the table alone. A second U+0000, instead of the last
      # character, stops the word that would be the whole text.
      def ends_by_table(points, whole)
        base = @table.base
        check = @table.check
        numbers = @table.numbers
        weights = @table.weights
        unknown = @table.unknown_weight
        start = points.size
        points += [0]
        ends = Array.new(start, 0)
        sums = Array.new(start + 1, 0.0)
        while (start -= 1) >= 0
          points[-2] = 0 if start == 0 && !whole && points.size > 2 # rubocop:disable Style/NumericPredicate -- hot
          best = stop = nil
          node = points[start]
          if check[node] == 0 # rubocop:disable Style/NumericPredicate -- hot
            position = start
            while node
              position += 1
              if (weight = weights[numbers[node]])
                sum = weight + sums[position]
                unless stop && sum < best
                  best = sum
                  stop = position
                end
              end
              child = base[node] + points[position]
              break if check[child] != node

              node = child
            end
          end
          sums[start] = stop ? best : unknown + sums[start + 1]
          ends[start] = stop || (start + 1)
        end
        ends
      end

      # Find the words with both tries at once; a node of either is nil if no word of that trie continues.
      def ends_with_user_words(points, whole, user_words)
        logtotal = Math.log(@dictionary.total.to_f)
        size = points.size
        ends = Array.new(size, 0)
        sums = Array.new(size + 1, 0.0)
        (size - 1).downto(0) do |start|
          limit = start.zero? && !whole && size > 1 ? size - 1 : size
          best = nil
          each_word(points, start, limit, user_words) do |stop, frequency|
            sum = (Math.log(frequency.to_f) - logtotal) + sums[stop]
            next unless best.nil? || sum >= best

            best = sum
            ends[start] = stop
          end
          ends[start] = start + 1 if best.nil?
          sums[start] = best || ((0.0 - logtotal) + sums[start + 1])
        end
        ends
      end

      def each_word(points, start, limit, user_words)
        base = @table.base
        check = @table.check
        children = user_words.children
        frequencies = user_words.frequencies
        node = 0
        user_node = 0
        position = start
        while position < limit
          point = points[position]
          if node
            slot = base[node] + point
            node = check[slot] == node ? slot : nil
          end
          user_node &&= children[(user_node * Dictionary::UserWords::POINTS) + point]
          return unless node || user_node

          position += 1
          frequency = (user_node && frequencies[user_node]) || (node ? @table.frequency(node) : 0)
          yield position, frequency if frequency.positive?
        end
      end
    end
  end
end
