# frozen_string_literal: true

require "json"

module HybridSearch
  module Text
    # The stop words of keyword extraction (TXT-8), read from the generated table `ruby/data/stop_words.json`.
    module StopWords
      PATH = File.expand_path("../../../data/stop_words.json", __dir__)
      TABLE = JSON.parse(File.binread(PATH).force_encoding("UTF-8"))
                  .slice("default", "jieba").transform_values { |words| words.each(&:freeze).freeze }.freeze
      HAN = /[#{Base::Characters.character_class("HAN").pattern}]/
      CHINESE = TABLE.fetch("default").grep(HAN).to_h { |word| [word, true] }.freeze
      private_constant :PATH, :TABLE, :HAN, :CHINESE

      module_function

      # @return [Array<String>] the words that are not keywords unless other stop words are given: Chinese and English
      def default_words
        TABLE.fetch("default")
      end

      # @return [Hash{String=>true}] those of the default words that have a Han character
      def chinese_words
        CHINESE
      end

      # @return [Array<String>] the stop words of `jieba.analyse`: English only
      def jieba_words
        TABLE.fetch("jieba")
      end
    end
  end
end
