# frozen_string_literal: true

module HybridSearch
  # Finds the most probable way through the graph of dictionary words (TXT-2): jieba's `get_DAG` and `calc` in one pass.
  #
  # From right to left, each position takes the word with the greatest sum of log(frequency / total) up to the end;
  # of equal sums the longest word. Where no word begins, the character counts as one with frequency 1.
  class RouteFinder
    # @param dictionary [Dictionary]
    def initialize(dictionary)
      @dictionary = dictionary
      @table = dictionary.table
      freeze
    end

    # @param points [Array<Integer>] the code points of a text
    # @param whole [Boolean] whether a word may be all of it; a text of one character always may
    # @return [Array<Integer>] for each position the last position of the word that begins there
    def ends(points, whole: true)
      user_words = @dictionary.user_words
      user_words ? ends_with_user_words(points, whole, user_words) : ends_by_table(points, whole)
    end

    private

    # rubocop:disable Style/NumericPredicate -- the innermost loops of all: predicates are calls, comparisons are not
    def ends_by_table(points, whole)
      base = @table.base
      check = @table.check
      numbers = @table.numbers
      weights = @table.weights
      unknown = weights[DictionaryTable::NO_WORD]
      start = stop = points.size
      ends = Array.new(start, 0)
      sums = Array.new(start + 1, 0.0)
      while (start -= 1) >= 0
        stop -= 1 if start == 0 && !whole && stop > 1
        best = 0.0
        best_end = -1
        node = points[start]
        if check[node] == 0
          position = start
          while node
            number = numbers[node]
            if number > 0
              sum = weights[number] + sums[position + 1]
              if best_end < 0 || sum >= best
                best = sum
                best_end = position
              end
            end
            position += 1
            break if position == stop

            child = base[node] + points[position]
            break if check[child] != node

            node = child
          end
        end
        if best_end < 0
          best = unknown + sums[start + 1]
          best_end = start
        end
        sums[start] = best
        ends[start] = best_end
      end
      ends
    end
    # rubocop:enable Style/NumericPredicate

    # The same over both tries at once: a node of either may be nil when no word of it goes on.
    def ends_with_user_words(points, whole, user_words)
      logtotal = Math.log(@dictionary.total.to_f)
      size = points.size
      ends = Array.new(size, 0)
      sums = Array.new(size + 1, 0.0)
      (size - 1).downto(0) do |start|
        stop = start.zero? && !whole && size > 1 ? size - 1 : size
        best = nil
        each_word(points, start, stop, user_words) do |last, logarithm|
          sum = (logarithm - logtotal) + sums[last + 1]
          next unless best.nil? || sum >= best

          best = sum
          ends[start] = last
        end
        ends[start] = start if best.nil?
        sums[start] = best || ((0.0 - logtotal) + sums[start + 1])
      end
      ends
    end

    def each_word(points, start, stop, user_words)
      base = @table.base
      check = @table.check
      children = user_words.children
      frequencies = user_words.frequencies
      node = 0
      user_node = 0
      position = start
      while position < stop
        point = points[position]
        if node
          slot = base[node] + point
          node = check[slot] == node ? slot : nil
        end
        user_node &&= children[(user_node * Dictionary::UserWords::POINTS) + point]
        return unless node || user_node

        frequency = user_node && frequencies[user_node]
        if frequency
          yield position, Math.log(frequency.to_f) unless frequency.zero?
        elsif node && @table.numbers[node] != DictionaryTable::NO_WORD
          yield position, @table.logarithms[@table.numbers[node]]
        end
        position += 1
      end
    end
  end
end
