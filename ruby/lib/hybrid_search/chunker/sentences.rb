# frozen_string_literal: true

require "json"

module HybridSearch
  module Chunkers
    # Splits text into sentences and clauses (CHK-4), by the generated table `ruby/data/sentences.json`.
    module Sentences
      PATH = File.expand_path("../../../data/sentences.json", __dir__)
      TABLE = JSON.parse(File.binread(PATH).force_encoding("UTF-8")).freeze
      # The maximum number of code points before the end of a sentence in which its last word is searched.
      LOOK_BACK = 16

      inside = ->(name) { TABLE.fetch(name).each_char.map { |one| format("\\u{%X}", one.ord) }.join }
      white = Base::Characters.character_class("WHITE").pattern
      chinese = %w[HAN KANA].map { |name| Base::Characters.character_class(name).pattern }.join
      enders = inside.call("enders")
      clauses = inside.call("clause_enders")
      tail = inside.call("closers") + Base::Characters.character_class("MARK").pattern
      SENTENCES = /([^#{enders}]*)([#{enders}][#{enders}#{tail}]*)|([^#{enders}]+)/
      CLAUSES = /([^#{clauses}]*)([#{clauses}][#{clauses}#{tail}]*)|([^#{clauses}]+)/
      CHINESE_ENDER = /[#{inside.call("chinese_enders")}]/
      CHINESE_CLAUSE_ENDER = /[#{inside.call("chinese_clause_enders")}]/
      HAN_OR_KANA = /\A[#{chinese}]/
      WHITE = /\A[#{white}]/
      NOT_WHITE = /[^#{white}]/
      LAST_WORD = /[^#{white}#{inside.call("openers")}]*\z/
      ABBREVIATIONS = TABLE.fetch("abbreviations").to_h { |word| [word, true] }.freeze
      BEFORE_NUMBERS = TABLE.fetch("abbreviations_before_numbers").to_h { |word| [word, true] }.freeze
      LOWER = /\A[a-z]/
      DIGIT = /\A[0-9]/
      INITIALS = /\A[A-Za-z](?:\.[A-Za-z])*\z/
      NUMBERING = /\A[0-9]+(?:\.[0-9]+)*\z/
      FULL_STOP = "."
      private_constant :PATH, :TABLE, :SENTENCES, :CLAUSES, :CHINESE_ENDER, :CHINESE_CLAUSE_ENDER, :HAN_OR_KANA,
                       :WHITE, :NOT_WHITE, :LAST_WORD, :ABBREVIATIONS, :BEFORE_NUMBERS, :LOWER, :DIGIT, :INITIALS,
                       :NUMBERING, :FULL_STOP

      module_function

      # @param text [String]
      # @return [Array<String>] its sentences; joined they are the text
      def sentences(text)
        pieces = split(SENTENCES, text)
        found = [] # @type var found: Array[String]
        parts = +""
        recent = ""
        pieces.each_with_index do |(body, ender), index|
          parts << body << ender
          recent = last_of(recent + body + ender)
          following = pieces[index + 1]
          next if following && !ends?(body, ender, recent, parts, following[0])

          found << parts
          parts = +""
          recent = ""
        end
        found
      end

      # @param text [String]
      # @return [Array<String>] its clauses, which end with a comma, a colon or a semicolon; joined they are the text
      def clauses(text)
        pieces = split(CLAUSES, text)
        found = [+""]
        pieces.each_with_index do |(body, ender), index|
          found.fetch(-1) << body << ender
          following = pieces[index + 1]
          found << +"" if following && (ender.match?(CHINESE_CLAUSE_ENDER) || following[0].match?(WHITE))
        end
        found
      end

      # Return whether a sentence ends with these enders.
      #
      # @param body [String] the text between the previous enders and these
      # @param ender [String] the enders and closers
      # @param recent [String] the last code points of the sentence so far
      # @param sentence [String] the sentence so far
      # @param following [String] the text up to the next enders; not empty
      def ends?(body, ender, recent, sentence, following)
        return true if ender.match?(CHINESE_ENDER)
        return body[-1].to_s.match?(HAN_OR_KANA) && following.match?(HAN_OR_KANA) unless following.match?(WHITE)

        after = following[NOT_WHITE].to_s
        return false if after.match?(LOWER)

        ender != FULL_STOP || !abbreviated?(recent, sentence, after)
      end
      private_class_method :ends?

      # Return whether a full stop belongs to the word before it: an abbreviation, an initial, or a list number.
      def abbreviated?(recent, sentence, after)
        bare = recent.delete_suffix(FULL_STOP)
        word = bare[LAST_WORD].to_s
        lower = word.downcase(:ascii)
        return true if word.match?(INITIALS) || ABBREVIATIONS.key?(lower)
        return after.match?(DIGIT) if BEFORE_NUMBERS.key?(lower)

        sentence.bytesize == recent.bytesize && Base::Characters.strip(bare).match?(NUMBERING)
      end
      private_class_method :abbreviated?

      def last_of(text)
        text.length > LOOK_BACK ? text[-LOOK_BACK..].to_s : text
      end
      private_class_method :last_of

      def split(pattern, text)
        text.scan(pattern).map { |body, ender, rest| rest ? [rest, ""] : [body, ender] }
      end
      private_class_method :split
    end
  end
end
