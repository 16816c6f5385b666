# frozen_string_literal: true

require "json"

module HybridSearch
  module QueryBuilders
    # The word lists and punctuation of the query builder, read from the generated table `ruby/data/words.json`.
    module Words
      TABLE = JSON.parse(File.binread(File.expand_path("../../../data/words.json", __dir__)).force_encoding("UTF-8"))
                  .each_value(&:freeze).freeze
      private_constant :TABLE

      module_function

      # @param name [String] stop_words, filler_words and so on
      # @return [Array<String>] the words of a list, in the order of the table
      def word_list(name)
        TABLE.fetch(name)
      end

      # @param name [String] leading_punctuation, part_punctuation, query_separators
      # @return [Array<String>] the characters of a list, each once
      def character_set(name)
        TABLE.fetch(name).chars.uniq
      end

      # @param name [String] spacing_before_first, spacing_after_second
      # @return [String] the inside of a class of a regular expression, unchanged from the table
      def text(name)
        TABLE.fetch(name)
      end

      # @param name [String]
      # @return [String] the characters of a list as a class of a regular expression
      def character_pattern(name)
        "[#{character_set(name).map { |character| format("\\u%04X", character.ord) }.join}]"
      end
    end
  end
end
