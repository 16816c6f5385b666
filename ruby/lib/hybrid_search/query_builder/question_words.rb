# frozen_string_literal: true

module HybridSearch
  module QueryBuilders
    # The preparation of a question before it is tokenised: spacing, question words, language (QRY-2 … QRY-4).
    module QuestionWords
      # @param word [String]
      # @return [String] a pattern for a word that ignores the case of ASCII letters, but of no others
      def self.ignoring_case(word)
        Regexp.escape(word).gsub(/[a-z]/) { |letter| "[#{letter}#{letter.upcase(:ascii)}]" }
      end
      private_class_method :ignoring_case

      # @param names [Array<String>]
      # @return [String] a pattern for the first of them that matches
      def self.any_of(names)
        names.map { |name| ignoring_case(name) }.join("|")
      end
      private_class_method :any_of

      LETTERS_THEN_HAN = /([A-Za-z][0-9]*)(?=[\u4E00-\u9FA5])/
      HAN_THEN_LETTER = /([\u4E00-\u9FA5])(?=[A-Za-z])/
      BLANKS = /[ \t]+/
      TAB_OR_BLANKS = /\t|  /
      LETTERS = /\A[A-Za-z]+\z/

      MOST_PIECES_OF_CHINESE = 3
      LEAST_SHARE_OF_CHINESE = 0.7
      CONTRACTIONS = %w['re 's].freeze

      SEPARATOR = Words.character_pattern("query_separators")
      # A run of separators, except for a single blank, which stays as it is.
      SEPARATORS = /(?! )#{SEPARATOR}+| #{SEPARATOR}+/
      # `是*(?:…)是*`: a match begins at the start of a run of 是, so a long run is not tried from each of its positions.
      CHINESE_QUESTION_WORDS = /(?:(?<!是)是+)?(?:#{any_of(Words.word_list("question_words_chinese"))})是*/
      ENGLISH_QUESTION_WORDS =
        /(?:\A| )(?:#{any_of(Words.word_list("question_words_english"))})(?:#{any_of(CONTRACTIONS)})? /
      FILLER_WORDS = /(?:\A| )(?:#{any_of(Words.word_list("filler_words"))}) /

      private_constant :LETTERS_THEN_HAN, :HAN_THEN_LETTER, :BLANKS, :TAB_OR_BLANKS, :LETTERS, :MOST_PIECES_OF_CHINESE,
                       :LEAST_SHARE_OF_CHINESE, :CONTRACTIONS, :SEPARATOR, :SEPARATORS, :CHINESE_QUESTION_WORDS,
                       :ENGLISH_QUESTION_WORDS, :FILLER_WORDS

      module_function

      # @param question [String]
      # @return [Boolean] whether a question is blank: it contains only WHITE and U+0000 (RET-6)
      def blank?(question)
        Base::Characters.strip(question.tr("\0", " ")).empty?
      end

      # @param text [String]
      # @return [String] the text as typed, with blanks between Latin and Han (QRY-2 a)
      def separate_scripts(text)
        given = Base::Validation.text("text", text)
        given.ascii_only? ? given : given.gsub(LETTERS_THEN_HAN, '\1 ').gsub(HAN_THEN_LETTER, '\1 ')
      end

      # @param text [String]
      # @return [String] the text with one blank for each run of separating punctuation (QRY-2 c)
      def fold_separators(text)
        Base::Validation.text("text", text).gsub(SEPARATORS, " ")
      end

      # Return the text without question words and fillers; each pattern is applied once to the whole text (QRY-3).
      #
      # @param text [String]
      # @return [String] the unchanged text if nothing is left of it
      def remove_question_words(text)
        given = Base::Validation.text("text", text)
        left = given.gsub(CHINESE_QUESTION_WORDS, "").gsub(ENGLISH_QUESTION_WORDS, " ").gsub(FILLER_WORDS, " ")
        left.empty? ? given : left
      end

      # @param text [String]
      # @return [Boolean] whether the text takes the Chinese path (QRY-4)
      def chinese?(text)
        given = Base::Validation.text("text", text)
        # Splitting at single blanks is much faster.
        blanks = given.match?(TAB_OR_BLANKS) ? BLANKS : / /
        pieces = given.empty? ? [""] : given.split(blanks, -1)
        return true if pieces.size <= MOST_PIECES_OF_CHINESE

        others = pieces.count { |piece| !piece.match?(LETTERS) }
        others.to_f / pieces.size >= LEAST_SHARE_OF_CHINESE
      end
    end
  end
end
